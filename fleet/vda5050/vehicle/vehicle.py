"""One vehicle as its master sees it: messages in, messages out; time is passed in."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from fleet.vda5050.order.order_fault import OrderRefusedError, VehicleFaultKind, refusal
from fleet.vda5050.order.order_graph import ActionType
from fleet.vda5050.order.order_machine import OrderMachine
from fleet.vda5050.order.order_rules import VehicleRules
from fleet.vda5050.order.robot_facts import RobotFacts, RunRequest
from fleet.vda5050.vehicle.received_messages import SIZE_MAX, ReceivedMessages, Topic
from fleet.vda5050.wire.factsheet import MIN_STATE_S, STATE_S, VISUALIZATION_S, factsheet_values
from fleet.vda5050.wire.order_codec import read_instant_actions, read_order
from fleet.vda5050.wire.state_codec import ConnectionState, connection_values, state_values, visualization_values
from fleet.vda5050.wire.vda_version import VdaVersion

_S: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class VehicleIdentity:
    """The names of a vehicle on the wire."""

    interface: str
    version: VdaVersion
    manufacturer: str
    serial: str

    def topic(self, topic: Topic) -> str:
        """Return the name of a topic."""
        return f"{self.interface}/{self.version.topic_part}/{self.manufacturer}/{self.serial}/{topic.value}"

    def message(self, header_id: int, unix_ns: int, values: dict[str, Any]) -> str:
        """Return a message with its header."""
        stamp = datetime.fromtimestamp(unix_ns / _S, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        header = {"headerId": header_id, "timestamp": stamp, "version": self.version.value}
        return json.dumps(header | {"manufacturer": self.manufacturer, "serialNumber": self.serial} | values)


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A message to publish; `is_kept` if the broker retains it for later subscribers."""

    topic: Topic
    payload: str
    is_kept: bool = False


class Vehicle:
    """A vehicle: received messages that were not looked at yet, order machine and what was published."""

    def __init__(self, identity: VehicleIdentity, rules: VehicleRules, new_run_id: Callable[[str], str]) -> None:
        self.identity: Final = identity
        self.machine: Final = OrderMachine(rules, new_run_id)
        self.received: Final = ReceivedMessages()
        self._rules: Final = rules
        self._headers: dict[Topic, int] = dict.fromkeys(Topic, 0)
        self._robot = RobotFacts()
        self._published: object = None
        self._state_ns: int | None = None
        self._seen_ns: int | None = None
        self._factsheet_is_due = True
        self._dropped = 0

    def advance(self, robot: RobotFacts, now_ns: int) -> RunRequest | None:
        """Process received messages and continue; return the request to send to the robot."""
        self._robot = robot
        request = self.machine.advance(robot, now_ns)
        self._note_dropped()
        while (taken := self.received.take(Topic.INSTANT_ACTIONS)) is not None:
            self._take(Topic.INSTANT_ACTIONS, *taken)
        if (taken := self.received.take(Topic.ORDER)) is not None:
            self._take(Topic.ORDER, *taken)
        return request

    def connect(self) -> None:
        """Publish everything again, as the broker may have forgotten it."""
        self._state_ns = self._published = None
        self._factsheet_is_due = True

    def connection(self, state: ConnectionState, unix_ns: int) -> OutgoingMessage:
        """Return the message that reports the vehicle's connection state."""
        values = connection_values(state, self.identity.version)
        return self._message(Topic.CONNECTION, values, unix_ns, is_kept=True)

    def outgoing(self, now_ns: int, unix_ns: int) -> list[OutgoingMessage]:
        """Return the messages to publish now."""
        version, map_id, effects, messages = self.identity.version, self._rules.map_id, self.machine.effects, []
        if self._factsheet_is_due or ActionType.FACTSHEET_REQUEST in effects:
            self._factsheet_is_due = False
            values = factsheet_values(self._rules, version)
            messages.append(self._message(Topic.FACTSHEET, values, unix_ns, is_kept=True))
        content = self.machine.content, self._robot
        if self._state_is_due(content, now_ns) or ActionType.STATE_REQUEST in effects:
            self._published, self._state_ns = content, now_ns
            values = state_values(self.machine, self._robot, map_id, version)
            messages.append(self._message(Topic.STATE, values, unix_ns))
        if self._is_seen_anew(now_ns):
            self._seen_ns = now_ns
            values = visualization_values(self._robot, max(0, self._headers[Topic.STATE] - 1), map_id, version)
            messages.append(self._message(Topic.VISUALIZATION, values, unix_ns))
        return messages

    def take_beep(self) -> bool:
        """Return whether the robot must beep, and clear all effects."""
        beeps = ActionType.BEEP in self.machine.effects
        self.machine.effects.clear()
        return beeps

    def _take(self, topic: Topic, data: bytes, is_kept: bool) -> None:
        try:
            if is_kept:
                text = f"a message on {topic.value} that the broker has kept is left aside, as it may be old"
                raise refusal(VehicleFaultKind.INVALID, f"{text}; publish it without retain")
            if topic is Topic.ORDER:
                self.machine.take_order(read_order(data, self.identity.version))
            else:
                for action in read_instant_actions(data):
                    self.machine.take_action(action)
        except OrderRefusedError as error:
            self.machine.reject(error.fault)

    def _note_dropped(self) -> None:
        """Report that messages were dropped."""
        if self.received.dropped > self._dropped:
            self._dropped = self.received.dropped
            text = f"messages were dropped: too many at once, or one of more than {SIZE_MAX} bytes"
            self.machine.reject(refusal(VehicleFaultKind.INVALID, text).fault)

    def _state_is_due(self, content: object, now_ns: int) -> bool:
        if self._state_ns is None:
            return True
        passed_ns = now_ns - self._state_ns
        return passed_ns >= STATE_S * _S or (passed_ns >= MIN_STATE_S * _S and content != self._published)

    def _is_seen_anew(self, now_ns: int) -> bool:
        is_late = self._seen_ns is None or now_ns - self._seen_ns >= VISUALIZATION_S * _S
        return is_late and self._robot.pose is not None and self._robot.is_driving

    def _message(self, topic: Topic, values: dict[str, Any], unix_ns: int, *, is_kept: bool = False) -> OutgoingMessage:
        header_id, self._headers[topic] = self._headers[topic], self._headers[topic] + 1
        return OutgoingMessage(topic, self.identity.message(header_id, unix_ns, values), is_kept)
