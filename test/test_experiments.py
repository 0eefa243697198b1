"""The experiments measure what they say, and the same each time."""

import math

import pytest

from aseba_link.thymio import decode_odometry, wheel_travel
from experiments.contender import contenders, default_contender
from experiments.deadlock import deadlock_heats, deadlock_row
from experiments.drift import measure_drift
from experiments.go_to import GoToHeat, measure_go_to, random_goals
from experiments.plant import LEVELS, Level, Plant
from experiments.run import drive, stands_since_s
from experiments.tracking import Heat, measure, perform
from fleet.geometry import Pose2D

L1, L2, L3 = LEVELS
START = Pose2D(0.0, 0.0, 0.0)
CONTENDERS = contenders()


class Straight:
    """Drives ahead for two seconds, and notes what the wheels reported."""

    control_hz = 20.0

    def __init__(self) -> None:
        self.is_done = False
        self.reports = [decode_odometry((0, 0, 0, 0, 0))]

    def on_report(self, words: tuple[int, ...], now_ns: int) -> None:
        self.reports.append(decode_odometry(words))

    def on_sample(self, sample: object, now_ns: int) -> None:
        pass

    def step(self, now_ns: int) -> tuple[int, int]:
        self.is_done = now_ns >= 2_000_000_000
        return (0, 0) if self.is_done else (-300, -300)


def test_a_plant_reports_as_robots_do_how_far_their_wheels_rolled() -> None:
    pilot = Straight()
    poses = drive(Plant(L1, 1, START), [pilot], 10.0)
    travel = wheel_travel(pilot.reports[0], pilot.reports[-1])
    rolled_m = math.hypot(*(poses[-1, 0, :2] - poses[0, 0, :2]))
    assert rolled_m == pytest.approx(-1.03 * travel.left_m, rel=0.01)


def test_a_record_tells_since_when_robots_stand() -> None:
    poses = drive(Plant(L1, 1, START), [Straight()], 10.0)
    assert 2.0 < stands_since_s(poses)[0] < 2.4


def test_robots_of_one_seed_meet_with_the_same_chance() -> None:
    poses = drive(Plant(L3, 2, START, copies=2), [Straight() for _ in range(4)], 10.0)
    assert poses[:, :2] == pytest.approx(poses[:, 2:], abs=1e-9)


def test_a_law_does_the_same_whoever_drives_beside_it() -> None:
    lqr, published = CONTENDERS["lqr"], CONTENDERS["published"]
    _, beside = measure(Heat((published, lqr), "circle", L3, 2, 1))
    (alone,) = measure(Heat((lqr,), "circle", L3, 2, 1))
    assert (beside.max_mm, beside.rms_mm) == pytest.approx((alone.max_mm, alone.rms_mm), abs=1e-6)


def test_other_batches_are_disturbed_otherwise() -> None:
    first, second = (Plant(L1, 1, START, batch).poses()[0, 0] for batch in (0, 1))
    assert first != second


def test_a_robot_that_comes_to_the_end_has_completed() -> None:
    (row,) = measure(Heat((default_contender(),), "circle", L1, 2, 1))
    assert row.completed == 1.0
    assert row.lap_ratio == pytest.approx(1.0, abs=0.03)


def test_the_published_law_runs_at_its_own_rate_and_with_its_own_reference() -> None:
    (driven,) = perform(Heat((CONTENDERS["published"],), "straight", L1, 1, 1))
    schedule = driven.schedules[0]
    assert schedule is not None
    assert schedule.trajectory.sample(9.0).twist.linear_mps == pytest.approx(0.1)


def test_a_law_without_a_reference_in_time_is_not_late() -> None:
    (row,) = measure(Heat((CONTENDERS["path_following"],), "circle", L1, 1, 1))
    assert (row.time_max_mm, row.speed_error_mm_s) == (None, None)


def test_goals_lie_between_the_nearest_and_the_farthest() -> None:
    away_m = [START.distance_to(goal) for goal in random_goals(100)]
    assert 0.3 <= min(away_m) < max(away_m) <= 1.5


@pytest.mark.parametrize("level", [L1, L2], ids=lambda level: level.name)
def test_robots_come_to_their_goals(level: Level) -> None:
    row = measure_go_to(GoToHeat(default_contender(), level, 12))
    assert row.ok_rate == 1.0
    assert 1.0 < row.time_ratio_median < row.task_ratio_median
    assert row.eta_error_median < 0.15


def test_runs_back_and_forth_are_shared_among_heats() -> None:
    heats = deadlock_heats(default_contender(), L3, 50)
    assert [heat.seeds for heat in heats] == [20, 20, 10]
    assert len({heat.batch for heat in heats}) == 3


def test_a_run_that_leaves_the_band_is_counted() -> None:
    row = deadlock_row(default_contender(), L3, [0.004, 0.11, 7.8])
    assert (row.left, row.worst_mm, row.runs) == (2, pytest.approx(7800.0), 3)


def test_calibration_cuts_the_drift_of_odometry_fivefold() -> None:
    configured, calibrated = measure_drift(seeds=2, laps=1)
    assert configured.drift_mm > 5.0 * calibrated.drift_mm
