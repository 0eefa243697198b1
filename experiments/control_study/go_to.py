"""Measures how fast and how accurately robots reach random poses, relative to the least possible time."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.control_study.pilot import FleetPilot
from experiments.control_study.plant import DisturbanceLevel, Plant
from experiments.control_study.plant_run import RECORD_S, drive, recorded, turn_sizes
from experiments.control_study.study_laws import LawUnderTest
from fleet.geometry import Pose2D
from fleet.tasks.task import TaskState, go_to
from fleet.trajectories.time_bound import least_time_s

Array = NDArray[np.float64]

GOALS = 100
NEAR_M = 0.005
NEAR_RAD = math.radians(2.0)
_START = Pose2D(0.0, 0.0, 0.0)
_NEAREST_M, _FARTHEST_M = 0.3, 1.5
_LIMIT_S = 90.0
_PERCENTILE = 95.0


@dataclass(frozen=True, slots=True)
class GoToTrial:
    """A law at a level of disturbance, with a robot for each goal."""

    law_under_test: LawUnderTest
    level: DisturbanceLevel
    goals: int = GOALS


@dataclass(frozen=True, slots=True)
class Arrival:
    """The result of one robot.

    Parameters
    ----------
    is_ok : whether its task succeeded with its true pose within 5 mm and 2 degrees of the goal
    time_s : time until it stayed within these limits, or until the task's end if it did not
    task_s : time until the task ended
    predicted_s : duration of the task, predicted at its start
    bound_s : least possible time within the speed limits
    off_m, off_rad : errors of position and heading at the task's end
    """

    is_ok: bool
    time_s: float
    task_s: float
    predicted_s: float
    bound_s: float
    off_m: float
    off_rad: float


@dataclass(frozen=True, slots=True)
class GoToRow:
    """The result of a trial; `time_ratio` and `task_ratio` are `Arrival.time_s` and `task_s` divided by `bound_s`."""

    law: str
    level: str
    ok_rate: float
    time_ratio_median: float
    time_ratio_p95: float
    task_ratio_median: float
    eta_error_median: float
    pos_err_p95_mm: float
    heading_err_p95_deg: float
    goals: int


def measure_go_to(trial: GoToTrial) -> GoToRow:
    """Drive all robots at once; return the summary of their arrivals."""
    return go_to_summary(trial.law_under_test.name, trial.level.name, arrivals(trial))


def arrivals(trial: GoToTrial) -> list[Arrival]:
    """Drive all robots at once; return each robot's result."""
    goals = random_goals(trial.goals)
    plant = Plant(trial.level, trial.goals, _START)
    pilots = [FleetPilot(trial.law_under_test.config, go_to("goal", goal)) for goal in goals]
    poses = drive(plant, pilots, _LIMIT_S)
    return [_arrival(pilot, goals[index], poses[:, index]) for index, pilot in enumerate(pilots)]


def random_goals(count: int) -> list[Pose2D]:
    """Return goals at any bearing and heading, 0.3 to 1.5 m away."""
    random = np.random.default_rng(11)
    away_m = random.uniform(_NEAREST_M, _FARTHEST_M, count)
    bearings_rad, headings_rad = random.uniform(-math.pi, math.pi, (2, count))
    goals = np.stack((away_m * np.cos(bearings_rad), away_m * np.sin(bearings_rad), headings_rad), axis=1)
    return [Pose2D(*goal) for goal in goals.tolist()]


def go_to_summary(law: str, level: str, found: list[Arrival]) -> GoToRow:
    """Return the summary of all arrivals of a trial."""
    ratios = np.array([arrival.time_s / arrival.bound_s for arrival in found])
    return GoToRow(
        law=law,
        level=level,
        ok_rate=float(np.mean([arrival.is_ok for arrival in found])),
        time_ratio_median=float(np.median(ratios)),
        time_ratio_p95=float(np.percentile(ratios, _PERCENTILE)),
        task_ratio_median=float(np.median([arrival.task_s / arrival.bound_s for arrival in found])),
        eta_error_median=float(np.median([abs(a.predicted_s - a.task_s) / a.task_s for a in found])),
        pos_err_p95_mm=1000.0 * float(np.percentile([arrival.off_m for arrival in found], _PERCENTILE)),
        heading_err_p95_deg=math.degrees(float(np.percentile([a.off_rad for a in found], _PERCENTILE))),
        goals=len(found),
    )


def _arrival(pilot: FleetPilot, goal: Pose2D, poses: Array) -> Arrival:
    """Return a robot's result from its recorded true poses, shape (times, 3)."""
    started_ns = 0 if pilot.schedule is None else pilot.schedule.started_ns
    first = recorded(started_ns)
    last = len(poses) - 1 if pilot.ended_ns is None else recorded(pilot.ended_ns)
    off_m, off_rad = _off(poses[first : last + 1], goal)
    is_near = (off_m <= NEAR_M) & (off_rad <= NEAR_RAD)
    task_s = RECORD_S * (last - first)
    away = np.flatnonzero(~is_near)
    limits = pilot.config.motion.limits
    return Arrival(
        is_ok=bool(is_near[-1]) and pilot.outcome is not None and pilot.outcome.state is TaskState.SUCCEEDED,
        time_s=RECORD_S * (away[-1] + 1) if is_near[-1] and len(away) else task_s,
        task_s=task_s,
        predicted_s=pilot.predicted_s,
        bound_s=least_time_s(Pose2D(*poses[first].tolist()), goal, limits),
        off_m=float(off_m[-1]),
        off_rad=float(off_rad[-1]),
    )


def _off(poses: Array, goal: Pose2D) -> tuple[Array, Array]:
    """Return distances and heading errors, shape (n,) each, of poses of shape (n, 3) relative to a goal."""
    distances_m = np.hypot(poses[:, 0] - goal.x_m, poses[:, 1] - goal.y_m)
    return distances_m, turn_sizes(poses[:, 2] - goal.heading_rad)
