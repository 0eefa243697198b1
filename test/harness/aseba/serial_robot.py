"""A node at the far end of a serial port."""

import os
from pathlib import Path

from aseba_link.wire.message import encode
from aseba_link.wire.stream import MessageStream
from harness.aseba.fake_node import FakeNode


class SerialRobot:
    """A node at the far end of a pseudo terminal; its device keeps its name when it is plugged in again."""

    def __init__(self, device: Path) -> None:
        self.device = device
        self.node = FakeNode(1)
        self._far: int | None = None
        self._stream = MessageStream()

    def plug_in(self) -> None:
        self._far, near = os.openpty()
        os.set_blocking(self._far, False)
        self.device.symlink_to(os.ttyname(near))
        self._near = near
        self._stream = MessageStream()
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
            data = os.read(self._far, 4096)
        except BlockingIOError:
            return
        for message in self._stream.feed(data):
            for answer in self.node.handle(message):
                os.write(self._far, encode(answer))
