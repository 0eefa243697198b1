"""The Aseba network of robots and hosts: each message reaches all other members, except robots that are cut off."""

from collections.abc import Mapping, Sequence
from typing import Final

from aseba_link.errors import ConnectionLostError, MessageError
from aseba_link.link.connection import Connection
from aseba_link.wire.message import HOST_ID, Message, MessageType, encode, from_words
from aseba_link.wire.stream import MessageStream
from simulator.firmware.thymio import Thymio
from simulator.network.faulty_line import SOUND_LINE, FaultyLine, HostLineConfig
from simulator.network.radio import Direction, Radio, RadioArrival
from thymio_base.fence import Fence

MAX_HOSTS: Final = 64
EVENTS_AT_ONCE: Final = 32  # that a robot may send, or hear from other robots, in 10 ms; further events are lost
_SET_BYTECODE: Final[int] = MessageType.SET_BYTECODE  # looked up once because every message is compared with it


class _Host:
    """A connected host and its address, with the part of its current message that has arrived."""

    def __init__(self, connection: Connection, address: str) -> None:
        self.connection = connection
        self.address = address
        self.has_spoken = False  # whether a whole message has ever arrived
        self._stream = MessageStream()

    def receive(self) -> list[Message]:
        """Return the arrived messages; their number is bounded, so a flooding host does not delay other hosts.

        Raises what `Connection.receive` and `MessageStream.feed` raise.
        """
        data = self.connection.receive()
        messages = self._stream.feed(data) if data else []
        self.has_spoken = self.has_spoken or bool(messages)
        return messages


