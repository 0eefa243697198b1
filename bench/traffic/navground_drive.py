"""Robots driven by navground's HL, for comparison: pip install 'navground>=0.7,<0.8'.

Fleet and simulator are the same; the fleet's tasks, control laws and traffic are not used. In each tick every robot is
teleoperated with what these steps give:

1. Prediction: the poses of all robots when a command sent now takes effect, by the fleet's forecast.
2. HL (Guzzi and others, Human-friendly robot navigation in dynamic environments, 2013) for a two-wheeled robot of
   8 cm, horizon 5 s, safety margin 3 cm, towards the goal; all robots are its neighbours, walls its lines, but not the
   edges of the arena: with an edge behind a goal, HL oscillates, as it looks beyond the goal. Within
   10 cm of the goal the robot turns towards it, drives there and turns to its heading instead.
3. Braking filter: forward motion that brings the axle within 17.5 cm of another axle, both rolling out, is dropped.
4. Nudge: a robot that gets less than 3 cm nearer to its goal in 2 s drives to a place 0.3 m to its right for 2.5 s.

A goal is reached within the fleet's own tolerances, at rest.
"""

import importlib.util
import math
from dataclasses import dataclass
from typing import Any, Final

from bench.traffic.fleet_tasks import TaskEnd
from experiments.lab.lab import Lab
from fleet.actuation.wheel_response import Motion, MotionForecast
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.tasks.legs import DriveLeg
from fleet.tasks.task import TaskRequest
from simulator.physics.walls import Ends

HOW_TO_INSTALL: Final = "navground is not installed: pip install 'navground>=0.7,<0.8'"

_RADIUS_M, _MARGIN_M, _HORIZON_S = 0.08, 0.03, 5.0
_AXLE_M = 0.094
_APART_M = 0.175
_FINAL_M = 0.1
_FINAL_PER_S = 2.0  # speed and turn rate per remaining metre and radian, near the goal
_AHEAD_RAD = 0.3  # near the goal, the robot turns on the spot at larger errors
_TURN_RADPS = 2.0
_PROGRESS_M, _PATIENCE_S = 0.03, 2.0
_NUDGE_M, _NUDGE_S = 0.3, 2.5
_STILL_MPS, _STILL_RADPS = 0.01, 0.05


def is_installed() -> bool:
    """Whether navground can be imported."""
    return importlib.util.find_spec("navground") is not None


@dataclass(slots=True)
class _Drive:
    """A robot's drive to a goal.

    Parameters
    ----------
    nearest_m : its least distance from the goal so far
    nearest_ns : the time of that distance
    nudge : a place to drive to instead, until `nudge_ns`
    settled_ns : since when it is stationary at the goal
    """

    task_id: str
    goal: Pose2D
    nearest_m: float
    nearest_ns: int
    nudge: Pose2D | None = None
    nudge_ns: int = 0
    settled_ns: int | None = None


