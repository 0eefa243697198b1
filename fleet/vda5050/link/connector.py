"""The program `thymio-fleet vda5050`: serves all vehicles of a fleet on one node."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from selectors import DefaultSelector
from typing import Any, Final

from std_msgs.msg import UInt32

from fleet.client.graph_client import GraphClient
from fleet.errors import FleetError
from fleet.geometry import Pose2D
from fleet.interface.names import IDENTIFY_TOPIC
from fleet.interface.quality import IDENTIFY_QOS
from fleet.settings.config import FleetConfig, RobotConfig, load_config
from fleet.vda5050.link.connected_vehicle import ConnectedVehicle, VehicleHost
from fleet.vda5050.link.mqtt_line import serve_sockets
from fleet.vda5050.link.off_duty import OffDuty
from fleet.vda5050.order.order_rules import VehicleRules
from fleet.watch.driver_poses import DriverPoses
from fleet.watch.robot_watch import RobotWatch
from fleet.work.objections import objection_to_numbers, objection_to_poses
from thymio_base.fence import Fence
from thymio_base.logs.folders import state_folder
from thymio_base.logs.json_log import start_json_log
from thymio_base.number_text import number_text, robots_text
from thymio_base.ros.ros_domain import ros_domain_id
from thymio_base.stop_signal import StopSignal, say

_PROGRAM: Final = "thymio_fleet_vda5050"
_PERIOD_S: Final = 0.125  # half of the time between two looks at a robot; messages of masters are read at once
_ADAPT_S: Final = 0.5  # while a robot is silent
_DUTY_S: Final = 2.0
_STEADY_S: Final = 5.0  # questions to the graph are dear


class TwinError(FleetError, RuntimeError):
    """Another connector serves a vehicle with the same name at the same broker."""


def run_connector(path: Path) -> None:
    """Serve the master control until SIGINT or SIGTERM.

    Raises
    ------
    ConfigError
        The fleet file has mistakes.
    BrokerError
        Certificates or the password cannot be read.
    TwinError
        Another connector serves a vehicle with the same name.
    """
    start_json_log(_PROGRAM, sys.argv, path)
    config = load_config(path)
    stop = StopSignal()
    with closing(Connector(config, say)) as connector:
        say(f"vda5050: {config.vda5050.version}, broker {config.vda5050.broker}")
        connector.run(lambda: stop.is_requested)


class Connector:
    """Connects the robots of a fleet to a broker; `log` takes a line for people."""

    def __init__(self, config: FleetConfig, log: Callable[[str], Any]) -> None:
        self._address: Final = config.vda5050.broker
        self._log: Final = log
        self._fence: Final = Fence()
        self._is_announced = False
        self._adapt_s = self._duty_s = 0.0
        self._graph: Final = GraphClient()
        node = self._graph.node
        self._reader: Final = self._graph.create_node(f"{node.get_name()}_reader")
        self._watch: Final = RobotWatch(self._reader, config.frame)
        self._poses: Final = DriverPoses(self._reader, config.frame)
        self._places: dict[int, Pose2D] = {}
        beeps = node.create_publisher(UInt32, IDENTIFY_TOPIC, IDENTIFY_QOS)
        folder = state_folder() / "vda5050"
        rules = _rules(config)
        self._selector: Final = DefaultSelector()
        host = VehicleHost(
            config,
            rules,
            node,
            self._reader,
            self._watch,
            self._places,
            beeps,
            self._selector,
            ros_domain_id(),
            folder,
            log,
        )
        self.vehicles: Final = [ConnectedVehicle(robot, host) for robot in served_robots(config)]
        self._robot_ids: Final = [vehicle.robot_id for vehicle in self.vehicles]
        self._off_duty: Final = OffDuty(node, self._robot_ids)
        self._graph.settle()

    def run(self, is_over: Callable[[], bool]) -> None:
        """Serve the master until `is_over`.

        Raises
        ------
        TwinError
            Another connector serves a vehicle.
        """
        while not is_over():
            serve_sockets(self._selector, _PERIOD_S)
            self._graph.poll()
            self._advance()

    def _advance(self) -> None:
        now_s = time.monotonic()
        if now_s > self._adapt_s:
            self._watch.statuses.adapt()
            is_complete = all(vehicle.is_known for vehicle in self.vehicles)
            self._adapt_s = now_s + (_STEADY_S if is_complete else _ADAPT_S)
        self._fence.call("poses of drivers", self._take_poses)
        for vehicle in self.vehicles:
            self._fence.call(vehicle.door, vehicle.advance)
        twins = [vehicle.robot_id for vehicle in self.vehicles if vehicle.is_twin]
        if twins:
            raise TwinError(
                f"{robots_text(twins)}: another connector serves vehicles with these names at {self._address}; "
                "end it first, or choose another vda5050.interface or vda5050.manufacturer"
            )
        if now_s > self._duty_s:
            self._duty_s = now_s + _DUTY_S
            if self._off_duty.advance():
                self._log(f"{robots_text(self._robot_ids)}: off duty for jobs, as the master control is in charge")
        if not self._is_announced and all(vehicle.takes_orders for vehicle in self.vehicles):
            self._is_announced = True
            self._log(f"{robots_text(self._robot_ids)}: online at {self._address}")

    def _take_poses(self) -> None:
        for poses in self._poses.take(time.monotonic_ns()):
            self._places.update((robot_id, pose) for robot_id, pose in poses.items() if robot_id in self._robot_ids)

    def close(self) -> None:
        """Leave the broker and the graph."""
        for vehicle in self.vehicles:
            self._fence.call(vehicle.door, vehicle.close)
        if self._off_duty.is_confirmed:
            ids = " ".join(map(str, self._robot_ids))
            self._log(f"robots {number_text(self._robot_ids)} stay off duty; `thymio-fleet duty {ids} in` ends that")
        self._graph.poll()
        self._reader.destroy_node()
        self._graph.close()


def served_robots(config: FleetConfig) -> Sequence[RobotConfig]:
    """Return the robots that are vehicles."""
    chosen = config.vda5050.robots
    return [robot for robot in config.robots if not chosen or robot.id in chosen]


def _rules(config: FleetConfig) -> VehicleRules:
    """Return the capabilities of the vehicles."""

    def objection(x_m: float, y_m: float) -> str:
        poses = [Pose2D(x_m, y_m, 0.0)]
        found = objection_to_numbers(poses) or objection_to_poses(poses, config)
        return "" if found is None else str(found)

    limits = config.motion.limits
    return VehicleRules(config.frame, limits.speed_mps, limits.acceleration_mps2, config.tasks.dwell_s, objection)
