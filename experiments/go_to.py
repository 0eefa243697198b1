"""How fast and how exactly robots come to random poses, against the least time that any controller would need."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.contender import Contender
from experiments.pilot import FleetPilot
from experiments.plant import Level, Plant
from experiments.run import RECORD_S, drive, recorded
from fleet.geometry import Pose2D
from fleet.paths.time_bound import least_time_s
from fleet.tasks import TaskState, go_to

Array = NDArray[np.float64]

GOALS = 100
NEAR_M = 0.005
NEAR_RAD = math.radians(2.0)
_START = Pose2D(0.0, 0.0, 0.0)
_NEAREST_M, _FARTHEST_M = 0.3, 1.5
_LIMIT_S = 90.0
_PERCENTILE = 95.0


@dataclass(frozen=True, slots=True)
class GoToHeat:
    """One law at one level, with a robot for each goal."""

    contender: Contender
    level: Level
    goals: int = GOALS


@dataclass(frozen=True, slots=True)
class Arrival:
    """What became of one robot.

    Parameters
    ----------
    is_ok : whether its task succeeded, and it then truly stood within 5 mm and 2 degrees of the goal
    time_s : until it was within these for good; until the task's end where it was not
    task_s : until the task ended
    promised_s : how long the task would take, as told at its start
    bound_s : what no controller can undercut within the limits of speed
    off_m, off_rad : of position and heading, at the task's end
    """

    is_ok: bool
    time_s: float
    task_s: float
    promised_s: float
    bound_s: float
    off_m: float
    off_rad: float


@dataclass(frozen=True, slots=True)
class GoToRow:
    """What became of a heat; `time_ratio` is `Arrival.time_s` by the bound, `task_ratio` the whole task's time."""

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


def measure_go_to(heat: GoToHeat) -> GoToRow:
    """Drive all robots at once; return how fast and how exactly they came to their goals."""
    return go_to_summary(heat.contender.name, heat.level.name, arrivals(heat))


def arrivals(heat: GoToHeat) -> list[Arrival]:
    """Drive all robots at once; return what became of each."""
    goals = random_goals(heat.goals)
    plant = Plant(heat.level, heat.goals, _START)
    pilots = [FleetPilot(heat.contender.config, go_to("goal", goal)) for goal in goals]
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
    """Return what all arrivals of a heat say."""
    ratios = np.array([arrival.time_s / arrival.bound_s for arrival in found])
    return GoToRow(
        law=law,
        level=level,
        ok_rate=float(np.mean([arrival.is_ok for arrival in found])),
        time_ratio_median=float(np.median(ratios)),
        time_ratio_p95=float(np.percentile(ratios, _PERCENTILE)),
        task_ratio_median=float(np.median([arrival.task_s / arrival.bound_s for arrival in found])),
        eta_error_median=float(np.median([abs(a.promised_s - a.task_s) / a.task_s for a in found])),
        pos_err_p95_mm=1000.0 * float(np.percentile([arrival.off_m for arrival in found], _PERCENTILE)),
        heading_err_p95_deg=math.degrees(float(np.percentile([a.off_rad for a in found], _PERCENTILE))),
        goals=len(found),
    )


def _arrival(pilot: FleetPilot, goal: Pose2D, poses: Array) -> Arrival:
    """Return what became of a robot with a record of its true poses, (times, 3)."""
    began_ns = 0 if pilot.schedule is None else pilot.schedule.began_ns
    first = recorded(began_ns)
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
        promised_s=pilot.promised_s,
        bound_s=least_time_s(Pose2D(*poses[first].tolist()), goal, limits),
        off_m=float(off_m[-1]),
        off_rad=float(off_rad[-1]),
    )


def _off(poses: Array, goal: Pose2D) -> tuple[Array, Array]:
    """Return how far from a goal poses, (n, 3), are, and by which angle they look elsewhere; (n,) each."""
    turned_rad = np.remainder(poses[:, 2] - goal.heading_rad + math.pi, math.tau) - math.pi
    return np.hypot(poses[:, 0] - goal.x_m, poses[:, 1] - goal.y_m), np.abs(turned_rad)
