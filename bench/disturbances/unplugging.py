"""A driver process, with robots that are unplugged and plugged in again, and others that keep driving."""

import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from subprocess import Popen

import yaml
from geometry_msgs.msg import PoseStamped
from rclpy.qos import qos_profile_sensor_data

from aseba_link.link.listener import Listener
from aseba_link.wire.message import encode, from_words
from bench.disturbances.proxy import Proxy
from fleet.client.fleet_client import FleetClient
from fleet.commands.processes import Processes, driver_command, simulator_command
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState, SentGoal
from thymio_base.ros.stamps import time_from_ros

READY_S = 40.0

_STEADY_S = 4.0  # discovery repeats what was lost every 3 s
_SILENT_S = 4.0  # a node is lost after 3 s
_REACH_M = 0.25
_WALKS = (Pose2D(_REACH_M, 0.0, 0.0), Pose2D(0.0, 0.0, 0.0))


class DriverOutage(Enum):
    """Interruptions of the connection to robots; values are printed."""

    CLOSED = "connection closed"
    CUT = "cut in the middle of a message"
    SILENT = "silent for 4 s"
    KILLED = "simulator killed and started again"


@dataclass(frozen=True, slots=True)
class Footprint:
    """The resources of a driver: kernel objects of its process, and entities in the ROS graph."""

    threads: int
    files: int
    nodes: int
    entities: int


class Unplugging:
    """A driver with two targets, one of which is unplugged again and again; must be closed.

    Parameters
    ----------
    folder : for configurations and logs
    unplugged : number of robots that are unplugged, from id 1
    steady : number of robots on the other target, which drive back and forth
    """

    def __init__(self, folder: Path, unplugged: int = 8, steady: int = 2) -> None:
        self.back_s: dict[DriverOutage, list[float]] = defaultdict(list)
        self.goals: list[SentGoal] = []
        self._folder = folder
        self._unplugged_ids = range(1, unplugged + 1)
        self._steady_ids = range(unplugged + 1, unplugged + steady + 1)
        self._processes = Processes()
        robots_port, steady_port = _free_port(), _free_port()
        self._robots_world = _write_world(folder / "robots.yaml", robots_port, self._unplugged_ids)
        steady_world = _write_world(folder / "steady.yaml", steady_port, self._steady_ids)
        self._robots = self._start_robots()
        self._start("steady", [*simulator_command(steady_world), "--no-ros"])
        self._proxy = Proxy(robots_port)
        targets = {self._proxy.port: self._unplugged_ids, steady_port: self._steady_ids}
        config = _write_config(folder / "fleet.yaml", targets)
        self._driver = self._start("driver", driver_command(config))
        self._client = FleetClient()
        self._stamps_ns: dict[int, list[int]] = {robot_id: [] for robot_id in self._steady_ids}
        self._watch()

    def close(self) -> None:
        """End all processes."""
        self._client.close()
        self._processes.stop()
        self._proxy.close()

    def wait_until_ready(self) -> None:
        """Wait until every robot is connected; raise RuntimeError with the driver's log otherwise."""
        self._wait_for(lambda: self._count("connected", [*self._unplugged_ids, *self._steady_ids]) == self._robot_count)

    def go_through(self, outage: DriverOutage) -> None:
        """Cause an outage, and wait until all robots are back."""
        started_s = time.monotonic()
        self._break(outage)
        self._wait_for(lambda: self._count("connected", self._unplugged_ids) < len(self._unplugged_ids))
        self._mend(outage)
        self._wait_for(lambda: self._count("connected", self._unplugged_ids) == len(self._unplugged_ids))
        self.back_s[outage].append(time.monotonic() - started_s)

    def forget_gaps(self) -> None:
        """Reset the gaps."""
        for stamps_ns in self._stamps_ns.values():
            stamps_ns.clear()

    def largest_gap_s(self) -> float:
        """Return the longest time between the stamps of two poses of a steady robot."""
        gaps_ns = [
            after - before for stamps_ns in self._stamps_ns.values() for before, after in itertools.pairwise(stamps_ns)
        ]
        return max(gaps_ns) * 1e-9

    def footprint(self) -> Footprint:
        """Return the driver's resources, once they and the discovered entities have not changed for a while."""
        footprint, since_s = self._footprint(), time.monotonic()

        def is_steady() -> bool:
            nonlocal footprint, since_s
            self._drive()
            latest = self._footprint()
            if latest != footprint:
                footprint, since_s = latest, time.monotonic()
            return time.monotonic() - since_s > _STEADY_S

        if not self._client.spin_until(is_steady, READY_S):
            raise RuntimeError(f"the driver's resources keep changing for {READY_S:g} s: {footprint}")
        return footprint

    def _footprint(self) -> Footprint:
        process = Path(f"/proc/{self._driver.pid}")
        node = self._client.node
        names = [pair for pair in node.get_node_names_and_namespaces() if not pair[0].startswith(node.get_name())]
        entities = sum(
            len(list_names(*name))
            for name in names
            for list_names in (
                node.get_publisher_names_and_types_by_node,
                node.get_subscriber_names_and_types_by_node,
                node.get_service_names_and_types_by_node,
                node.get_client_names_and_types_by_node,
            )
        )
        return Footprint(
            len(list((process / "task").iterdir())), len(list((process / "fd").iterdir())), len(names), entities
        )

    @property
    def _robot_count(self) -> int:
        return len(self._unplugged_ids) + len(self._steady_ids)

    def _count(self, link: str, robot_ids: Sequence[int]) -> int:
        return sum(self._client.value(robot_id, "link") == link for robot_id in robot_ids)

    def _break(self, outage: DriverOutage) -> None:
        match outage:
            case DriverOutage.CLOSED:
                self._proxy.cut()
            case DriverOutage.CUT:
                self._proxy.cut(encode(from_words(1, 1, range(5)))[:-3])
            case DriverOutage.SILENT:
                self._proxy.is_frozen = True
                self._client.spin_until(self._drive, _SILENT_S)
            case DriverOutage.KILLED:
                self._robots.kill()
                self._robots.wait()

    def _mend(self, outage: DriverOutage) -> None:
        self._proxy.is_frozen = False
        if outage is DriverOutage.KILLED:
            self._robots = self._start_robots()

    def _wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait, while the steady robots drive."""
        if not self._client.spin_until(lambda: self._drive() or condition(), READY_S):
            log = (self._folder / "driver.log").read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"robots were not ready within {READY_S:g} s; the driver's log:\n{log}")

    def _drive(self) -> bool:
        """Send a goal to every steady robot without one; return False."""
        for robot_id in self._steady_ids:
            own = [goal for goal in self.goals if goal.robot_id == robot_id]
            if self._client.value(robot_id, "state") == "idle" and (not own or own[-1].state.is_final):
                place = _home(robot_id).compose(_WALKS[len(own) % len(_WALKS)])
                self.goals.append(self._client.go_to(robot_id, place))
        return False

    def failed_goals(self) -> int:
        """Return how many goals of the steady robots did not succeed."""
        return sum(goal.state.is_final and goal.state is not GoalState.SUCCEEDED for goal in self.goals)

    def _watch(self) -> None:
        for robot_id in [*self._unplugged_ids, *self._steady_ids]:
            self._client.watch(robot_id)
        for robot_id, stamps_ns in self._stamps_ns.items():
            self._client.node.create_subscription(
                PoseStamped,
                f"/factory/robot_{robot_id}/pose",
                lambda message, stamps_ns=stamps_ns: stamps_ns.append(time_from_ros(message.header.stamp)),
                qos_profile_sensor_data,
            )

    def _start_robots(self) -> Popen[bytes]:
        return self._start("robots", [*simulator_command(self._robots_world), "--no-ros"])

    def _start(self, name: str, command: list[str]) -> Popen[bytes]:
        with (self._folder / f"{name}.log").open("ab") as log:
            return self._processes.start(name, command, log)


def _home(robot_id: int) -> Pose2D:
    """Return a robot's start: a row along y, a metre from the wall."""
    return Pose2D(1.0, float(robot_id), 0.0)


