"""A vehicle with its robot, its line to the broker and its files."""

import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from selectors import BaseSelector
from typing import Any, Final

from rclpy.node import Node
from rclpy.publisher import Publisher
from std_msgs.msg import UInt32

from fleet.geometry import Pose2D
from fleet.settings.config import FleetConfig, RobotConfig
from fleet.vda5050.link.kept_vehicles import KeptVehicle
from fleet.vda5050.link.mqtt_line import MqttLine
from fleet.vda5050.link.order_topic import OrderTopic
from fleet.vda5050.link.robot_observer import RobotObserver
from fleet.vda5050.link.robot_placing import RobotPlacing
from fleet.vda5050.link.route_client import RouteClient, new_run_id
from fleet.vda5050.order.order_graph import ActionType, BlockingType
from fleet.vda5050.order.order_rules import VehicleRules
from fleet.vda5050.vehicle.received_messages import Topic
from fleet.vda5050.vehicle.vehicle import OutgoingMessage, Vehicle, VehicleIdentity
from fleet.vda5050.wire.state_codec import ConnectionState
from fleet.vda5050.wire.vda_version import VdaVersion
from fleet.watch.robot_watch import RobotWatch
from thymio_base.errors import TextError
from thymio_base.texts.json_text import read_json

_ASKING_S: Final = 3.0  # within which another connector of the same name would answer
_LOOK_S: Final = 0.25  # period of looking at the robot, unless something has happened
_RACE_S: Final = 15.0  # within which a connector started at the same time may be noticed late
_TOLD_S: Final = 60.0  # between two log lines about another connector
_OWN_MAX: Final = 50  # own messages on the connection topic, remembered to recognize them on return
_KEPT_S: Final = 1.0  # within which the broker sends retained messages
_OWN: Final = (Topic.CONNECTION,)
_OF_MASTER: Final = (Topic.ORDER, Topic.INSTANT_ACTIONS, Topic.CONNECTION)


@dataclass(frozen=True, slots=True)
class VehicleHost:
    """What the vehicles of a connector share."""

    config: FleetConfig
    rules: VehicleRules
    node: Node  # is served, and owns clients and publishers
    reader: Node  # has no executor, and owns subscriptions
    watch: RobotWatch
    places: dict[int, Pose2D]  # the latest poses of robots whose driver publishes them together
    beeps: Publisher  # lets robots beep
    selector: BaseSelector  # of all sockets
    domain: int  # of ROS
    folder: Path  # of what is kept
    log: Callable[[str], Any]  # takes a line for people


