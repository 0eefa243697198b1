import struct

import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from hypothesis import given
from hypothesis import strategies as st
from rclpy.serialization import serialize_message

from fleet.watch.status_bytes import ReadStatus, read_status

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


def serialized(level: int, message: str, values: dict[str, str]) -> bytes:
    pairs = [KeyValue(key=key, value=value) for key, value in values.items()]
    status = DiagnosticStatus(level=bytes([level]), name="a robot", message=message, hardware_id="7", values=pairs)
    return bytes(serialize_message(status))


@given(st.integers(0, 255), TEXTS, st.dictionaries(TEXTS, TEXTS, max_size=8))
def test_status_is_read_as_ros_wrote_it(level: int, message: str, values: dict[str, str]) -> None:
    assert read_status(serialized(level, message, values)) == ReadStatus(level, message, values)


def test_status_of_the_other_byte_order_is_read() -> None:
    name, message, hardware_id, key, value = (
        struct.pack(f">I{len(text)}s", len(text) + 1, text).ljust(12, b"\0")
        for text in (b"robo", b"fine", b"7000", b"tone", b"grey")
    )
    fields = b"\1\0\0\0" + name + message + hardware_id + struct.pack(">I", 1) + key + value
    assert read_status(b"\0\0\0\0" + fields) == ReadStatus(1, "fine", {"tone": "grey"})


def test_malformed_status_is_refused() -> None:
    data = serialized(0, "fine", {"key": "value"})
    for length in range(len(data) - 4):
        with pytest.raises(ValueError, match="are not a status"):
            read_status(data[:length])
