"""One vehicle with its robot, its line to the broker and its file."""

import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, assert_never

from rclpy.publisher import Publisher
from std_msgs.msg import UInt32

from fleet.vda5050.link.kept_vehicles import KeptVehicle
from fleet.vda5050.link.mqtt_line import MqttLine
from fleet.vda5050.link.order_topic import OrderTopic
from fleet.vda5050.link.robot_observer import RobotObserver
from fleet.vda5050.link.robot_placing import RobotPlacing
from fleet.vda5050.link.route_client import RouteClient
from fleet.vda5050.order.order_graph import ActionType, BlockingType
from fleet.vda5050.vehicle.vehicle import Topic, Vehicle
from fleet.vda5050.wire.vehicle_state import ConnectionState
from thymio_base.errors import TextError
from thymio_base.texts.json_text import read_json

_ASKING_S: Final = 3.0  # in which another connector of the same name would answer
_LOOK_S: Final = 0.2  # between two looks at the robot, unless something has happened
_RACE_S: Final = 15.0  # in which a connector that was started at the same time may be noticed too late
_KEPT_S: Final = 1.0  # in which the broker sends what it has kept
_OWN: Final = (Topic.CONNECTION,)
_OF_MASTER: Final = (Topic.ORDER, Topic.INSTANT_ACTIONS, Topic.CONNECTION)


@dataclass(frozen=True, slots=True)
class VehicleParts:
    """What a connected vehicle is made of."""

    vehicle: Vehicle
    line: MqttLine
    kept: KeptVehicle
    observer: RobotObserver
    routes: RouteClient
    topic: OrderTopic
    placing: RobotPlacing


