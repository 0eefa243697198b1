"""One vehicle as its master sees it: messages in, messages out; time is passed in."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final

from fleet.vda5050.order.order_fault import OrderRefusedError, VehicleFault, VehicleFaultKind
from fleet.vda5050.order.order_machine import OrderMachine, VehicleEffect
from fleet.vda5050.order.order_rules import VehicleRules
from fleet.vda5050.order.robot_facts import RobotFacts, RunRequest
from fleet.vda5050.vehicle.message_queue import SIZE_MAX, MessageQueue
from fleet.vda5050.wire.factsheet import MIN_STATE_S, STATE_S, VISUALIZATION_S, VehicleTraits, factsheet_values
from fleet.vda5050.wire.order_codec import read_instant_actions, read_order
from fleet.vda5050.wire.state_codec import connection_values, state_values, visualization_values
from fleet.vda5050.wire.vda_version import VdaVersion
from fleet.vda5050.wire.vehicle_state import ConnectionState, OrderState, RobotState

_S: Final = 1_000_000_000


class Topic(Enum):
    """A topic of a vehicle; the value is its last part."""

    ORDER = "order"
    INSTANT_ACTIONS = "instantActions"
    STATE = "state"
    CONNECTION = "connection"
    FACTSHEET = "factsheet"
    VISUALIZATION = "visualization"


@dataclass(frozen=True, slots=True)
class VehicleIdentity:
    """How a vehicle is named on the wire."""

    interface: str
    version: VdaVersion
    manufacturer: str
    serial: str

    def topic(self, topic: Topic) -> str:
        """Return the name of a topic."""
        return f"{self.interface}/{self.version.topic_part}/{self.manufacturer}/{self.serial}/{topic.value}"

    def header(self, header_id: int, unix_ns: int) -> dict[str, Any]:
        """Return the fields that all messages have."""
        stamp = datetime.fromtimestamp(unix_ns / _S, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {
            "headerId": header_id,
            "timestamp": stamp,
            "version": self.version.value,
            "manufacturer": self.manufacturer,
            "serialNumber": self.serial,
        }


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A message to be published; `is_kept` if the broker keeps it for later subscribers."""

    topic: Topic
    payload: str
    is_kept: bool = False


