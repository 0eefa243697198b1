"""The experiments measure what they claim, and give the same results each time."""

import math

import numpy as np
import pytest

from aseba_link.thymio.events import decode_odometry, wheel_travel
from experiments.control_study.go_to import GoToTrial, measure_go_to, random_goals
from experiments.control_study.plant import LEVELS, DisturbanceLevel, Plant
from experiments.control_study.plant_run import drive, stands_since_s, turn_sizes
from experiments.control_study.study_laws import default_law_under_test, laws_under_test
from experiments.control_study.tracking_trials import Trial, measure, perform
from fleet.geometry import Pose2D

L1, L2, L3 = LEVELS
START = Pose2D(0.0, 0.0, 0.0)
LAWS_UNDER_TEST = laws_under_test()


class Straight:
    """Drives ahead for two seconds, and records the wheels' reports."""

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


def test_plant_reports_rolled_distances_as_robots_do() -> None:
    pilot = Straight()
    poses = drive(Plant(L1, 1, START), [pilot], 10.0)
    travel = wheel_travel(pilot.reports[0], pilot.reports[-1])
    rolled_m = math.hypot(*(poses[-1, 0, :2] - poses[0, 0, :2]))
    assert rolled_m == pytest.approx(-1.03 * travel.left_m, rel=0.01)


def test_record_shows_since_when_robots_are_stationary() -> None:
    poses = drive(Plant(L1, 1, START), [Straight()], 10.0)
    assert 2.0 < stands_since_s(poses)[0] < 2.4


def test_turns_are_measured_the_short_way_round() -> None:
    differences_rad = np.array([[0.1, -0.1], [math.tau - 0.1, -math.tau + 0.1]])
    assert turn_sizes(differences_rad) == pytest.approx(np.full((2, 2), 0.1))


def test_robots_of_one_seed_get_the_same_random_numbers() -> None:
    poses = drive(Plant(L3, 2, START, copies=2), [Straight() for _ in range(4)], 10.0)
    assert np.array_equal(poses[:, :2], poses[:, 2:])


def test_result_of_a_law_does_not_depend_on_the_other_laws() -> None:
    lqr, published = LAWS_UNDER_TEST["lqr"], LAWS_UNDER_TEST["published"]
    _, beside = measure(Trial((published, lqr), "circle", L3, 2, 1))
    (alone,) = measure(Trial((lqr,), "circle", L3, 2, 1))
    assert beside == alone


def test_robot_at_the_end_of_its_path_has_completed() -> None:
    (row,) = measure(Trial((default_law_under_test(),), "circle", L1, 2, 1))
    assert row.completed == 1.0
    assert row.lap_ratio == pytest.approx(1.0, abs=0.03)


def test_the_published_law_runs_at_its_own_rate_and_with_its_own_reference() -> None:
    (driven,) = perform(Trial((LAWS_UNDER_TEST["published"],), "straight", L1, 1, 1))
    schedule = driven.schedules[0]
    assert schedule is not None
    assert schedule.trajectory.sample(9.0).twist.linear_mps == pytest.approx(0.1)


def test_law_without_a_reference_in_time_has_no_time_error() -> None:
    (row,) = measure(Trial((LAWS_UNDER_TEST["path_following"],), "circle", L1, 1, 1))
    assert (row.time_max_mm, row.speed_error_mm_s) == (None, None)


def test_random_goals_keep_their_distance_limits() -> None:
    away_m = [START.distance_to(goal) for goal in random_goals(100)]
    assert 0.3 <= min(away_m) < max(away_m) <= 1.5


@pytest.mark.parametrize("level", [L1, L2], ids=lambda level: level.name)
def test_robots_reach_their_goals(level: DisturbanceLevel) -> None:
    row = measure_go_to(GoToTrial(default_law_under_test(), level, 12))
    assert row.ok_rate == 1.0
    assert 1.0 < row.time_ratio_median < row.task_ratio_median
    assert row.eta_error_median < 0.15