class ConnectedVehicle:
    """Moves messages between the master, the vehicle and the robot, in steps that never wait.

    Parameters
    ----------
    robot_id : the robot
    parts : the rest
    beeps : the topic that lets robots beep
    log : takes a line for people

    Attributes
    ----------
    is_twin : whether another connector serves this vehicle already; nothing is done then
    """

    def __init__(self, robot_id: int, parts: VehicleParts, beeps: Publisher, log: Callable[[str], Any]) -> None:
        self.robot_id: Final = robot_id
        self.vehicle: Final = parts.vehicle
        self._parts: Final = parts
        self._beeps: Final = beeps
        self._log: Final = log
        self._connects = 0
        self._look_s = 0.0
        self._asked_s = self._opened_s = 0.0
        self._is_checked = self._is_entered = False
        self._own: set[bytes] = set()
        self._entered_s = 0.0
        self.is_twin = False
        if parts.kept.restore(self.vehicle.machine):
            run_id = self.vehicle.machine.run.run_id
            if run_id:
                parts.routes.adopt(run_id)
            log(f"{self.vehicle.identity.serial}: goes on with order {self.vehicle.machine.order_id!r}")
        self._kept_trouble = ""
        self._tell_trouble()

    @property
    def takes_orders(self) -> bool:
        """Whether the master's orders are received."""
        return self._is_entered

    def open(self) -> None:
        """Start to connect to the broker."""
        self._parts.line.open()

    def advance(self) -> None:
        """Go on if something has happened, and else now and then."""
        parts, machine, now_s = self._parts, self.vehicle.machine, time.monotonic()
        has_news = self._receive() or parts.routes.has_news
        if not has_news and now_s < self._look_s:
            return
        self._look_s = now_s if has_news else now_s + _LOOK_S
        facts, robot = parts.observer.observe(parts.routes.is_over)
        report = parts.routes.advance(parts.observer.values, parts.observer.heard_s)
        if report is not None:
            machine.on_run(report)
        answer = parts.routes.answer()
        if answer is not None:
            machine.on_extension(*answer)
        request = self.vehicle.advance(facts, robot, time.monotonic_ns())
        parts.placing.advance(machine)
        parts.kept.keep(machine)
        self._tell_trouble()
        if request is not None:
            parts.routes.request(request)
            self._look_s = now_s
        self._connect()
        if self._is_entered and parts.line.is_connected:
            for message in self.vehicle.outgoing(time.monotonic_ns(), time.time_ns()):
                parts.line.publish(message)
        if self.vehicle.take_beep():
            self._beeps.publish(UInt32(data=self.robot_id))
        parts.topic.publish(self.vehicle.order_state(), robot, is_connected=parts.line.is_connected)

    def close(self) -> None:
        """Tell the master that the vehicle is switched off; the robot's task ends with its client."""
        self._parts.topic.clear()
        self._parts.kept.keep(self.vehicle.machine)
        last = self.vehicle.connection(ConnectionState.OFFLINE, time.time_ns()) if self._is_entered else None
        self._parts.line.close(last)

    def _tell_trouble(self) -> None:
        """Log why the file cannot be read or written, once."""
        trouble = self._parts.kept.trouble
        if trouble != self._kept_trouble:
            self._kept_trouble = trouble
            if trouble:
                self._log(trouble)

    def _connect(self) -> None:
        """Enter the broker, after it is certain that no other connector serves this vehicle."""
        line = self._parts.line
        if line.connects != self._connects:
            self._connects = line.connects
            self._opened_s = time.monotonic()
            if self._is_checked:
                self._enter()
            else:
                line.subscribe(_OWN)
        if self._is_checked or not self._connects or self.is_twin:
            return
        waited_s = time.monotonic() - (self._asked_s or self._opened_s)
        if waited_s > (_ASKING_S if self._asked_s else _KEPT_S):
            self._is_checked, self._entered_s = True, time.monotonic()
            self._enter()

    def _enter(self) -> None:
        line = self._parts.line
        line.subscribe(_OF_MASTER)
        self._publish_connection()
        self.vehicle.connect()
        self._is_entered = True

    def _publish_connection(self) -> None:
        message = self.vehicle.connection(ConnectionState.ONLINE, time.time_ns())
        self._own.add(message.payload.encode())
        self._parts.line.publish(message)

    def _receive(self) -> bool:
        """Take the messages that have arrived; return whether there was one."""
        is_any = False
        while (received := self._parts.line.take()) is not None:
            is_any = True
            topic, payload, is_kept = received
            match topic:
                case Topic.ORDER:
                    self.vehicle.queue.put_order(payload)
                case Topic.INSTANT_ACTIONS:
                    self.vehicle.queue.put_instant(payload)
                case Topic.CONNECTION:
                    self._meet(payload, is_kept)
                case Topic.STATE:
                    self.is_twin = self.is_twin or not self._is_checked
                case Topic.FACTSHEET | Topic.VISUALIZATION:
                    pass  # not subscribed to
                case _:
                    assert_never(topic)
        return is_any

    def _meet(self, payload: bytes, is_kept: bool) -> None:
        """Look at a message on this vehicle's connection that another program has published."""
        if payload in self._own:
            return
        is_online = _is_online(payload)
        if not self._is_checked:
            if is_online and not self._asked_s:
                self._ask()
        elif is_online and not is_kept:
            is_race = time.monotonic() - self._entered_s < _RACE_S
            is_later = (_stamp(payload), payload) < min((_stamp(own), own) for own in self._own)
            self.is_twin = self.is_twin or (is_race and is_later)
            self._log(f"{self.vehicle.identity.serial}: another connector has connected to the broker with this name")
        elif not is_online and not is_kept:
            self._publish_connection()  # the other one has left, and this one has not

    def _ask(self) -> None:
        """Ask who says that this vehicle is online: a connector that lives answers with a state."""
        self._asked_s = time.monotonic()
        line, identity = self._parts.line, self.vehicle.identity
        line.subscribe((Topic.STATE,))
        action = {
            "actionId": f"is-there-another-{secrets.token_hex(4)}",
            "actionType": ActionType.STATE_REQUEST.value,
            "blockingType": BlockingType.NONE.value,
            "actionParameters": [],
        }
        line.ask(Topic.INSTANT_ACTIONS, json.dumps(identity.header(0, time.time_ns()) | {"actions": [action]}))


def _is_online(payload: bytes) -> bool:
    return _text(payload, "connectionState") == ConnectionState.ONLINE.value


def _stamp(payload: bytes) -> str:
    """Return when a message was written; of two in the same form, the earlier one is less."""
    return _text(payload, "timestamp")


def _text(payload: bytes, key: str) -> str:
    try:
        values = read_json(payload)
    except TextError:
        return ""
    return str(values.get(key, "")) if isinstance(values, dict) else ""
