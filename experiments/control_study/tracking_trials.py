"""Measures tracking errors of control laws: trials of several laws on one path at one level of disturbance.

All numbers are based on the true poses of all seeds. The first 5 s do not count: gains and latency are still being
learned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.control_study.pilot import PUBLISHED_PERIOD_S, FleetPilot, PublishedPilot, Schedule
from experiments.control_study.plant import DisturbanceLevel, Plant
from experiments.control_study.plant_run import RECORD_S, REST_S, drive, recorded, stands_since_s
from experiments.control_study.study_laws import LawUnderTest
from experiments.lab.courses import Course, course
from fleet.tasks.task import follow_path
from fleet.trajectories.timing import plan_at_constant_speed

Array = NDArray[np.float64]
TrackingPilot = FleetPilot | PublishedPilot

SPEED_MPS = 0.1
WARM_UP_S = 5.0
_OVERTIME = 1.3  # a law that tracks the path may take this many times as long ...
_END_S = 10.0  # ... plus this time to start and to end
_REACHED_M = 0.05
_COMPARED_EVERY = 5  # rows of the record between comparisons


@dataclass(frozen=True, slots=True)
class Trial:
    """Several laws on one path at one level; each law has one robot per seed, with the same random numbers."""

    laws_under_test: tuple[LawUnderTest, ...]
    path: str
    level: DisturbanceLevel
    seeds: int
    laps: int

    @property
    def course(self) -> Course:
        """The driven path with its laps."""
        return course(self.path, self.laps)


@dataclass(frozen=True, slots=True)
class TrackingRow:
    """The result of one law in a trial.

    Parameters
    ----------
    max_mm, rms_mm : largest and root mean square distance from the path
    miss_mm : largest closest approach to a corner in any lap
    time_max_mm : largest distance from the law's own reference; None if the reference is not timed
    speed_error_mm_s : root mean square difference from the reference's speed; None likewise
    lap_ratio : mean time for the laps, relative to their length at 0.1 m/s
    completed : share of the seeds that reached the end
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
class TrialDrive:
    """The run of one law in a trial: true poses every 20 ms, shape (times, seeds, 3), until 2 s after all have ended.

    A robot that never started has no schedule.
    """

    trial: Trial
    law_under_test: LawUnderTest
    poses: Array
    schedules: tuple[Schedule | None, ...]
    have_ended: tuple[bool, ...]

    @property
    def positions(self) -> Array:
        """Positions of the robots, shape (times, seeds, 2)."""
        return self.poses[..., :2]


def perform(trial: Trial) -> list[TrialDrive]:
    """Drive all seeds of all laws at once; return each law's run."""
    teams = [_pilots(trial, law_under_test) for law_under_test in trial.laws_under_test]
    run = trial.course
    plant = Plant(trial.level, trial.seeds, run.lap.start, len(teams))
    limit_s = _OVERTIME * run.length_m / SPEED_MPS + _END_S
    poses = drive(plant, [pilot for team in teams for pilot in team], limit_s)
    firsts = range(0, poses.shape[1], trial.seeds)
    return [
        _drive(trial, law_under_test, team, poses[:, first : first + trial.seeds])
        for law_under_test, team, first in zip(trial.laws_under_test, teams, firsts, strict=True)
    ]


def measure(trial: Trial) -> list[TrackingRow]:
    """Drive all seeds of all laws at once; return each law's distances from the path."""
    return [summary(driven) for driven in perform(trial)]


def summary(drive: TrialDrive) -> TrackingRow:
    """Return the result of a run."""
    trial = drive.trial
    off_m = trial.course.distances(drive.positions[round(WARM_UP_S / RECORD_S) :])
    time_max_mm, speed_error_mm_s = _against_schedules(drive)
    return TrackingRow(
        path=trial.path,
        law=drive.law_under_test.name,
        level=trial.level.name,
        max_mm=1000.0 * float(off_m.max()),
        rms_mm=1000.0 * float(np.sqrt(np.mean(off_m**2))),
        miss_mm=1000.0 * trial.course.missed_m(drive.positions),
        time_max_mm=time_max_mm,
        speed_error_mm_s=speed_error_mm_s,
        lap_ratio=_lasted_s(drive) * SPEED_MPS / trial.course.length_m,
        completed=_completed(drive),
        laps=trial.laps,
        seeds=trial.seeds,
    )


def _pilots(trial: Trial, law_under_test: LawUnderTest) -> Sequence[TrackingPilot]:
    config = law_under_test.config
    if not law_under_test.is_published:
        request = follow_path("laps", trial.course.lap, config.following, SPEED_MPS, trial.laps)
        return [FleetPilot(config, request) for _ in range(trial.seeds)]
    point = plan_at_constant_speed(trial.course.path, SPEED_MPS)
    stale = np.random.default_rng([3, 0]).uniform(0.0, PUBLISHED_PERIOD_S, trial.seeds).tolist()
    gains, wheels = config.tracker.pd_pursuit, config.robots[0].wheels
    return [PublishedPilot(point, gains, wheels, stale_s) for stale_s in stale]


def _drive(trial: Trial, law_under_test: LawUnderTest, team: Sequence[TrackingPilot], poses: Array) -> TrialDrive:
    """Return a law's run, without the time when only robots of other laws were still driving."""
    ends_ns = [pilot.ended_ns for pilot in team if pilot.ended_ns is not None]
    rows = recorded(max(ends_ns)) + round(REST_S / RECORD_S) if len(ends_ns) == len(team) else len(poses)
    have_ended = tuple(pilot.is_done for pilot in team)
    return TrialDrive(trial, law_under_test, poses[:rows], tuple(pilot.schedule for pilot in team), have_ended)


def _completed(drive: TrialDrive) -> float:
    """Return the share of the robots that ended at the end of the path."""
    end = drive.trial.course.lap.end
    reached_m = np.hypot(drive.poses[-1, :, 0] - end.x_m, drive.poses[-1, :, 1] - end.y_m)
    return float(np.mean((reached_m < _REACHED_M) & np.array(drive.have_ended)))


def _lasted_s(drive: TrialDrive) -> float:
    """Return the mean time from the start of a robot's task to its standstill."""
    started_s = [0.0 if schedule is None else schedule.started_ns * 1e-9 for schedule in drive.schedules]
    return float(np.mean(stands_since_s(drive.poses) - np.array(started_s)))


def _against_schedules(drive: TrialDrive) -> tuple[float | None, float | None]:
    """Return the largest distance from the reference at the same time [mm], and the speed error [mm/s]."""
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
    """Return distance from the reference and excess speed over time, for a robot's poses of shape (times, 3)."""
    rows = np.arange(round(WARM_UP_S / RECORD_S), len(poses) - 1, _COMPARED_EVERY)
    started_s = schedule.started_ns * 1e-9
    references = [schedule.trajectory.sample(row * RECORD_S - started_s) for row in rows.tolist()]
    places = np.array([[reference.pose.x_m, reference.pose.y_m] for reference in references])
    speeds_mps = np.array([reference.twist.linear_mps for reference in references])
    moved_mps = (poses[rows + 1, :2] - poses[rows - 1, :2]) / (2.0 * RECORD_S)
    ahead = np.stack((np.cos(poses[rows, 2]), np.sin(poses[rows, 2])), axis=1)
    return np.linalg.norm(poses[rows, :2] - places, axis=1), (moved_mps * ahead).sum(axis=1) - speeds_mps
