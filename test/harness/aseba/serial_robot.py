"""A node at the far end of a serial port."""

import os
from pathlib import Path

from aseba_link.wire.message import encode
from aseba_link.wire.stream import MessageStream
from harness.aseba.fake_node import FakeNode


class SerialRobot:
    """A node at the far end of a pseudo terminal, which reads and writes at most `piece` bytes at once.

    Its device keeps its name when it is plugged in again, unless `device` is set in between.
    """

    def __init__(self, device: Path, piece: int = 4096) -> None:
        self.device = device
        self._piece = piece
        self._outgoing = b""
        self.node = FakeNode(1)
        self._far: int | None = None
        self._stream = MessageStream()

    def plug_in(self) -> None:
        self._far, near = os.openpty()
        os.set_blocking(self._far, False)
        self.device.symlink_to(os.ttyname(near))
        self._near = near
        self._stream, self._outgoing = MessageStream(), b""
        self.node = FakeNode(1)

    def unplug(self, last_bytes: bytes = b"") -> None:
        assert self._far is not None
        os.write(self._far, last_bytes)
        os.close(self._far)
        os.close(self._near)
        self.device.unlink()
        self._far = None

    def step(self) -> None:
        if self._far is None:
            return
        try:
            data = os.read(self._far, self._piece)
        except BlockingIOError:
            data = b""
        for message in self._stream.feed(data):
            self._outgoing += b"".join(map(encode, self.node.handle(message)))
        if self._outgoing:
            written = os.write(self._far, self._outgoing[: self._piece])
            self._outgoing = self._outgoing[written:]
