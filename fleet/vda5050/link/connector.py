"""All vehicles of a fleet on one node: the program of `thymio-fleet vda5050`."""

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from std_msgs.msg import UInt32

from fleet.client.graph_client import GraphClient
from fleet.errors import FleetError
from fleet.geometry import Pose2D
from fleet.interface.names import IDENTIFY_TOPIC
from fleet.interface.quality import IDENTIFY_QOS
from fleet.settings.config import FleetConfig, RobotConfig
from fleet.vda5050.link.connected_vehicle import ConnectedVehicle, VehicleParts
from fleet.vda5050.link.kept_vehicles import KeptVehicle
from fleet.vda5050.link.mqtt_line import BrokerAccess, BrokerError, MqttLine
from fleet.vda5050.link.off_duty import OffDuty
from fleet.vda5050.link.order_topic import OrderTopic
from fleet.vda5050.link.robot_observer import RobotObserver
from fleet.vda5050.link.robot_placing import RobotPlacing
from fleet.vda5050.link.route_client import RouteClient
from fleet.vda5050.order.order_rules import VehicleRules
from fleet.vda5050.vehicle.vehicle import Vehicle, VehicleIdentity
from fleet.vda5050.wire.factsheet import VehicleTraits
from fleet.vda5050.wire.vda_version import VdaVersion
from fleet.vda5050.wire.vehicle_state import ConnectionState
from fleet.watch.robot_watch import RobotWatch
from fleet.work.objections import objection_to_numbers, objection_to_poses
from thymio_base.fence import Fence
from thymio_base.number_text import number_text, robots_text

_PERIOD_S: Final = 0.05
_ADAPT_S: Final = 0.5  # while a robot is silent
_STEADY_S: Final = 5.0  # questions to the graph are dear
_RUN_ID_MAX: Final = 60  # characters of an order's id in that of a task


class TwinError(FleetError, RuntimeError):
    """Another connector serves a vehicle with the same name at the same broker."""


@dataclass(frozen=True, slots=True)
class ConnectorPlaces:
    """Where a connector works: the domain of ROS, and the folder of what it keeps."""

    domain: int
    folder: Path