class RobotNetwork:
    """Connects robots and any number of hosts; disconnects hosts that break the protocol or stop reading.

    Parameters
    ----------
    robots : all robots; may be added and removed at run time
    radio : the link between each robot and everything else; None for robots on cables
    fence : notes unexpected exceptions caused by a host's message, then the host is disconnected; None raises them
    line : faults of the line to each host
    """

    def __init__(
        self,
        robots: Sequence[Thymio],
        radio: Radio | None = None,
        fence: Fence | None = None,
        line: HostLineConfig = SOUND_LINE,
    ) -> None:
        self._line = line
        self._robots = robots
        self._fence = fence
        self._radio = radio
        self._hosts: list[_Host] = []
        self._cut: set[int] = set()
        self._members: list[tuple[Thymio, Mapping[int, int]]] = []  # robots and their handlers
        self._is_current = False  # whether `_members` is up to date
        self._listeners: dict[int, list[Thymio]] = {}  # robots that listen to an event, added when needed
        self._loaders: dict[int, _Host] = {}  # the host that loaded the latest script into each node
        self._reported: set[tuple[int, str, str]] = set()  # conflicts, by node and addresses
        self._conflicts: list[str] = []
        self._crowded = self._was_crowded = False
        self._heard: dict[int, int] = {}  # number of other robots' events that each robot has heard in this exchange
        self._lost = 0  # events of robots lost since the last `pop_storm`
        self._was_stormy = False

    @property
    def host_count(self) -> int:
        """Number of connected hosts."""
        return len(self._hosts)

    def attach(
        self, connection: Connection, address: str = "an unknown address", *, line: HostLineConfig | None = None
    ) -> None:
        """Add a host; the network closes its connection. `address` is used in conflicts; `line` replaces its faults.

        With `MAX_HOSTS` connected, a host that has never sent a message makes room; if there is none, the new host is
        disconnected.
        """
        if len(self._hosts) >= MAX_HOSTS:
            self._crowded = True
            silent = next((host for host in self._hosts if not host.has_spoken), None)
            if silent is None:
                connection.close()
                return
            self._drop(silent)
        faults = self._line if line is None else line
        self._hosts.append(_Host(connection if faults == SOUND_LINE else FaultyLine(connection, faults), address))

    def pop_crowded(self) -> bool:
        """Return whether more than `MAX_HOSTS` have connected; True only once."""
        is_news, self._was_crowded = self._crowded and not self._was_crowded, self._crowded
        return is_news

    def pop_storm(self) -> bool:
        """Return whether robots send each other more events than they can hear; True only once per storm."""
        is_news, self._was_stormy = self._lost > 0 and not self._was_stormy, self._lost > 0
        self._lost = 0
        return is_news

    def pop_conflicts(self) -> list[str]:
        """Return descriptions of new conflicts: two connected hosts have loaded scripts into the same node."""
        conflicts, self._conflicts = self._conflicts, []
        return conflicts

    def exchange(self) -> None:
        """Pass on messages from hosts to robots and other hosts, and from robots to other robots and hosts."""
        self._is_current = False
        self._heard.clear()
        for host in list(self._hosts):
            try:
                self._pass_on(host)
            except Exception as error:
                if self._fence is None:
                    raise
                self._fence.note(f"messages of {host.address}", error)
                self._drop(host)
        sent = self._arrivals() if self._radio is not None else []
        sent += self._collected()
        if sent:
            self._broadcast(sent)

    def _pass_on(self, host: _Host) -> None:
        """Deliver the messages of a host to robots and other hosts."""
        for message in self._received(host):
            if message.type == _SET_BYTECODE:
                self._note_upload(host, message.addressee)
            self._send_to_robots(message)
            if len(self._hosts) > 1:
                self._broadcast([message], except_for=host)

    def advance(self, dt_s: float) -> None:
        """Advance the messages on the radio."""
        if self._radio is not None:
            self._radio.advance(dt_s)

    def cut_off(self, node_id: int) -> None:
        """Drop all messages to and from a robot until it rejoins; hosts are not informed."""
        self._cut.add(node_id)

    def join(self, node_id: int) -> None:
        """Reconnect a robot that was cut off."""
        self._cut.discard(node_id)

    def report_lost(self, node_id: int) -> None:
        """Report a robot as disconnected to hosts, as a switch does when a cable is pulled."""
        self._broadcast([from_words(node_id, MessageType.DISCONNECTED, ())])

    def close(self) -> None:
        """Disconnect every host."""
        for host in list(self._hosts):
            self._drop(host)

    def _note_upload(self, host: _Host, node_id: int) -> None:
        """Record that a host loads a script, and a conflict if another connected host did so before."""
        before = self._loaders.get(node_id)
        self._loaders[node_id] = host
        if before is None or before is host or before not in self._hosts:
            return
        first, second = sorted((before.address, host.address))
        conflict = (node_id, first, second)
        if conflict not in self._reported:
            self._reported.add(conflict)
            self._conflicts.append(f"two hosts control node {node_id}: {before.address} and {host.address}")

    def _collected(self) -> list[Message]:
        """Return the messages that robots have sent; if there is a radio, hand them to it instead."""
        sent: list[Message] = []
        for robot in self._robots:
            if not robot.outbox:
                continue
            messages, robot.outbox = robot.outbox, []
            if robot.node_id in self._cut:
                continue
            messages = self._limited(messages)
            if self._radio is None:
                sent += self._relay(robot.node_id, messages)
            else:
                for message in messages:
                    self._radio.send_from_robot(robot.node_id, message)
        return sent

    def _arrivals(self) -> list[Message]:
        """Deliver radio messages to robots; return those that arrived from robots."""
        sent: list[Message] = []
        for arrival in self._radio.receive() if self._radio is not None else ():
            if arrival.direction is Direction.FROM_ROBOT:
                sent += self._relay(arrival.node_id, [arrival.message])
            elif self._is_heard(arrival):
                for robot in self._robots:
                    if robot.node_id == arrival.node_id and robot.node_id not in self._cut:
                        robot.handle(arrival.message)
        return sent

    def _relay(self, node_id: int, messages: list[Message]) -> list[Message]:
        """Relay the events among a robot's messages to the other robots; return all its messages."""
        for message in messages:
            if message.is_user_event:
                self._send_to_robots(message, except_for=node_id)
        return messages

    def _limited(self, messages: list[Message]) -> list[Message]:
        """Return a robot's messages without surplus events.

        Without a limit, scripts that answer events with events would multiply them in every step and block
        everything else.
        """
        if len(messages) <= EVENTS_AT_ONCE:
            return messages
        kept: list[Message] = []
        events = 0
        for message in messages:
            if message.is_user_event:
                events += 1
                if events > EVENTS_AT_ONCE:
                    self._lost += 1
                    continue
            kept.append(message)
        return kept

    def _send_to_robots(self, message: Message, except_for: int | None = None) -> None:
        if self._radio is not None:
            self._radio.send_to_robots((robot.node_id for robot in self._joined(except_for)), message)
        elif message.is_user_event:
            self._send_event(message, except_for)
        else:
            self._is_current = False  # the message may be a script
            for robot in self._joined(except_for):
                robot.handle(message)

    def _joined(self, except_for: int | None) -> list[Thymio]:
        return [robot for robot in self._robots if robot.node_id != except_for and robot.node_id not in self._cut]

    def _send_event(self, message: Message, except_for: int | None) -> None:
        """Send an event to the robots whose scripts listen to it."""
        if not self._is_current:
            self._update_members()
        event = message.type
        listeners = self._listeners.get(event)
        if listeners is None:
            listeners = self._listeners[event] = [robot for robot, handlers in self._members if event in handlers]
        if not listeners:
            return
        source, args, are_all_joined = message.source, message.words(), not self._cut
        for robot in listeners:
            is_addressed = robot.node_id != except_for and (are_all_joined or robot.node_id not in self._cut)
            if is_addressed and (except_for is None or self._hears(robot.node_id)):
                robot.receive_event(event, source, args)

    def _is_heard(self, arrival: RadioArrival) -> bool:
        message = arrival.message
        return not message.is_user_event or message.source == HOST_ID or self._hears(arrival.node_id)

    def _hears(self, node_id: int) -> bool:
        """Count an event from another robot; return whether the robot hears it. Events from hosts are always heard."""
        heard = self._heard.get(node_id, 0) + 1
        self._heard[node_id] = heard
        self._lost += heard > EVENTS_AT_ONCE
        return heard <= EVENTS_AT_ONCE

    def _update_members(self) -> None:
        """Update the list of robots and handlers; forget the listeners if anything has changed."""
        members = [(robot, robot.handlers) for robot in self._robots]
        if members != self._members:  # fast if all objects are the same as before
            self._members = members
            self._listeners.clear()
        self._is_current = True

    def _received(self, host: _Host) -> list[Message]:
        try:
            return host.receive()
        except (ConnectionLostError, MessageError):
            self._drop(host)
            return []

    def _broadcast(self, messages: Sequence[Message], except_for: _Host | None = None) -> None:
        listeners = [host for host in self._hosts if host is not except_for]
        if not (messages and listeners):
            return
        data = b"".join(encode(message) for message in messages)
        for host in listeners:
            try:
                host.connection.send(data)
            except ConnectionLostError:
                self._drop(host)

    def _drop(self, host: _Host) -> None:
        host.connection.close()
        if host in self._hosts:
            self._hosts.remove(host)