class ConnectedVehicle:
    """Moves messages between the master, the vehicle and the robot, in steps that never wait."""

    def __init__(self, robot: RobotConfig, host: VehicleHost) -> None:
        settings = host.config.vda5050
        identity = VehicleIdentity(settings.interface, VdaVersion(settings.version), settings.manufacturer, robot.name)
        self.robot_id: Final = robot.id
        self.door: Final = f"vehicle of robot {robot.id}"  # at the fence
        self.vehicle: Final = Vehicle(identity, host.rules, new_run_id)
        self._host: Final = host
        will = self.vehicle.connection(ConnectionState.BROKEN, time.time_ns())
        self._line: Final = MqttLine(settings, identity, will, self.vehicle.received, host.selector, log=host.log)
        self._kept: Final = KeptVehicle(host.folder, host.domain, settings.broker, identity)
        self._routes: Final = RouteClient(robot.id, host.node, host.reader, host.rules.speed_mps)
        self._observer: Final = RobotObserver(robot.id, host.watch, host.places, self._routes.is_own)
        master = f"{settings.broker} {identity.topic(Topic.ORDER).rpartition('/')[0]}"
        self._topic: Final = OrderTopic(host.node, robot.id, self.vehicle, master)
        self._placing: Final = RobotPlacing(host.node, robot.node_id)
        self._connects = 0
        self._look_s = self._asked_s = self._opened_s = self._entered_s = self._told_s = 0.0
        self._is_checked = False
        self._own: deque[bytes] = deque(maxlen=_OWN_MAX)
        self.takes_orders = False
        self.is_twin = False  # another connector serves this vehicle already; nothing is done then
        if self._kept.restore(self.vehicle.machine):
            run_id = self.vehicle.machine.run.run_id
            if run_id:
                self._routes.adopt(run_id)
            host.log(f"{identity.serial}: goes on with order {self.vehicle.machine.order_id!r}")
        elif self._kept.trouble:
            host.log(self._kept.trouble)

    @property
    def is_known(self) -> bool:
        """Whether the robot has published its status."""
        return bool(self._observer.values)

    def advance(self) -> None:
        """Continue if something has happened, and periodically."""
        line, routes, machine, now_s = self._line, self._routes, self.vehicle.machine, time.monotonic()
        line.advance()
        has_news = bool(self.vehicle.received) or routes.has_news
        if not has_news and now_s < self._look_s:
            return
        self._look_s = now_s if has_news else now_s + _LOOK_S
        self._meet_others()
        robot = self._observer.observe(routes.is_over)
        report = routes.advance(self._observer.values, self._observer.heard_s)
        if report is not None:
            machine.on_run(report)
        answer = routes.answer()
        if answer is not None:
            machine.on_extension(*answer)
        request = self.vehicle.advance(robot, time.monotonic_ns())
        self._placing.advance(machine)
        if trouble := self._kept.keep(machine):
            self._host.log(trouble)
        if request is not None:
            routes.request(request)
            self._look_s = now_s
        self._connect()
        if self.takes_orders and line.is_connected:
            for message in self.vehicle.outgoing(time.monotonic_ns(), time.time_ns()):
                line.publish(message)
        if self.vehicle.take_beep():
            self._host.beeps.publish(UInt32(data=self.robot_id))
        self._topic.publish(robot.control, is_connected=line.is_connected)

    def close(self) -> None:
        """Publish that the vehicle is offline; the robot's task ends with its client."""
        self._topic.clear()
        self._kept.keep(self.vehicle.machine)
        last = self.vehicle.connection(ConnectionState.OFFLINE, time.time_ns()) if self.takes_orders else None
        self._line.close(last)

    def _connect(self) -> None:
        """Connect to the broker, once it is certain that no other connector serves this vehicle."""
        if self._line.connects != self._connects:
            self._connects = self._line.connects
            self._opened_s = time.monotonic()
            if self._is_checked:
                self._enter()
            else:
                self._line.subscribe(_OWN)
        if self._is_checked or not self._connects or self.is_twin:
            return
        waited_s = time.monotonic() - (self._asked_s or self._opened_s)
        if waited_s > (_ASKING_S if self._asked_s else _KEPT_S):
            self._is_checked, self._entered_s = True, time.monotonic()
            self._line.unsubscribe((Topic.STATE,))
            self._enter()

    def _enter(self) -> None:
        self._line.subscribe(_OF_MASTER)
        self._publish_connection()
        self.vehicle.connect()
        self.takes_orders = True

    def _publish_connection(self) -> None:
        message = self.vehicle.connection(ConnectionState.ONLINE, time.time_ns())
        self._own.append(message.payload.encode())
        self._line.publish(message)

    def _meet_others(self) -> None:
        """Look at what other programs publish in this vehicle's name."""
        is_contradicted = False
        while (taken := self.vehicle.received.take(Topic.CONNECTION)) is not None:
            is_contradicted = self._meet(*taken) or is_contradicted
        if is_contradicted:
            self._publish_connection()
        while self.vehicle.received.take(Topic.STATE) is not None:
            self.is_twin = self.is_twin or not self._is_checked

    def _meet(self, payload: bytes, is_kept: bool) -> bool:
        """Look at a message about this vehicle's connection; return whether another program reports it gone."""
        if payload in self._own:
            return False
        is_online = _text(payload, "connectionState") == ConnectionState.ONLINE.name
        if not self._is_checked:
            if is_online and not self._asked_s:
                self._ask()
        elif is_online and not is_kept:
            is_race = time.monotonic() - self._entered_s < _RACE_S
            written, *own = [(_text(one, "timestamp"), one) for one in (payload, *self._own)]
            is_later = written < min(own)  # of two stamps in the same form, the earlier one is less
            self.is_twin = self.is_twin or (is_race and is_later)
            if not self._told_s or time.monotonic() - self._told_s > _TOLD_S:
                self._told_s = time.monotonic()
                name = self.vehicle.identity.serial
                self._host.log(f"{name}: another connector has connected to the broker with this name")
        return self._is_checked and not is_online and not is_kept

    def _ask(self) -> None:
        """Ask whether a connector is behind the "online" message: a live connector answers with a state."""
        self._asked_s = time.monotonic()
        self._line.subscribe((Topic.STATE,))
        kinds = {"actionType": ActionType.STATE_REQUEST.value, "blockingType": BlockingType.NONE.value}
        action = {"actionId": f"is-there-another-{secrets.token_hex(4)}", **kinds, "actionParameters": []}
        text = self.vehicle.identity.message(0, time.time_ns(), {"actions": [action]})
        self._line.publish(OutgoingMessage(Topic.INSTANT_ACTIONS, text))


def _text(payload: bytes, key: str) -> str:
    try:
        values = read_json(payload)
    except TextError:
        return ""
    return str(values.get(key, "")) if isinstance(values, dict) else ""
