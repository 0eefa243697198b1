"""The whole fleet in one thread and in counted time: service, link, wire, firmware and world, joined in memory.

Nothing here waits, reads a clock or opens a socket, so equal configurations always behave the same.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.link_events import LinkEvent
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.thymio.events import script_constants
from experiments.lab.simulated_index import simulated_index
from experiments.lab.stage import STEP_NS, Stage
from fleet.books.memory_book import MemoryBook
from fleet.dispatch.dispatcher import Dispatcher
from fleet.geometry import Pose2D
from fleet.robots.robot_status import LinkState, RobotStatus, TaskOutcome
from fleet.service.fleet_service import FleetService
from fleet.settings.config import FleetConfig
from simulator.numbers.periodic_event import PeriodicEvent
from simulator.simulation.simulation import Simulation
from simulator.world.config import WorldConfig
from thymio_base.instant import Instant

_START_LIMIT_S = 60.0  # on a poor radio link, lost parts of a robot's description arrive a second later
_SETTLE_S = 0.2  # time for the first reports after every robot is connected

LinkEventListener = Callable[[Sequence[LinkEvent]], object]


def _ignore(_: Sequence[LinkEvent]) -> None:
    """Do nothing."""


class LabError(Exception):
    """Base of every error raised by a lab."""


class NotStartedError(LabError, TimeoutError):
    """Some robots could not be reached; the message names them with the reason."""


class NotEndedError(LabError, TimeoutError):
    """A task did not end."""


class Lab:
    """A fleet in a simulated world.

    Robots of the fleet without a node in the world are lost. The world's motion capture tracks robots that have a pose
    source; it reports the middle of the axle in the fleet's frame.

    Parameters
    ----------
    fleet : the fleet's configuration; all targets of its link lead to the simulation
    world : the world, with the seed of all noise
    on_link_events : called with the link's events of each tick
    around_tick : returns a context for the next tick, to measure it or to act before it
    """

    def __init__(
        self,
        fleet: FleetConfig,
        world: WorldConfig,
        on_link_events: LinkEventListener = _ignore,
        around_tick: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self.config = fleet
        self.outcomes: list[TaskOutcome] = []
        self.hidden: set[int] = set()  # robots hidden from motion capture at present
        self._on_link_events = on_link_events
        self._around_tick = around_tick
        self._stage = Stage(world)
        self._indices = {robot.id: simulated_index(robot, world) for robot in fleet.robots}
        self._sources = [robot.id for robot in fleet.robots if robot.pose_topic and self.is_simulated(robot.id)]
        self._ticks = PeriodicEvent(fleet.rates.control_hz)
        script = shipped_script().with_constants(script_constants(fleet.rates.odometry_hz, fleet.reports))
        script_policy = ScriptPolicy(ScriptCompiler(script))
        self.link = AsebaLink(fleet.link.targets, script_policy, self._stage, budgets_hz=fleet.link.budgets_hz)
        self.service = FleetService(fleet, self.link)
        has_jobs = fleet.dispatch.enabled
        self.dispatcher = Dispatcher(fleet, self.service, MemoryBook(), self.now) if has_jobs else None

    @property
    def now_ns(self) -> int:
        """Present time."""
        return self._stage.now_ns

    @property
    def now(self) -> Instant:
        """Present time, the same on both clocks."""
        return Instant(self.now_ns, self.now_ns)

    @property
    def simulation(self) -> Simulation:
        """The simulated robots."""
        return self._stage.simulation

    @property
    def robot_ids(self) -> Sequence[int]:
        """The fleet's simulated robots, in the order of the configuration."""
        return [robot_id for robot_id in self._indices if self.is_simulated(robot_id)]

    def is_simulated(self, robot_id: int) -> bool:
        """Whether a robot of the fleet is in the world."""
        return self._indices[robot_id] is not None

    def index(self, robot_id: int) -> int:
        """Return a robot's index among the simulated robots.

        Raises
        ------
        LabError
            The robot is not in the world.
        """
        index = self._indices.get(robot_id)
        if index is None:
            raise LabError(f"robot {robot_id} is not in the world")
        return index

    def run(self, seconds: float) -> None:
        """Advance time, rounded to 10 ms."""
        for _ in range(round(seconds * 1e9 / STEP_NS)):
            self.step()

    def run_until_ended(self, task_id: str, timeout_s: float = 120.0) -> TaskOutcome:
        """Advance time until a task ends; return its outcome.

        Raises
        ------
        NotEndedError
            The task has not ended in time.
        """
        for _ in range(round(timeout_s * 1e9 / STEP_NS)):
            for outcome in self.outcomes:
                if outcome.task_id == task_id:
                    return outcome
            self.step()
        raise NotEndedError(f"task {task_id!r} has not ended within {timeout_s:g} s")

    def start(self) -> None:
        """Advance time until every simulated robot is connected and, if it has a pose source, located.

        Raises
        ------
        NotStartedError
            Some robots could not be reached within a minute.
        """
        for _ in range(round(_START_LIMIT_S * 1e9 / STEP_NS)):
            self.step()
            if not self._missing():
                self.run(_SETTLE_S)
                return
        missing = (f"robot {robot_id}: {self.status(robot_id).message}" for robot_id in self._missing())
        raise NotStartedError("\n".join(missing))

    def switch_off(self) -> None:
        """Cut the connection to all robots, and refuse new ones until switched on."""
        self._stage.switch_off()

    def switch_on(self) -> None:
        """Accept connections again."""
        self._stage.switch_on()

    def cut_off(self, robot_id: int) -> None:
        """Cut a robot off in both directions until it joins again."""
        self.simulation.network.cut_off(self._node_id(robot_id))

    def join(self, robot_id: int) -> None:
        """Reconnect a robot that was cut off."""
        self.simulation.network.join(self._node_id(robot_id))

    def restart_simulator(self) -> None:
        """Restart the simulation: robots are at their start, without a script; connections are accepted again."""
        self._stage.restart()

    def status(self, robot_id: int = 1) -> RobotStatus:
        """Return a robot's status."""
        return self.service.status(robot_id, self.now_ns)

    def truth(self, robot_id: int = 1) -> Pose2D:
        """Return a robot's true pose."""
        return Pose2D(*self.simulation.world.poses.truth()[self.index(robot_id)].tolist())

    def speed(self, robot_id: int = 1) -> float:
        """Return the true speed of a robot's faster wheel, in m/s."""
        return float(abs(self.simulation.world.wheels.speeds_mps[self.index(robot_id)]).max())

    def step(self) -> None:
        """Advance by 10 ms."""
        for measured_ns, poses in self._stage.step():
            for robot_id in self._sources:
                if robot_id not in self.hidden:
                    measured = Pose2D(*poses[self.index(robot_id)].tolist())
                    self.service.robot(robot_id).telemetry.on_measured_pose(measured, measured_ns, self.now_ns)
        if self._ticks.is_due(self.now_ns * 1e-9):
            with self._around_tick():
                report = self.service.tick(self.now_ns)
                if self.dispatcher is not None:
                    self.dispatcher.advance(report.outcomes, self.now)
            self._on_link_events(report.link_events)
            self.outcomes += report.outcomes

    def _missing(self) -> list[int]:
        return [robot_id for robot_id in self.robot_ids if not self._is_ready(robot_id)]

    def _is_ready(self, robot_id: int) -> bool:
        is_located = self.service.robot(robot_id).telemetry.estimate is not None or robot_id in self.hidden
        return is_located and self.status(robot_id).link is LinkState.CONNECTED

    def _node_id(self, robot_id: int) -> int:
        return self.simulation.node_ids[self.index(robot_id)]


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable garbage collection: a lab creates no reference cycles, and collections take a fifth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
