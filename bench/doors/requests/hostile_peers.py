"""Peers that send malformed or misleading messages, one kind each; randomness comes from the generator passed in."""

from collections.abc import Callable
from dataclasses import dataclass

from numpy.random import Generator

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import MAX_RECEIVED, Connection, pipe
from aseba_link.wire.description import encode_description
from aseba_link.wire.message import MAX_PAYLOAD_SIZE, Message, MessageType, encode, from_words
from aseba_link.wire.stream import MessageStream
from simulator.simulation.simulation import Simulation

_FRAMES = 40  # sent at a time by a peer
_STEPS = 5  # simulated steps of robots between two attacks: 50 ms
_IDS = 20  # ids of a peer's invented nodes
_SENT_BY_NODES = [kind for kind in MessageType if kind < MessageType.GET_DESCRIPTION]
_LIES = [
    MessageType.NODE_PRESENT,
    MessageType.DESCRIPTION,
    MessageType.NAMED_VARIABLE_DESCRIPTION,
    MessageType.LOCAL_EVENT_DESCRIPTION,
    MessageType.NATIVE_FUNCTION_DESCRIPTION,
    MessageType.DEVICE_INFO,
    MessageType.EXECUTION_STATE_CHANGED,
    MessageType.VARIABLES,
]


@dataclass(slots=True)
class HostilePeer:
    """A hostile target, or client of our switch; `attack` takes the received bytes and returns the next frames."""

    name: str
    attack: Callable[[bytes], list[bytes]]
    greeting: bytes = b""  # sent first, on each connection
    reads: bool = True
    frames: int = 0
    connections: int = 0
    ready: int = 0  # how often the link accepted one of its nodes as running our script
    longest_queue: int = 0  # most bytes that the link had queued for this peer
    _connection: Connection | None = None

    def accept(self, connection: Connection) -> None:
        """Accept the link's connection."""
        connection.send(self.greeting)
        self._connection = connection
        self.connections += 1

    @property
    def is_connected(self) -> bool:
        """Whether the connection was still open when last used."""
        return self._connection is not None

    def step(self) -> None:
        """Send one attack, while connected and read."""
        if self._connection is None or self._connection.queued > MAX_RECEIVED:
            return
        try:
            frames = self.attack(self._received(self._connection))
            self._connection.send(b"".join(frames))
            self.frames += len(frames)
        except ConnectionLostError:
            self._connection = None

    def _received(self, connection: Connection) -> bytes:
        received = bytearray()
        while self.reads and (data := connection.receive()):
            received += data
        self.longest_queue = max(self.longest_queue, len(received))
        return bytes(received)