def _write_world(path: Path, port: int, robot_ids: Sequence[int]) -> Path:
    homes = [_home(robot_id) for robot_id in robot_ids]
    robots = [
        {"node_id": robot_id, "x_m": home.x_m, "y_m": home.y_m} for robot_id, home in zip(robot_ids, homes, strict=True)
    ]
    world = {"network": {"port": port}, "arena": {"width_m": 3.0, "height_m": robot_ids[-1] + 1.0}, "robots": robots}
    path.write_text(yaml.safe_dump(world), encoding="utf-8")
    return path


def _write_config(path: Path, robot_ids: Mapping[int, Sequence[int]]) -> Path:
    """Write a fleet whose robots are located by odometry alone and publish their status often."""
    robots = [
        {
            "id": robot_id,
            "node_id": robot_id,
            "target": _target(port),
            "home": {"x_m": _home(robot_id).x_m, "y_m": _home(robot_id).y_m},
        }
        for port, own_ids in robot_ids.items()
        for robot_id in own_ids
    ]
    fleet = {"link": {"targets": [_target(port) for port in robot_ids]}, "rates": {"status_hz": 10}, "robots": robots}
    path.write_text(yaml.safe_dump(fleet), encoding="utf-8")
    return path


def _target(port: int) -> str:
    return f"tcp:host=127.0.0.1;port={port}"


def _free_port() -> int:
    listener = Listener("127.0.0.1", 0)
    port = listener.port
    listener.close()
    return port
