"""Pilots that drive a simulated robot from its reports: the fleet's, and the published baseline's."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from experiments.control_study.plant import PlantSample
from fleet.actuation.chassis import WheelCommand
from fleet.actuation.wheel_response import motor_units
from fleet.control.control_law import ControlInput, Tracks
from fleet.control.law_choice import choose_law
from fleet.control.pd_pursuit import PdPursuit
from fleet.control.tracker_config import PdPursuitGains
from fleet.geometry import STILL, Pose2D
from fleet.robots.robot import Robot
from fleet.robots.robot_status import TaskOutcome
from fleet.service.keep_alive import KeepAlive
from fleet.settings.config import FleetConfig
from fleet.tasks.leg_planner import LonePlanner
from fleet.tasks.legs import STANDING
from fleet.tasks.task import TaskRequest
from fleet.timetable.step_budget import StepBudget
from fleet.trajectories.trajectory import Trajectory
from fleet.wheels.differential_drive import DifferentialDrive
from fleet.wheels.robot_calibration import WheelCalibration
from thymio_base.parts import finished

Targets = tuple[int, int]  # left, right, in motor units

PUBLISHED_PERIOD_S = 0.1
_UNLIMITED: Final = 1_000_000_000  # steps of planning, so that a task starts in the tick in which it is assigned


@dataclass(frozen=True, slots=True)
class Schedule:
    """A robot's reference over time; `is_timed` means that its law tracks the reference in time."""

    trajectory: Trajectory
    started_ns: int
    is_timed: bool


class Pilot(Protocol):
    """Drives one robot."""

    @property
    def control_hz(self) -> float:
        """Rate of the pilot's steps [Hz]."""

    @property
    def is_done(self) -> bool:
        """Whether the pilot has finished."""

    def on_report(self, words: Sequence[int], now_ns: int) -> None:
        """Process the words of an odometry event."""

    def on_sample(self, sample: PlantSample, now_ns: int) -> None:
        """Process a motion-capture measurement."""

    def step(self, now_ns: int) -> Targets:
        """Return the present motor targets."""


class FleetPilot:
    """Drives a robot of the fleet with one task, assigned once accepted; sends commands as `FleetService` does.

    Parameters
    ----------
    config : the fleet's configuration; its first robot is driven
    request : the task
    """

    def __init__(self, config: FleetConfig, request: TaskRequest) -> None:
        planner = LonePlanner(config.motion, StepBudget(_UNLIMITED))
        self.robot = Robot(config.robots[0], config, planner)
        self.robot.telemetry.on_ready(0)
        self.outcome: TaskOutcome | None = None
        self.schedule: Schedule | None = None
        self.ended_ns: int | None = None
        self.predicted_s = 0.0  # the task's duration, as predicted at its start
        self.config = config
        self._request = request
        self._sent: Targets = (0, 0)
        self._keep_alive = KeepAlive(config.link.keep_alive_s)

    @property
    def control_hz(self) -> float:
        """Rate of the pilot's steps [Hz]."""
        return self.config.rates.control_hz

    @property
    def is_done(self) -> bool:
        """Whether the task has ended."""
        return self.outcome is not None

    def on_report(self, words: Sequence[int], now_ns: int) -> None:
        """Process the words of an odometry event."""
        self.robot.telemetry.on_odometry(words, now_ns)

    def on_sample(self, sample: PlantSample, now_ns: int) -> None:
        """Process a motion-capture measurement, if the robot is configured with a pose source."""
        if self.robot.config.pose_topic:
            self.robot.telemetry.on_measured_pose(sample.pose, sample.stamp_ns, now_ns)

    def step(self, now_ns: int) -> Targets:
        """Return the present motor targets."""
        is_first = self._assign(now_ns)
        outcome = self.robot.obey(self.robot.want(self.robot.telemetry.forecast(now_ns), now_ns))
        if is_first:
            self.predicted_s = self.robot.status(now_ns).eta_s
        if outcome is not None:
            self.outcome, self.ended_ns = outcome, now_ns
        self._send(self.robot.command, now_ns)
        return self._sent

    def _assign(self, now_ns: int) -> bool:
        """Assign the task if the robot accepts it now; return whether it was assigned."""
        estimate, leg = self.robot.telemetry.estimate, self._request.legs[0]
        if self.schedule is not None or estimate is None or isinstance(leg, STANDING):
            return False
        if self.robot.objection(self._request, now_ns) is not None:
            return False
        self.robot.assign(self._request)
        trajectory = finished(leg.planning(estimate.pose, math.inf, self.config.motion))
        law = choose_law(trajectory, self.config.tracker)
        self.schedule = Schedule(trajectory, now_ns, law.tracks is Tracks.TIME)
        return True

    def _send(self, command: WheelCommand, now_ns: int) -> None:
        """Send commands when they change, and otherwise at the keep-alive interval."""
        if self._keep_alive.is_due(command.nearest_raw, now_ns):
            self._keep_alive.on_sent(command.nearest_raw, now_ns)
            self._sent = self.robot.chassis.next_targets_raw(command)
            self.robot.chassis.on_sent(self._sent, now_ns)


class PublishedPilot:
    """The programs of Park 2024: 10 Hz, motion-capture poses as they arrive, no compensation.

    The clocks of the two programs are not synchronized, so the reference is late by part of a period. If one wheel
    exceeds its speed limit, both are scaled down, as in ros-thymio.

    Parameters
    ----------
    point : the reference, which moves at constant speed
    gains : gains of the law
    wheels : configured wheel calibration
    stale_s : delay of the reference
    """

    control_hz = 1.0 / PUBLISHED_PERIOD_S

    def __init__(self, point: Trajectory, gains: PdPursuitGains, wheels: WheelCalibration, stale_s: float) -> None:
        self.schedule: Schedule | None = None
        self.ended_ns: int | None = None
        self._point = point
        self._law = PdPursuit(point, gains)
        self._stale_s = stale_s
        self._wheels = wheels
        self._drive = DifferentialDrive(wheels.axle_length_m, wheels.max_wheel_mps)
        self._pose: Pose2D | None = None

    @property
    def is_done(self) -> bool:
        """Whether the reference has reached the path's end."""
        return self.ended_ns is not None

    def on_report(self, words: Sequence[int], now_ns: int) -> None:
        """Do nothing: the law uses no odometry."""

    def on_sample(self, sample: PlantSample, now_ns: int) -> None:
        """Process a motion-capture measurement."""
        self._pose = sample.pose

    def step(self, now_ns: int) -> Targets:
        """Return the present motor targets."""
        if self._pose is None:
            return 0, 0
        if self.schedule is None:
            self.schedule = Schedule(self._point, now_ns, is_timed=True)
        time_s = (now_ns - self.schedule.started_ns) * 1e-9 - self._stale_s
        if time_s >= self._point.duration_s and self.ended_ns is None:
            self.ended_ns = now_ns
        twist = self._law.step(ControlInput(self._pose, STILL, max(0.0, time_s), PUBLISHED_PERIOD_S, 0.0))
        return motor_units(self._drive.wheel_speeds(twist), self._wheels, 0)