class NavgroundDrive:
    """Drives all robots; see above.

    Parameters
    ----------
    lab : the lab with the robots
    walls : walls on the floor
    """

    def __init__(self, lab: Lab, walls: list[Ends]) -> None:
        from navground import core  # noqa: PLC0415  not a dependency

        self._core: Any = core
        self._lab = lab
        self._limits = lab.config.motion.limits
        self._drives: dict[int, _Drive] = {}
        self._ended: list[TaskEnd] = []
        lines = [core.LineSegment((x1_m, y1_m), (x2_m, y2_m)) for x1_m, y1_m, x2_m, y2_m in walls]
        self._behaviors = {robot_id: self._behavior(lines) for robot_id in lab.robot_ids}

    def assign(self, robot_id: int, request: TaskRequest) -> None:
        """See `Execution.assign`."""
        leg = request.legs[0]
        assert isinstance(leg, DriveLeg)
        self._drives[robot_id] = _Drive(request.task_id, leg.goal, math.inf, self._lab.now_ns)

    def pop_ended(self) -> list[TaskEnd]:
        """See `Execution.pop_ended`."""
        ended, self._ended = self._ended, []
        return ended

    def drive(self) -> None:
        """Send every robot its twist; call before each tick."""
        now_ns, service = self._lab.now_ns, self._lab.service
        forecasts: dict[int, MotionForecast] = {}
        for robot_id in self._lab.robot_ids:
            forecast = service.robot(robot_id).telemetry.forecast(now_ns)
            if forecast is not None:
                forecasts[robot_id] = forecast
        for robot_id in list(self._drives):
            if robot_id in forecasts:
                twist = self._filtered(robot_id, self._wanted(robot_id, forecasts), forecasts)
                service.drive(robot_id, twist, now_ns)

    def _behavior(self, lines: list[Any]) -> Any:
        core = self._core
        behavior = core.Behavior.make_type("HL")
        behavior.kinematics = core.kinematics.TwoWheelsDifferentialDriveKinematics(
            max_speed=self._limits.wheel_mps, wheel_axis=_AXLE_M
        )
        behavior.radius, behavior.safety_margin, behavior.horizon = _RADIUS_M, _MARGIN_M, _HORIZON_S
        behavior.optimal_speed = self._limits.speed_mps
        behavior.prepare()
        behavior.environment_state.line_obstacles = lines
        return behavior

    def _wanted(self, robot_id: int, forecasts: dict[int, MotionForecast]) -> Twist2D:
        """Return the twist of a robot before the filter, and note whether it has arrived."""
        drive, forecast = self._drives[robot_id], forecasts[robot_id]
        if self._has_arrived(drive, forecast.now):
            self._ended.append(TaskEnd(drive.task_id, True))
            del self._drives[robot_id]
            return STILL
        if drive.settled_ns is not None:
            return STILL
        then = forecast.then.pose
        if then.distance_to(drive.goal) < _FINAL_M:
            return self._final(then, drive.goal)
        self._nudge(drive, then)
        return self._hl(robot_id, drive.nudge or drive.goal, forecasts)

    def _has_arrived(self, drive: _Drive, now: Motion) -> bool:
        """Whether a robot has been stationary at its goal for long enough."""
        tasks, now_ns = self._lab.config.tasks, self._lab.now_ns
        is_still = abs(now.twist.linear_mps) < _STILL_MPS and abs(now.twist.angular_radps) < _STILL_RADPS
        is_near = now.pose.distance_to(drive.goal) < tasks.position_tolerance_m
        is_turned = abs(now.pose.heading_error_to(drive.goal)) < tasks.heading_tolerance_rad
        if not (is_still and is_near and is_turned):
            drive.settled_ns = None
        elif drive.settled_ns is None:
            drive.settled_ns = now_ns
        return drive.settled_ns is not None and now_ns - drive.settled_ns >= tasks.settle_s * 1e9

    def _final(self, pose: Pose2D, goal: Pose2D) -> Twist2D:
        """Return the twist near a goal: turn towards it, drive there, turn to its heading."""
        left_m = pose.distance_to(goal)
        if left_m < 0.5 * self._lab.config.tasks.position_tolerance_m:
            return Twist2D(0.0, _turn(pose.heading_error_to(goal)))
        error_rad = math.remainder(pose.bearing_to(goal) - pose.heading_rad, math.tau)
        backward = abs(error_rad) > 0.5 * math.pi
        if backward:
            error_rad = math.remainder(error_rad + math.pi, math.tau)
        speed_mps = min(_FINAL_PER_S * left_m, self._limits.speed_mps) if abs(error_rad) < _AHEAD_RAD else 0.0
        return Twist2D(-speed_mps if backward else speed_mps, _turn(error_rad))

    def _nudge(self, drive: _Drive, pose: Pose2D) -> None:
        """Choose a place to the right if a robot gets no nearer to its goal."""
        now_ns, left_m = self._lab.now_ns, pose.distance_to(drive.goal)
        if drive.nudge is not None and now_ns >= drive.nudge_ns:
            drive.nudge, drive.nearest_m, drive.nearest_ns = None, left_m, now_ns
        if left_m < drive.nearest_m - _PROGRESS_M:
            drive.nearest_m, drive.nearest_ns = left_m, now_ns
        elif drive.nudge is None and now_ns - drive.nearest_ns > _PATIENCE_S * 1e9:
            towards = Pose2D(pose.x_m, pose.y_m, pose.bearing_to(drive.goal))
            drive.nudge, drive.nudge_ns = towards.compose(Pose2D(0.0, -_NUDGE_M, 0.0)), now_ns + round(_NUDGE_S * 1e9)

    def _hl(self, robot_id: int, goal: Pose2D, forecasts: dict[int, MotionForecast]) -> Twist2D:
        core, behavior = self._core, self._behaviors[robot_id]
        behavior.environment_state.neighbors = [
            core.Neighbor(_place(other.then), _RADIUS_M, _velocity(other.then), other_id)
            for other_id, other in forecasts.items()
            if other_id != robot_id
        ]
        forecast = forecasts[robot_id]
        behavior.pose = core.Pose2(_place(forecast.then), forecast.then.pose.heading_rad)
        behavior.twist = core.Twist2(_velocity(forecast.then), forecast.then.twist.angular_radps)
        behavior.target = core.Target.Point((goal.x_m, goal.y_m))
        command = behavior.compute_cmd(forecast.period_s, core.Frame.relative)
        return Twist2D(float(command.velocity[0]), float(command.angular_speed))

    def _filtered(self, robot_id: int, wanted: Twist2D, forecasts: dict[int, MotionForecast]) -> Twist2D:
        """Return the twist, without its forward part if that brings the robot too near to others."""
        forecast = forecasts[robot_id]
        here, end = forecast.then.pose, _rolled_out(forecast, wanted)
        for other_id, other in forecasts.items():
            theirs = _rolled_out(other, other.then.twist)
            if other_id != robot_id and end.distance_to(theirs) < min(_APART_M, here.distance_to(theirs)):
                return Twist2D(0.0, wanted.angular_radps)
        return wanted


def _turn(error_rad: float) -> float:
    return max(-_TURN_RADPS, min(_TURN_RADPS, _FINAL_PER_S * error_rad))


def _place(motion: Motion) -> tuple[float, float]:
    return motion.pose.x_m, motion.pose.y_m


def _velocity(motion: Motion) -> tuple[float, float]:
    speed_mps, heading_rad = motion.twist.linear_mps, motion.pose.heading_rad
    return speed_mps * math.cos(heading_rad), speed_mps * math.sin(heading_rad)


def _rolled_out(forecast: MotionForecast, commanded: Twist2D) -> Pose2D:
    """Return where a robot comes to rest if it drives for a period and then stops."""
    rolled_m = forecast.lag_s * forecast.then.twist.linear_mps + forecast.period_s * commanded.linear_mps
    return forecast.then.pose.compose(Pose2D(rolled_m, 0.0, 0.0))
