"""Fleet, link and simulator in one thread, joined in memory; time is counted, never waited for."""

from concurrent.futures import Future
from pathlib import Path

from aseba_link.compiler import ScriptCompiler, shipped_script
from aseba_link.connection import Connection, pipe
from aseba_link.errors import ConnectionLostError
from aseba_link.event import LinkEvent
from aseba_link.link import AsebaLink
from aseba_link.target import Target
from aseba_link.thymio import script_constants
from aseba_link.upkeep import Upkeep
from fleet.geometry import Pose2D
from fleet.service import FleetService
from fleet.status import LinkState, RobotStatus, TaskOutcome
from fleets import read
from simulator.config import load_world
from simulator.simulation import Simulation

STEP_NS = 10_000_000
TICK_STEPS = 5  # the fleet ticks at 20 Hz
CAPTURE_STEPS = 3  # motion capture measures at 33 Hz


class ClosedLoop:
    """A fleet of `count` robots, a metre apart in a row, each at its home; robot k is node k.

    Parameters
    ----------
    folder : for the two configuration files
    settings : further lines of fleet.yaml
    motors : further keys of the world's motors
    world : further lines of world.yaml
    tracked : whether motion capture, without noise, sees the robots
    gains : what the left wheels' gains are; the right ones are the inverse
    """

    def __init__(
        self,
        folder: Path,
        count: int = 1,
        *,
        settings: str = "",
        motors: str = "",
        world: str = "",
        tracked: bool = True,
        gains: float = 1.0,
    ) -> None:
        self.now_ns = 1_000_000_000
        self.outcomes: list[TaskOutcome] = []
        self.events: list[LinkEvent] = []
        self.captures = tracked
        self.is_connected = True
        self._folder, self._count, self._motors, self._world, self._gains = folder, count, motors, world, gains
        self._steps = 0
        self._peers: list[Connection] = []
        topics = [f", pose_topic: /robot_{index + 1}" if tracked else "" for index in range(count)]
        robots = "\n".join(
            f"- {{id: {index + 1}, node_id: {index + 1}, home: {{x_m: {index + 1}, y_m: 1}}{topics[index]}}}"
            for index in range(count)
        )
        self.config = read(folder, f"{settings}\nrobots:\n{robots}\n")
        self.simulation = self._new_simulation()
        constants = script_constants(self.config.rates.odometry_hz, self.config.driver.reports)
        script = shipped_script().with_constants(constants)
        link = AsebaLink(self.config.link.targets, Upkeep(ScriptCompiler(script)), self)
        self.service = FleetService(self.config, link)

    def dial(self, target: Target) -> Future[Connection]:
        """Be the link's dialer: connect to the simulation, unless it is switched off."""
        attempt: Future[Connection] = Future()
        if not self.is_connected:
            attempt.set_exception(ConnectionLostError(f"{target} is switched off"))
            return attempt
        host, robots = pipe()
        self._peers.append(host)
        self.simulation.attach(robots)
        attempt.set_result(host)
        return attempt

    def run(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds * 1e9 / STEP_NS)):
            self._step()

    def run_until_ended(self, task_id: str, timeout_s: float = 120.0) -> TaskOutcome:
        """Let time pass until a task ends; return its outcome."""
        for _ in range(round(timeout_s * 1e9 / STEP_NS)):
            for outcome in self.outcomes:
                if outcome.task_id == task_id:
                    return outcome
            self._step()
        raise AssertionError(f"task {task_id!r} has not ended within {timeout_s:g} s")

    def start(self, timeout_s: float = 5.0) -> None:
        """Let time pass until every robot is connected."""
        for _ in range(round(timeout_s * 1e9 / STEP_NS)):
            self._step()
            if all(self.status(index + 1).link is LinkState.CONNECTED for index in range(self._count)):
                self.run(0.2)
                return
        raise AssertionError(f"not every robot is connected after {timeout_s:g} s: {self.events}")

    def switch_off(self) -> None:
        """Cut the connection, and refuse new ones."""
        self.is_connected = False
        self.simulation.network.close()

    def restart_simulator(self) -> None:
        """Begin a new simulation: robots stand at home, without a script; connections are taken again."""
        self.simulation = self._new_simulation()
        self.is_connected = True

    def status(self, robot_id: int = 1) -> RobotStatus:
        """Return a robot's status."""
        return self.service.status(robot_id, self.now_ns)

    def truth(self, robot_id: int = 1) -> Pose2D:
        """Return where a robot really is."""
        return Pose2D(*self.simulation.poses()[robot_id - 1].tolist())

    def speed(self, robot_id: int = 1) -> float:
        """Return how fast a robot's faster wheel really turns, in m/s."""
        return float(abs(self.simulation.world.wheels_mps[robot_id - 1]).max())

    def _step(self) -> None:
        self.now_ns += STEP_NS
        self._steps += 1
        self.simulation.step()
        if self.captures and self._steps % CAPTURE_STEPS == 0:
            for index in range(self._count):
                self.service.on_measured_pose(index + 1, self.truth(index + 1), self.now_ns, self.now_ns)
        if self._steps % TICK_STEPS == 0:
            report = self.service.tick(self.now_ns)
            self.events += report.link_events
            self.outcomes += report.outcomes

    def _new_simulation(self) -> Simulation:
        path = self._folder / "world.yaml"
        left, right = self._gains, 1.0 / self._gains
        robots = "\n".join(
            f"- {{node_id: {index + 1}, x_m: {index + 1}, y_m: 1, left_wheel_gain: {left}, right_wheel_gain: {right}}}"
            for index in range(self._count)
        )
        path.write_text(
            f"arena: {{width_m: {self._count + 1}, height_m: 2}}\nmotors: {{{self._motors}}}\n{self._world}\n"
            f"robots:\n{robots}\n"
        )
        return Simulation(load_world(path))
