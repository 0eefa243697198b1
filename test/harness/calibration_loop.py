"""One simulated robot under calibration, in one thread, joined in memory; time is counted, never waited for."""

from collections.abc import Callable
from pathlib import Path

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.thymio.events import NO_REPORTS, Reports, script_constants
from experiments.lab.stage import Stage
from fleet.calibration.calibration_host import CalibrationHost, Procedure
from fleet.geometry import Pose2D, Twist2D
from fleet.robots.robot_status import LinkState
from fleet.service.fleet_service import FleetService
from fleet.settings.config import FleetConfig
from simulator.numbers.periodic_event import PeriodicEvent
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

TICK_HZ = 50.0
PLACE = Pose2D(0.5, 1.0, 0.0)


class SimulatedRobot:
    """Node 1, alone in a world of 2 x 2 m, with noise from a seed."""

    def __init__(
        self,
        folder: Path,
        *,
        seed: int = 1,
        gains: tuple[float, float] = (1.0, 1.0),
        place: Pose2D = PLACE,
        further: str = "",
    ) -> None:
        path = folder / "world.yaml"
        path.write_text(f"""arena: {{width_m: 2, height_m: 2}}
proximity: {{response: smooth}}
seed: {seed}
motion_capture: {{rate_hz: 33.333}}
{further}
robots:
- {{node_id: 1, x_m: {place.x_m}, y_m: {place.y_m}, heading_rad: {place.heading_rad},
   left_wheel_gain: {gains[0]}, right_wheel_gain: {gains[1]}}}
""")
        self._stage = Stage(load_world(path))
        self._ticks = PeriodicEvent(TICK_HZ)
        self.track: list[Pose2D] = []

    @property
    def now_ns(self) -> int:
        """The time."""
        return self._stage.now_ns

    @property
    def simulation(self) -> Simulation:
        """The simulation."""
        return self._stage.simulation

    def link(self, config: FleetConfig, reports: Reports = NO_REPORTS) -> AsebaLink:
        """Return a link to the robot."""
        script = shipped_script().with_constants(script_constants(config.rates.odometry_hz, reports))
        return AsebaLink(config.link.targets, ScriptPolicy(ScriptCompiler(script)), self._stage)

    def truth(self) -> Pose2D:
        """Return the robot's true pose."""
        return Pose2D(*self.simulation.world.poses.truth()[0].tolist())

    def step(self, tick: Callable[[int], object], capture: Callable[[Pose2D, int], None] | None = None) -> None:
        """Let 10 ms pass."""
        for measured_ns, poses in self._stage.step():
            self.track.append(self.truth())
            if capture is not None:
                capture(Pose2D(*poses[0].tolist()), measured_ns)
        if self._ticks.is_due(self.now_ns * 1e-9):
            tick(self.now_ns)


def calibrate(
    robot: SimulatedRobot,
    config: FleetConfig,
    procedure: Procedure,
    reports: Reports = NO_REPORTS,
    capture: Callable[[Pose2D, int], None] | None = None,
) -> CalibrationHost:
    """Run a procedure on the fleet's first robot to its end."""
    host = CalibrationHost(robot.link(config, reports), config.robots[0], procedure)
    for _ in range(60_000):
        if procedure.is_done:
            return host
        robot.step(host.tick, capture)
    raise AssertionError("not done after 600 s")


def drift_m(robot: SimulatedRobot, config: FleetConfig, speed_mps: float = 0.1) -> float:
    """Drive a metre straight ahead by a twist without feedback; return the robot's sideways drift."""
    service = FleetService(config, robot.link(config))
    start = robot.truth()
    while service.status(config.robots[0].id, robot.now_ns).link is not LinkState.CONNECTED:
        robot.step(service.tick)
    while robot.truth().distance_to(start) < 1.0:
        service.drive(config.robots[0].id, Twist2D(speed_mps, 0.0), robot.now_ns)
        robot.step(service.tick)
    return robot.truth().relative_to(start).y_m
