"""A line between hosts and robots with the faults of cables and dongles."""

from dataclasses import dataclass

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import Connection

_GARBAGE = b"AT\rATE1\r"  # sent by programs that probe for a modem
_ABSURD_SIZE = b"\xff\xff"


@dataclass(frozen=True, slots=True)
class HostLineConfig:
    """Faults of the line; an interval of 0 means never."""

    greets: bool = False
    corrupts_every_bytes: int = 0
    hangs_up_every_bytes: int = 0


SOUND_LINE = HostLineConfig()


class FaultyLine:
    """A connection to a host, faulty in the direction of the host."""

    def __init__(self, connection: Connection, config: HostLineConfig) -> None:
        self._connection = connection
        self._config = config
        self._sent = 0
        if config.greets:
            connection.send(_GARBAGE)

    @property
    def queued(self) -> int:
        """See `Connection.queued`."""
        return self._connection.queued

    def send(self, data: bytes) -> None:
        """See `Connection.send`."""
        config, before = self._config, self._sent
        self._sent += len(data)
        if _passes(before, self._sent, config.hangs_up_every_bytes):
            raise ConnectionLostError("the line hangs up")
        if _passes(before, self._sent, config.corrupts_every_bytes):
            data = _ABSURD_SIZE + data[2:]
        self._connection.send(data)

    def receive(self) -> bytes:
        """See `Connection.receive`."""
        return self._connection.receive()

    def close(self) -> None:
        """See `Connection.close`."""
        self._connection.close()


def _passes(before: int, after: int, every: int) -> bool:
    return every > 0 and before // every != after // every