class Connector:
    """Connects the robots of a fleet to a broker.

    Parameters
    ----------
    config : of the fleet
    places : where it works
    log : takes a line for people
    """

    def __init__(self, config: FleetConfig, places: ConnectorPlaces, log: Callable[[str], Any]) -> None:
        self._config: Final = config
        self._log: Final = log
        self._fence: Final = Fence()
        self._is_announced = False
        self._adapt_s = self._duty_s = 0.0
        self._access: Final = _access(config)
        self._graph: Final = GraphClient()
        self._reader: Final = self._graph.create_node(f"{self._graph.node.get_name()}_reader")
        self._watch: Final = RobotWatch(self._reader, config.frame)
        self._beeps: Final = self._graph.node.create_publisher(UInt32, IDENTIFY_TOPIC, IDENTIFY_QOS)
        robots = served_robots(config)
        self._off_duty: Final = OffDuty(self._graph.node, [robot.id for robot in robots])
        self.vehicles: Final = [self._connected(robot, places) for robot in robots]
        self._graph.settle()

    def run(self, is_over: Callable[[], bool]) -> None:
        """Serve the master until `is_over`.

        Raises
        ------
        TwinError
            Another connector serves a vehicle.
        """
        for vehicle in self.vehicles:
            vehicle.open()
        while not is_over():
            self._graph.spin_until(is_over, _PERIOD_S)
            self.advance()

    def advance(self) -> None:
        """Go on with all vehicles.

        Raises
        ------
        TwinError
            Another connector serves a vehicle.
        """
        now_s = time.monotonic()
        if now_s > self._adapt_s:
            self._watch.statuses.adapt()
            is_complete = len(self._watch.statuses) == len(self.vehicles)
            self._adapt_s = now_s + (_STEADY_S if is_complete else _ADAPT_S)
        for vehicle in self.vehicles:
            self._fence.call(f"vehicle of robot {vehicle.robot_id}", vehicle.advance)
        twins = [vehicle.robot_id for vehicle in self.vehicles if vehicle.is_twin]
        if twins:
            raise TwinError(
                f"{robots_text(twins)}: another connector serves vehicles with these names at {self._access.address}; "
                "end it first, or choose another vda5050.interface or vda5050.manufacturer"
            )
        if now_s > self._duty_s:
            self._duty_s = now_s + _ADAPT_S
            self._advance_duty()
        if not self._is_announced and all(vehicle.takes_orders for vehicle in self.vehicles):
            self._is_announced = True
            self._log(f"{robots_text(self._robot_ids)}: online at {self._access.address}")

    def _advance_duty(self) -> None:
        if self._off_duty.advance():
            self._log(f"{robots_text(self._robot_ids)}: off duty for jobs, as the master control is in charge")

    def close(self) -> None:
        """Leave the broker and the graph."""
        for vehicle in self.vehicles:
            self._fence.call(f"vehicle of robot {vehicle.robot_id}", vehicle.close)
        if self._off_duty.is_confirmed:
            ids = " ".join(map(str, self._robot_ids))
            self._log(f"robots {number_text(self._robot_ids)} stay off duty; `thymio-fleet duty {ids} in` ends that")
        self._graph.poll()
        self._reader.destroy_node()
        self._graph.close()

    @property
    def _robot_ids(self) -> list[int]:
        return [vehicle.robot_id for vehicle in self.vehicles]

    def _connected(self, robot: RobotConfig, places: ConnectorPlaces) -> ConnectedVehicle:
        config, settings = self._config, self._config.vda5050
        identity = VehicleIdentity(settings.interface, VdaVersion(settings.version), settings.manufacturer, robot.name)
        dwell_s = config.tasks.dwell_s
        limits = config.motion.limits
        traits = VehicleTraits(limits.speed_mps, limits.acceleration_mps2, dwell_s)
        vehicle = Vehicle(identity, VehicleRules(config.frame, dwell_s, self._objection), traits, _new_run_id)
        will = vehicle.connection(ConnectionState.BROKEN, time.time_ns())
        routes = RouteClient(robot.id, self._graph.node, self._reader, limits.speed_mps)
        master = f"{self._access.address} {settings.interface}/{identity.version.topic_part}/{settings.manufacturer}"
        parts = VehicleParts(
            vehicle,
            MqttLine(self._access, identity, will, self._log),
            KeptVehicle(places.folder, places.domain, self._access.address, identity),
            RobotObserver(robot.id, self._watch, routes.is_own),
            routes,
            OrderTopic(self._graph.node, robot.id, vehicle, f"{master}/{robot.name}"),
            RobotPlacing(self._graph.node, robot.node_id),
        )
        return ConnectedVehicle(robot.id, parts, self._beeps, self._log)

    def _objection(self, x_m: float, y_m: float) -> str:
        """Return why robots cannot stand at a place; "" if they can."""
        poses = [Pose2D(x_m, y_m, 0.0)]
        found = objection_to_numbers(poses) or objection_to_poses(poses, self._config)
        return "" if found is None else str(found)


def served_robots(config: FleetConfig) -> Sequence[RobotConfig]:
    """Return the robots that are vehicles."""
    chosen = config.vda5050.robots
    return [robot for robot in config.robots if not chosen or robot.id in chosen]


def _access(config: FleetConfig) -> BrokerAccess:
    settings = config.vda5050
    password_file = settings.file(settings.password_file, config.path)
    password = ""
    if password_file is not None:
        try:
            password = password_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BrokerError(f"vda5050.password_file {password_file} cannot be read: {error}") from error
    files = [settings.file(name, config.path) for name in (settings.ca_file, settings.cert_file, settings.key_file)]
    return BrokerAccess(settings.broker, settings.user, password, *files)


def _new_run_id(order_id: str) -> str:
    """Return an id for a task: masters use the ids of orders again, and drivers never do."""
    readable = "".join(letter if letter.isprintable() else "_" for letter in order_id).strip()[:_RUN_ID_MAX]
    return f"{readable.strip() or 'order'}-{uuid.uuid4().hex[:12]}"
