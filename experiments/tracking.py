"""How well control laws keep robots on their path: heats, each of some laws on one path at one level.

All numbers are of the true poses of all seeds. The first 5 s do not count: gains and latency are learned meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.contender import Contender
from experiments.paths import Course, course
from experiments.pilot import PUBLISHED_PERIOD_S, FleetPilot, PublishedPilot, Schedule
from experiments.plant import Level, Plant
from experiments.run import RECORD_S, REST_S, drive, recorded, stands_since_s
from fleet.config import FleetConfig
from fleet.paths.timing import plan_at_constant_speed
from fleet.tasks import follow_path

Array = NDArray[np.float64]
TrackingPilot = FleetPilot | PublishedPilot

SPEED_MPS = 0.1
WARM_UP_S = 5.0
_OVERTIME = 1.3  # a law that tracks the path may take this much longer ...
_END_S = 10.0  # ... and this much, to begin and to end
_REACHED_M = 0.05
_COMPARED_EVERY = 5  # rows of the record


@dataclass(frozen=True, slots=True)
class Heat:
    """Some laws on one path at one level, each with a robot for each seed, which meet with the same chance."""

    contenders: tuple[Contender, ...]
    path: str
    level: Level
    seeds: int
    laps: int
    batch: int = 0

    @property
    def course(self) -> Course:
        """What is driven."""
        return course(self.path, self.laps)


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one law in a heat.

    Parameters
    ----------
    max_mm, rms_mm : distance from the path
    miss_mm : largest closest approach to a corner, in any lap
    time_max_mm : largest distance from the law's own reference; None where it has none in time
    speed_error_mm_s : root mean square difference from the reference's speed, or None
    lap_ratio : mean time for the laps by length / 0.1 m/s
    completed : share of the seeds that came to the end
    """

    path: str
    law: str
    level: str
    max_mm: float
    rms_mm: float
    miss_mm: float
    time_max_mm: float | None
    speed_error_mm_s: float | None
    lap_ratio: float
    completed: float
    laps: int
    seeds: int


@dataclass(frozen=True, slots=True)
class Drive:
    """What one law did in a heat: true poses every 20 ms, (times, seeds, 3), until all its robots stood for 2 s.

    A robot that never began has no schedule.
    """

    heat: Heat
    contender: Contender
    poses: Array
    schedules: tuple[Schedule | None, ...]
    have_ended: tuple[bool, ...]

    @property
    def positions(self) -> Array:
        """Where the robots were; (times, seeds, 2)."""
        return self.poses[..., :2]


def perform(heat: Heat) -> list[Drive]:
    """Drive all seeds of all laws at once; return what each law did."""
    return follow(heat, [_pilots(heat, contender) for contender in heat.contenders])


def follow(heat: Heat, teams: Sequence[Sequence[TrackingPilot]]) -> list[Drive]:
    """Let pilots, for each law one for each seed, drive a heat."""
    run = heat.course
    plant = Plant(heat.level, heat.seeds, run.lap.start, heat.batch, len(teams))
    limit_s = _OVERTIME * run.length_m / SPEED_MPS + _END_S
    poses = drive(plant, [pilot for team in teams for pilot in team], limit_s)
    firsts = range(0, poses.shape[1], heat.seeds)
    return [
        _drive(heat, contender, team, poses[:, first : first + heat.seeds])
        for contender, team, first in zip(heat.contenders, teams, firsts, strict=True)
    ]


def fleet_pilots(heat: Heat, configs: Sequence[FleetConfig]) -> list[FleetPilot]:
    """Return what drives each robot of a law of the fleet, each with its own configuration."""
    limits = configs[0].following
    request = follow_path("laps", heat.course.lap, limits, SPEED_MPS, heat.laps)
    return [FleetPilot(config, request) for config in configs]


def measure(heat: Heat) -> list[Row]:
    """Drive all seeds of all laws at once; return for each law how far its robots were from their path."""
    return [summary(driven) for driven in perform(heat)]


