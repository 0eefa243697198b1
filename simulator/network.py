"""An Aseba network of robots and hosts: what one says, all the others hear."""

from collections.abc import Sequence

from aseba_link.connection import Connection
from aseba_link.errors import ConnectionLostError, MessageError
from aseba_link.message import Message, encode
from aseba_link.stream import MessageStream
from simulator.firmware import Thymio


class _Host:
    """A connected host, and what of its last message has come."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._stream = MessageStream()

    def receive(self) -> list[Message]:
        """Return messages that have come, a bounded amount so that a flooding host does not hold up the others.

        Raises what `Connection.receive` and `MessageStream.feed` raise.
        """
        return self._stream.feed(self.connection.receive())


class RobotNetwork:
    """Joins robots and any number of hosts; a host that breaks the protocol, or does not read, is disconnected."""

    def __init__(self, robots: Sequence[Thymio]) -> None:
        self._robots = robots
        self._hosts: list[_Host] = []

    @property
    def host_count(self) -> int:
        """Number of connected hosts."""
        return len(self._hosts)

    def attach(self, connection: Connection) -> None:
        """Take in a host; the network closes its connection."""
        self._hosts.append(_Host(connection))

    def exchange(self) -> None:
        """Deliver what hosts have sent to robots and other hosts, and what robots have said to each other and hosts."""
        for host in list(self._hosts):
            for message in self._received(host):
                for robot in self._robots:
                    robot.handle(message)
                self._broadcast([message], except_for=host)
        self._deliver_from_robots()

    def close(self) -> None:
        """Disconnect every host."""
        for host in list(self._hosts):
            self._drop(host)

    def _deliver_from_robots(self) -> None:
        said: list[Message] = []
        for robot in self._robots:
            messages, robot.outbox = robot.outbox, []
            said += messages
            for message in messages:
                if message.is_user_event:
                    self._tell_other_robots(robot, message)
        self._broadcast(said)

    def _tell_other_robots(self, speaker: Thymio, message: Message) -> None:
        for robot in self._robots:
            if robot is not speaker:
                robot.handle(message)

    def _received(self, host: _Host) -> list[Message]:
        try:
            return host.receive()
        except (ConnectionLostError, MessageError):
            self._drop(host)
            return []

    def _broadcast(self, messages: Sequence[Message], except_for: _Host | None = None) -> None:
        if not messages:
            return
        data = b"".join(encode(message) for message in messages)
        for host in list(self._hosts):
            if host is except_for:
                continue
            try:
                host.connection.send(data)
            except ConnectionLostError:
                self._drop(host)

    def _drop(self, host: _Host) -> None:
        host.connection.close()
        if host in self._hosts:
            self._hosts.remove(host)