class Attacks:
    """Ways to attack a host.

    Parameters
    ----------
    chance
        Source of all randomness.
    robots
        Healthy robots, behind a connection that corrupts their messages.
    """

    def __init__(self, chance: Generator, robots: Simulation) -> None:
        self._chance = chance
        self._robots = robots
        self._description = robots.robots[0].description
        self._host, far = pipe()
        robots.network.attach(far)
        self._stream = MessageStream()

    def peers(self) -> list[HostilePeer]:
        """Return a peer of every kind."""
        return [
            HostilePeer("random bytes", self.random_bytes),
            HostilePeer("truncated frames", self.truncated_frames),
            HostilePeer("oversized lengths", self.oversized_lengths),
            HostilePeer("changing ids", self.changing_ids),
            HostilePeer("lying descriptions", self.lying_descriptions),
            HostilePeer("corrupted descriptions", self.corrupted_descriptions),
            HostilePeer("endless descriptions", self.endless_descriptions, self._endless_header()),
            HostilePeer("messages of hosts", self.messages_of_hosts),
            HostilePeer("random messages", self.random_messages),
            HostilePeer("corrupted robots", self.corrupted_robots),
            HostilePeer("stalled", lambda _: [], encode(self._present(1))[:-1]),
            HostilePeer("deaf", self.changing_ids, reads=False),
        ]

    def random_bytes(self, _: bytes) -> list[bytes]:
        """Send noise."""
        return [self._chance.bytes(12) for _ in range(_FRAMES)]

    def truncated_frames(self, _: bytes) -> list[bytes]:
        """Send messages, one of them truncated."""
        frames = self._frames(self._random_message)
        cut = int(self._chance.integers(_FRAMES))
        frames[cut] = frames[cut][: int(self._chance.integers(len(frames[cut])))]
        return frames

    def oversized_lengths(self, _: bytes) -> list[bytes]:
        """Send valid messages, then one whose length field exceeds the maximum."""
        size = int(self._chance.integers(MAX_PAYLOAD_SIZE + 1, 0x10000))
        return [*self._frames(self._random_message), size.to_bytes(2, "little") + self._chance.bytes(600)]

    def changing_ids(self, _: bytes) -> list[bytes]:
        """Announce more and more new nodes."""
        return self._frames(lambda: self._present(int(self._chance.integers(1, 0x10000))))

    def lying_descriptions(self, _: bytes) -> list[bytes]:
        """Describe a few nodes at random."""
        return self._frames(self._lie)

    def corrupted_descriptions(self, _: bytes) -> list[bytes]:
        """Describe a Thymio with a few bytes changed, and claim to run any script that it receives."""
        truth = [self._present(1, 5), *encode_description(1, self._description), self._state(1)]
        return [encode(self._corrupted(message, 0.02)) for message in truth]

    def endless_descriptions(self, _: bytes) -> list[bytes]:
        """Describe more and more new variables."""
        return self._frames(lambda: Message(1, MessageType.NAMED_VARIABLE_DESCRIPTION, self._new_variable()))

    def messages_of_hosts(self, _: bytes) -> list[bytes]:
        """Send commands, with the ids of a host and of nodes."""
        return self._frames(
            lambda: Message(int(self._chance.integers(3)), int(self._chance.integers(0xA000, 0xA016)), self._payload())
        )

    def random_messages(self, _: bytes) -> list[bytes]:
        """Send well-framed messages of every type that nodes send."""
        return self._frames(self._random_message)

    def corrupted_robots(self, received: bytes) -> list[bytes]:
        """Send robots' messages through a connection that corrupts, drops and duplicates them."""
        self._host.send(received)
        for _ in range(_STEPS):
            self._robots.step()
        sent = self._stream.feed(self._host.receive())
        copies = self._chance.choice(3, len(sent), p=[0.01, 0.98, 0.01])
        delivered = [message for message, count in zip(sent, copies, strict=True) for _ in range(count)]
        return [encode(self._corrupted(message, 0.02)) for message in delivered]

    def _frames(self, make: Callable[[], Message]) -> list[bytes]:
        return [encode(make()) for _ in range(_FRAMES)]

    def _payload(self) -> bytes:
        limit = 40 if self._chance.random() < 0.95 else MAX_PAYLOAD_SIZE
        return self._chance.bytes(int(self._chance.integers(limit + 1)))

    def _id(self) -> int:
        return int(self._chance.integers(1, _IDS + 1))

    def _present(self, node_id: int, version: int | None = None) -> Message:
        version = int(self._chance.choice([0, 4, 5, 8, 9, 0xFFFF])) if version is None else version
        return from_words(node_id, MessageType.NODE_PRESENT, [version])

    def _state(self, node_id: int) -> Message:
        return from_words(node_id, MessageType.EXECUTION_STATE_CHANGED, [0, int(self._chance.integers(8))])

    def _lie(self) -> Message:
        kind = MessageType(int(self._chance.choice(_LIES)))
        if kind is MessageType.NODE_PRESENT:
            return self._present(self._id(), int(self._chance.choice([5, 9])))
        counts = b"".join(int(self._chance.integers(4)).to_bytes(2, "little") for _ in range(8))
        name = bytes([1, 97 + int(self._chance.integers(26))])
        is_variable = kind is MessageType.NAMED_VARIABLE_DESCRIPTION
        return Message(self._id(), kind, counts[:2] + name if is_variable else name + counts)

    def _endless_header(self) -> bytes:
        """Announce the largest possible number of variables, events and functions."""
        counts = (5, 1534, 32, 640, 4096, 4096, 4096)
        payload = b"\x09thymio-II" + b"".join(count.to_bytes(2, "little") for count in counts)
        return encode(self._present(1, 5)) + encode(Message(1, MessageType.DESCRIPTION, payload))

    def _new_variable(self) -> bytes:
        return b"\xff\xff\x0c" + bytes(97 + self._chance.integers(26, size=12, dtype="u1"))

    def _random_message(self) -> Message:
        payload = self._payload()
        if self._chance.random() < 0.3:
            return Message(self._id(), int(self._chance.integers(0x8000)), payload)
        return Message(self._id(), int(self._chance.choice(_SENT_BY_NODES)), payload)

    def _corrupted(self, message: Message, probability: float) -> Message:
        """Return the message, or with some probability a corrupted one: a byte changed, and perhaps the end missing."""
        if self._chance.random() >= probability or not message.payload:
            return message
        payload = bytearray(message.payload)
        payload[int(self._chance.integers(len(payload)))] = int(self._chance.integers(0x100))
        if self._chance.random() < 0.3:
            del payload[int(self._chance.integers(len(payload))) :]
        return Message(message.source, message.type, bytes(payload))
