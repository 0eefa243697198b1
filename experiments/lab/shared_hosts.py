"""Several fleets in one simulated world, whose drivers share their robots' ways over a poor network.

As in a `Lab`, nothing here waits, reads a clock or opens a socket.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

import numpy as np

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.node import Node
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.thymio.events import script_constants
from aseba_link.wire.bytecode import CompiledScript
from experiments.lab.lab import NotEndedError, NotStartedError
from experiments.lab.least_distance import LeastDistance
from experiments.lab.stage import Stage
from fleet.geometry import Pose2D
from fleet.hosts.claims import DriverId
from fleet.robots.robot_status import LinkState, RobotStatus, TaskOutcome
from fleet.service.fleet_service import FleetService
from fleet.settings.config import FleetConfig, load_config
from fleet.tasks.task import go_to
from fleet.timetable.shared_ways import KnownWays, SharedWays
from simulator.world.config import load_world

_STEPS_PER_TICK: Final = 5
_AGAIN_NS: Final = 150_000_000  # time after which lost messages, except poses, are sent again
_POSES_PER_S: Final = 10
_START_LIMIT_S: Final = 60.0
Message = SharedWays | KnownWays | tuple[int, Pose2D, int]  # the tuple is a robot, its pose and the pose's stamp


class SharingHost:
    """A host with its own clocks, whose driver serves some of the robots in the world.

    Parameters
    ----------
    name : name of the host
    run : number of this run of its driver
    stage : the simulated world
    robots : homes of its robots
    settings : further lines of its fleet.yaml

    Attributes
    ----------
    outcomes : outcomes of its tasks
    """

    def __init__(self, name: str, run: int, stage: Stage, robots: Mapping[int, Pose2D], settings: str) -> None:
        lines = "\n".join(
            f"- {{id: {number}, node_id: {number}, pose_topic: /robot_{number}, home: {pose_text(start)}}}"
            for number, start in robots.items()
        )
        config = load_config(Path("fleet.yaml"), text=f"{settings}\nrobots:\n{lines}\n")
        self._compile = ScriptCompiler(
            shipped_script().with_constants(script_constants(config.rates.odometry_hz, config.reports))
        )
        self.link = AsebaLink(config.link.targets, ScriptPolicy(self._script_for), stage)
        self.service = FleetService(config, self.link)
        self.driver = DriverId(name, "/multi_thymio_driver", f"token {run} of {name}")
        self.outcomes: list[TaskOutcome] = []
        self.robot_ids = list(robots)
        self.inbox: list[tuple[int, Message]] = []  # messages with their times of delivery
        self.latest: SharedWays | None = None  # sent to hosts that join later
        self._stage = stage
        # clocks differ by hours between hosts whose names differ in length
        self._core_ahead_ns = 3_600_000_000_000 * len(name)
        self._stamp_ahead_ns = 7_200_000_000_000 * len(name)
        self._published_ns: dict[int, int] = {}
        neighbourhood = self.service.join(self.driver)
        assert neighbourhood is not None
        self.neighbourhood = neighbourhood

    @property
    def now_ns(self) -> int:
        """Present time on the core's clock."""
        return self._stage.now_ns + self._core_ahead_ns

    @property
    def stamp_ns(self) -> int:
        """Present time on the clock that stamps messages."""
        return self._stage.now_ns + self._stamp_ahead_ns

    def tick(self) -> list[Message]:
        """Receive messages, step the driver, and return the messages to send."""
        due = [message for at_ns, message in self.inbox if at_ns <= self._stage.now_ns]
        self.inbox = [(at_ns, message) for at_ns, message in self.inbox if at_ns > self._stage.now_ns]
        for message in due:
            self._receive(message)
        self.outcomes += self.service.tick(self.now_ns).outcomes
        shared = self.neighbourhood.ways_to_share(self.now_ns, self.stamp_ns)
        known = self.neighbourhood.known_to_share(self.now_ns, self.stamp_ns)
        self.latest = shared or self.latest
        return [message for message in (shared, known) if message is not None]

    def poses(self) -> list[Message]:
        """Return the new poses of all robots as messages."""
        found: list[Message] = []
        for robot_id in self.robot_ids:
            estimate = self.service.robot(robot_id).telemetry.estimate
            if estimate is not None and estimate.stamp_ns > self._published_ns.get(robot_id, 0):
                self._published_ns[robot_id] = estimate.stamp_ns
                found.append((robot_id, estimate.pose, estimate.stamp_ns + self.stamp_ns - self.now_ns))
        return found

    def status(self, robot_id: int) -> RobotStatus:
        """Return a robot's status."""
        return self.service.status(robot_id, self.now_ns)

    @property
    def is_ready(self) -> bool:
        """Whether all robots are connected and located."""
        robots = [self.service.robot(robot_id) for robot_id in self.robot_ids]
        return all(
            robot.telemetry.estimate is not None and self.status(robot.config.id).link is LinkState.CONNECTED
            for robot in robots
        )

    def _receive(self, message: Message) -> None:
        if isinstance(message, SharedWays):
            self.neighbourhood.receive_ways(message, self.now_ns)
        elif isinstance(message, KnownWays):
            self.neighbourhood.receive_known(message, self.now_ns)
        else:
            self.neighbourhood.see(*message, self.now_ns)

    def _script_for(self, node: Node) -> CompiledScript | None:
        return self._compile(node) if any(robot.is_node(node) for robot in self.service.config.robots) else None