def summary(drive: Drive) -> Row:
    """Return what the record of a heat says."""
    heat = drive.heat
    off_m = heat.course.distances(drive.positions[round(WARM_UP_S / RECORD_S) :])
    time_max_mm, speed_error_mm_s = _against_schedules(drive)
    return Row(
        path=heat.path,
        law=drive.contender.name,
        level=heat.level.name,
        max_mm=1000.0 * float(off_m.max()),
        rms_mm=1000.0 * float(np.sqrt(np.mean(off_m**2))),
        miss_mm=1000.0 * heat.course.missed_m(drive.positions),
        time_max_mm=time_max_mm,
        speed_error_mm_s=speed_error_mm_s,
        lap_ratio=_lasted_s(drive) * SPEED_MPS / heat.course.length_m,
        completed=_completed(drive),
        laps=heat.laps,
        seeds=heat.seeds,
    )


def _pilots(heat: Heat, contender: Contender) -> Sequence[TrackingPilot]:
    if not contender.is_published:
        return fleet_pilots(heat, [contender.config] * heat.seeds)
    point = plan_at_constant_speed(heat.course.path, SPEED_MPS)
    stale = np.random.default_rng([3, heat.batch]).uniform(0.0, PUBLISHED_PERIOD_S, heat.seeds).tolist()
    gains, wheels = contender.config.tracker.pd_pursuit, contender.config.robots[0].wheels
    return [PublishedPilot(point, gains, wheels, stale_s) for stale_s in stale]


def _drive(heat: Heat, contender: Contender, team: Sequence[TrackingPilot], poses: Array) -> Drive:
    """Return what a law did, without the time in which robots of others still drove."""
    ends_ns = [pilot.ended_ns for pilot in team if pilot.ended_ns is not None]
    rows = recorded(max(ends_ns)) + round(REST_S / RECORD_S) if len(ends_ns) == len(team) else len(poses)
    have_ended = tuple(pilot.is_done for pilot in team)
    return Drive(heat, contender, poses[:rows], tuple(pilot.schedule for pilot in team), have_ended)


def _completed(drive: Drive) -> float:
    """Return the share of the robots that ended, and are where the path does."""
    end = drive.heat.course.lap.end
    reached_m = np.hypot(drive.poses[-1, :, 0] - end.x_m, drive.poses[-1, :, 1] - end.y_m)
    return float(np.mean((reached_m < _REACHED_M) & np.array(drive.have_ended)))


def _lasted_s(drive: Drive) -> float:
    """Return for how long robots moved, from when they were told to begin, in the mean."""
    began_s = [0.0 if schedule is None else schedule.began_ns * 1e-9 for schedule in drive.schedules]
    return float(np.mean(stands_since_s(drive.poses) - np.array(began_s)))


def _against_schedules(drive: Drive) -> tuple[float | None, float | None]:
    """Return the largest distance in mm from where the reference then was, and the error of the speed in mm/s."""
    timed = [
        _against(drive.poses[:, index], schedule)
        for index, schedule in enumerate(drive.schedules)
        if schedule is not None and schedule.is_timed
    ]
    if not timed:
        return None, None
    away_m, too_fast_mps = (np.concatenate(parts) for parts in zip(*timed, strict=True))
    return 1000.0 * float(away_m.max()), 1000.0 * float(np.sqrt(np.mean(too_fast_mps**2)))


def _against(poses: Array, schedule: Schedule) -> tuple[Array, Array]:
    """Return for one robot, (times, 3), how far it was from its reference, and how much faster than that."""
    rows = np.arange(round(WARM_UP_S / RECORD_S), len(poses) - 1, _COMPARED_EVERY)
    began_s = schedule.began_ns * 1e-9
    references = [schedule.trajectory.sample(row * RECORD_S - began_s) for row in rows.tolist()]
    places = np.array([[reference.pose.x_m, reference.pose.y_m] for reference in references])
    speeds_mps = np.array([reference.twist.linear_mps for reference in references])
    moved_mps = (poses[rows + 1, :2] - poses[rows - 1, :2]) / (2.0 * RECORD_S)
    ahead = np.stack((np.cos(poses[rows, 2]), np.sin(poses[rows, 2])), axis=1)
    return np.linalg.norm(poses[rows, :2] - places, axis=1), (moved_mps * ahead).sum(axis=1) - speeds_mps
