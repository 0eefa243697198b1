"""Writes ROS messages as bytes, without ROS.

ROS middlewares transport CDR (OMG DDS-XTypes 1.3, 7.4.3): four bytes for the encoding, then the fields in order, each
aligned to its size. In the plain encodings the first byte is 0 and the second gives the byte order.
"""

import struct
from collections.abc import Callable
from typing import Final

from thymio_base.heading import heading_quaternion

PREFIX_BYTES: Final = 4  # for the encoding
_LITTLE_ENDIAN: Final = b"\0\1\0\0"
FLOAT64_BYTES: Final = 8
_STAMP_BYTES: Final = 8  # int32 seconds, uint32 nanoseconds


def aligned(offset: int, size: int) -> int:
    """Return the next offset aligned for a field of `size` bytes; offsets count from the end of the prefix."""
    return -(-offset // size) * size


class CdrWriter:
    """Writes the bytes of a message in little-endian order."""

    def __init__(self) -> None:
        self._fields = bytearray()

    @property
    def data(self) -> bytes:
        """The message, preceded by its encoding."""
        return _LITTLE_ENDIAN + bytes(self._fields)

    def align(self, size: int) -> None:
        """Append zeros until a field of this many bytes can follow."""
        self._fields += bytes(aligned(len(self._fields), size) - len(self._fields))

    def add(self, kind: str, *values: object) -> None:
        """Append numbers in a `struct` format."""
        for value in values:
            packed = struct.pack(f"<{kind}", value)
            self.align(len(packed))
            self._fields += packed

    def add_text(self, text: str) -> None:
        """Append a string: its length, its bytes and a zero."""
        encoded = text.encode() + b"\0"
        self.add("I", len(encoded))
        self._fields += encoded


PoseWriter = Callable[[float, float, float, int], bytes]


def pose_writer(frame: str) -> PoseWriter:
    """Return a serializer of PoseStamped in the plane z = 0 of a frame: x and y in m, heading in rad, stamp in ns.

    The bytes common to all poses of a frame are encoded once, because poses arrive by the thousand.
    """
    message = CdrWriter()
    message.add("I", 0, 0)  # placeholder for the stamp
    message.add_text(frame)
    message.align(FLOAT64_BYTES)
    named = message.data[PREFIX_BYTES + _STAMP_BYTES :]
    whole = struct.Struct(f"<4siI{len(named)}s7d")

    def write(x_m: float, y_m: float, heading_rad: float, stamp_ns: int) -> bytes:
        seconds, nanoseconds = divmod(stamp_ns, 1_000_000_000)
        z, w = heading_quaternion(heading_rad)
        return whole.pack(_LITTLE_ENDIAN, seconds, nanoseconds, named, x_m, y_m, 0.0, 0.0, 0.0, z, w)

    return write