class SharedHosts:
    """A square floor with robots 1, 2, ..., each served by one of several hosts.

    Parameters
    ----------
    starts : initial poses of the robots, by host and robot
    side_m : side of the floor
    settings : further lines of every fleet.yaml
    lost : share of lost messages; ways are then sent again, poses are not
    delay_s : smallest and largest delay of messages
    around_tick : returns a context for a host's next tick
    on_message : called with each message that a host sends

    Attributes
    ----------
    hosts : hosts with a running driver, by name
    distances : distances between axles
    is_cut : whether the hosts are separated at present
    """

    def __init__(
        self,
        starts: Mapping[str, Mapping[int, Pose2D]],
        side_m: float,
        *,
        settings: str = "",
        lost: float = 0.0,
        delay_s: tuple[float, float] = (0.002, 0.01),
        around_tick: Callable[[], AbstractContextManager[object]] = nullcontext,
        on_message: Callable[[Message], object] = lambda _: None,
    ) -> None:
        robots = {number: pose for group in starts.values() for number, pose in group.items()}
        places = "\n".join(f"- {{node_id: {number}, {pose_text(robots[number])[1:-1]}}}" for number in sorted(robots))
        world = f"arena: {{width_m: {side_m}, height_m: {side_m}}}\nrobots:\n{places}\n"
        self.stage = Stage(load_world(Path("world.yaml"), text=world))
        self.hosts: dict[str, SharingHost] = {}
        self.is_cut = False
        self._starts = starts
        self._settings = f"arena: {{x_min_m: 0, y_min_m: 0, x_max_m: {side_m}, y_max_m: {side_m}}}\n{settings}"
        self._random = np.random.default_rng(1)
        self._lost = lost
        self._delay_s = delay_s
        self._around_tick = around_tick
        self._on_message = on_message
        self._indices = {number: index for index, number in enumerate(sorted(robots))}
        self.distances = LeastDistance(len(robots))
        self._steps = 0
        self._runs = 0
        for name in starts:
            self.start(name)
        while not all(host.is_ready for host in self.hosts.values()):
            self.run(0.05)
            if self._steps > 100 * _START_LIMIT_S:
                raise NotStartedError(self.words)

    @property
    def config(self) -> FleetConfig:
        """Configuration of one of the fleets, which differ only in their robots."""
        return next(iter(self.hosts.values())).service.config

    @property
    def robot_ids(self) -> Sequence[int]:
        """All robots on the floor."""
        return list(self._indices)

    def run(self, seconds: float) -> None:
        """Advance time."""
        for _ in range(round(100 * seconds)):
            self.step()

    def send(self, goals: Mapping[int, Pose2D]) -> None:
        """Send robots to goals, in tasks with ids such as "to 1 at 600": robot and step."""
        for robot_id, goal in goals.items():
            host = self.host_of(robot_id)
            assert host.service.assign(robot_id, go_to(f"to {robot_id} at {self._steps}", goal), host.now_ns) is None

    def run_until_ended(self, count: int, timeout_s: float = 120.0) -> list[TaskOutcome]:
        """Advance time until `count` tasks have ended; return their outcomes.

        Raises
        ------
        NotEndedError
            Fewer tasks have ended in time.
        """
        for _ in range(round(timeout_s * 10)):
            outcomes = [outcome for host in self.hosts.values() for outcome in host.outcomes]
            if len(outcomes) >= count:
                return outcomes
            self.run(0.1)
        raise NotEndedError(self.words)

    def host_of(self, robot_id: int) -> SharingHost:
        """Return the host that serves a robot."""
        return next(host for host in self.hosts.values() if robot_id in host.robot_ids)

    def truth(self, robot_id: int) -> Pose2D:
        """Return a robot's true pose."""
        return Pose2D(*self.stage.simulation.world.poses.truth()[self._indices[robot_id]].tolist())

    @property
    def least_m(self) -> float:
        """Least distance between two axles so far."""
        return self.distances.least_m

    @property
    def contacts(self) -> int:
        """Number of contacts so far: starts of two bodies touching."""
        return int(self.stage.simulation.world.collisions.total)

    @property
    def words(self) -> str:
        """State, traffic and plan of all robots, in lines."""
        statuses = [host.status(robot_id) for host in self.hosts.values() for robot_id in host.robot_ids]
        return "\n".join(f"{status.robot_id} {status.state} {status.traffic} {status.plan}" for status in statuses)

    def cut(self) -> None:
        """Separate all hosts; messages in transit are lost."""
        self.is_cut = True
        for host in self.hosts.values():
            host.inbox.clear()

    def join(self) -> None:
        """Connect the hosts again; each gets the latest ways of all others."""
        self.is_cut = False
        for host in self.hosts.values():
            self._introduce(host)

    def kill(self, name: str) -> SharingHost:
        """Kill a host's driver without notice; return the host. Its robots stop by themselves."""
        host = self.hosts.pop(name)
        host.link.close()
        return host

    def start(self, name: str) -> SharingHost:
        """Start a driver on a host, and have the others introduce themselves; return it."""
        self._runs += 1
        self.hosts[name] = SharingHost(name, self._runs, self.stage, self._starts[name], self._settings)
        for host in self.hosts.values():
            self._introduce(host)
        return self.hosts[name]

    def step(self) -> None:
        """Advance by 10 ms."""
        for measured_ns, poses in self.stage.step():
            for host in self.hosts.values():
                for robot_id in host.robot_ids:
                    measured = Pose2D(*poses[self._indices[robot_id]].tolist())
                    ahead_ns = host.now_ns - self.stage.now_ns
                    telemetry = host.service.robot(robot_id).telemetry
                    telemetry.on_measured_pose(measured, measured_ns + ahead_ns, host.now_ns)
        self.distances.look(self.stage.simulation.world.poses.truth()[:, :2])
        for number, host in enumerate(self.hosts.values()):
            if (self._steps + 2 * number) % _STEPS_PER_TICK == 0:  # ticks of hosts are not synchronized
                with self._around_tick():
                    messages = host.tick()
                self._send(host, messages)
            if self._steps % (100 // _POSES_PER_S) == 0:
                self._send(host, host.poses())
        self._steps += 1

    def _introduce(self, host: SharingHost) -> None:
        if host.latest is not None:
            self._send(host, [host.latest])

    def _send(self, sender: SharingHost, messages: Sequence[Message]) -> None:
        for message in messages:
            self._on_message(message)
            for host in self.hosts.values():
                if host is not sender and not self.is_cut:
                    self._send_to(host, message)

    def _send_to(self, host: SharingHost, message: Message) -> None:
        delay_ns = round(self._random.uniform(*self._delay_s) * 1e9)
        while self._random.random() < self._lost:
            if isinstance(message, tuple):
                return
            delay_ns += _AGAIN_NS
        host.inbox.append((self.stage.now_ns + delay_ns, message))


def pose_text(pose: Pose2D) -> str:
    """Return a pose in the format of configuration files."""
    return f"{{x_m: {pose.x_m:.5f}, y_m: {pose.y_m:.5f}, heading_rad: {pose.heading_rad:.5f}}}"