class Vehicle:
    """A vehicle: queue, order machine and what was published.

    Parameters
    ----------
    identity : its names
    rules, traits : what it can do
    new_run_id : returns an id for a task of the robot, given the order's id

    Attributes
    ----------
    machine : its order
    queue : of messages that were received
    """

    def __init__(
        self, identity: VehicleIdentity, rules: VehicleRules, traits: VehicleTraits, new_run_id: Callable[[str], str]
    ) -> None:
        self.identity: Final = identity
        self.machine: Final = OrderMachine(rules, new_run_id)
        self.queue: Final = MessageQueue()
        self._map_id: Final = rules.map_id
        self._traits: Final = traits
        self._headers: dict[Topic, int] = dict.fromkeys(Topic, 0)
        self._robot = RobotState()
        self._published: tuple[OrderState, RobotState] | None = None
        self._state_ns: int | None = None
        self._seen_ns: int | None = None
        self._factsheet_is_due = True
        self._dropped = 0

    def order_state(self) -> OrderState:
        """Return what is left of the order."""
        machine = self.machine
        return OrderState(
            machine.order_id,
            0 if machine.order is None else machine.order.update_id,
            machine.last_node_id,
            machine.last_sequence_id,
            machine.nodes_ahead,
            machine.edges_ahead,
            tuple(machine.actions),
            tuple(machine.instant_actions),
            machine.is_paused,
            machine.wants_base,
            machine.load_id,
            machine.faults,
        )

    def advance(self, facts: RobotFacts, robot: RobotState, now_ns: int) -> RunRequest | None:
        """Look at what was received, and go on; return what the robot is to be asked for."""
        self._robot = robot
        request = self.machine.advance(facts, now_ns)
        self._note_dropped()
        while (data := self.queue.take_instant()) is not None:
            self._take_instants(data)
        if (data := self.queue.take_order()) is not None:
            self._take_order(data)
        return request

    def connect(self) -> None:
        """Publish everything again: the broker may have forgotten it."""
        self._state_ns = self._published = None
        self._factsheet_is_due = True

    def connection(self, state: ConnectionState, unix_ns: int) -> OutgoingMessage:
        """Return the message on whether the vehicle can be reached."""
        values = connection_values(state, self.identity.version)
        return self._message(Topic.CONNECTION, values, unix_ns, is_kept=True)

    def outgoing(self, now_ns: int, unix_ns: int) -> list[OutgoingMessage]:
        """Return what is to be published now."""
        version, messages = self.identity.version, []
        effects = self.machine.effects
        if self._factsheet_is_due or VehicleEffect.FACTSHEET in effects:
            self._factsheet_is_due = False
            values = factsheet_values(self._traits, version)
            messages.append(self._message(Topic.FACTSHEET, values, unix_ns, is_kept=True))
        state = self.order_state()
        if self._state_is_due(state, now_ns) or VehicleEffect.STATE in effects:
            self._published, self._state_ns = (state, self._robot), now_ns
            values = state_values(state, self._robot, self._map_id, version)
            messages.append(self._message(Topic.STATE, values, unix_ns))
        if self._is_seen_anew(now_ns):
            self._seen_ns = now_ns
            values = visualization_values(self._robot, max(0, self._headers[Topic.STATE] - 1), self._map_id, version)
            messages.append(self._message(Topic.VISUALIZATION, values, unix_ns))
        return messages

    def take_beep(self) -> bool:
        """Return whether the robot is to beep; all effects have been carried out then."""
        beeps = VehicleEffect.BEEP in self.machine.effects
        self.machine.effects.clear()
        return beeps

    def _take_order(self, data: bytes) -> None:
        try:
            order = read_order(data, self.identity.version)
        except OrderRefusedError as error:
            self.machine.reject(error.fault)
        else:
            self.machine.take_order(order)

    def _take_instants(self, data: bytes) -> None:
        try:
            actions = read_instant_actions(data)
        except OrderRefusedError as error:
            self.machine.reject(error.fault)
            return
        for action in actions:
            self.machine.take_action(action)

    def _note_dropped(self) -> None:
        """Say that messages were dropped."""
        if self.queue.dropped > self._dropped:
            self._dropped = self.queue.dropped
            text = f"messages were dropped: too many at once, or one of more than {SIZE_MAX} bytes"
            self.machine.reject(VehicleFault(VehicleFaultKind.INVALID, text))

    def _state_is_due(self, state: OrderState, now_ns: int) -> bool:
        if self._state_ns is None or self._published is None:
            return True
        passed_ns = now_ns - self._state_ns
        order, robot = self._published
        is_changed = order != state or _steady(robot) != _steady(self._robot)
        return passed_ns >= STATE_S * _S or (is_changed and passed_ns >= MIN_STATE_S * _S)

    def _is_seen_anew(self, now_ns: int) -> bool:
        is_late = self._seen_ns is None or now_ns - self._seen_ns >= VISUALIZATION_S * _S
        return is_late and self._robot.pose is not None and self._robot.is_driving

    def _message(self, topic: Topic, values: dict[str, Any], unix_ns: int, *, is_kept: bool = False) -> OutgoingMessage:
        header = self.identity.header(self._headers[topic], unix_ns)
        self._headers[topic] += 1
        return OutgoingMessage(topic, json.dumps(header | values), is_kept)


def _steady(robot: RobotState) -> RobotState:
    """Return the state without what changes all the time, and needs no state of its own."""
    return replace(robot, pose=None, twist=RobotState().twist, battery_pct=round(robot.battery_pct))
