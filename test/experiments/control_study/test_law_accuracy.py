"""How closely robots follow their path, on the simulator's own plant; every number is seeded."""

from dataclasses import replace
from functools import lru_cache

import pytest

from experiments.control_study.plant import GRID, LEVELS, DisturbanceLevel
from experiments.control_study.study_laws import LawUnderTest, laws_under_test
from experiments.control_study.tracking_trials import TrackingRow, Trial, measure
from fleet.control.tracker_config import ActuationConfig

LAWS_UNDER_TEST = laws_under_test()
L1, L2, L3 = LEVELS
SEEDS = 2


@lru_cache
def drive(law: str, path: str, level: DisturbanceLevel) -> TrackingRow:
    return alone(LAWS_UNDER_TEST[law], path, level)


def alone(law_under_test: LawUnderTest, path: str, level: DisturbanceLevel) -> TrackingRow:
    (row,) = measure(Trial((law_under_test,), path, level, SEEDS, 1))
    return row


def test_published_law_deviates_as_its_author_reported_on_a_straight_line() -> None:
    row = drive("published", "straight", L1)
    assert 40.0 < row.max_mm < 100.0


@pytest.mark.parametrize("law", ["kanayama", "lqr", "path_following"])
@pytest.mark.parametrize(("level", "max_mm"), [(L1, 1.5), (L2, 2.5), (L3, 12.0)])
def test_corners_are_passed_within_millimetres(law: str, level: DisturbanceLevel, max_mm: float) -> None:
    row = drive(law, "straight", level)
    assert row.max_mm < max_mm
    assert row.miss_mm < max_mm
    assert row.completed == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("law", ["kanayama", "lqr", "path_following", "pure_pursuit"])
@pytest.mark.parametrize("level", [L1, L2], ids=lambda level: level.name)
def test_curves_are_followed_ten_times_closer_than_by_the_published_law(law: str, level: DisturbanceLevel) -> None:
    assert drive(law, "circle", level).max_mm * 10.0 < drive("published", "circle", level).max_mm


@pytest.mark.parametrize("law", ["kanayama", "lqr"])
@pytest.mark.parametrize("path", ["straight", "circle"])
def test_robots_stay_close_to_their_reference_in_time(law: str, path: str) -> None:
    assert drive(law, path, L2).time_max_mm < 4.0


@pytest.mark.parametrize("level", GRID[::2], ids=lambda level: level.name)
def test_neither_latency_nor_unequal_wheels_matter_once_they_are_learned(level: DisturbanceLevel) -> None:
    assert drive("lqr", "circle", level).max_mm < 1.5


def with_actuation(actuation: ActuationConfig) -> LawUnderTest:
    lqr = LAWS_UNDER_TEST["lqr"]
    return replace(lqr, config=replace(lqr.config, actuation=actuation))


def test_without_prediction_latency_matters() -> None:
    blind = with_actuation(replace(LAWS_UNDER_TEST["lqr"].config.actuation, predicts=False))
    assert alone(blind, "straight", L2).max_mm > 2.0 * drive("lqr", "straight", L2).max_mm


def test_without_learned_gains_unequal_wheels_matter() -> None:
    naive = with_actuation(replace(LAWS_UNDER_TEST["lqr"].config.actuation, learns_gains=False))
    assert alone(naive, "circle", L2).max_mm > 1.5 * drive("lqr", "circle", L2).max_mm


def test_the_same_seeds_give_the_same_numbers() -> None:
    trial = Trial((LAWS_UNDER_TEST["lqr"],), "straight", L3, 2, 1)
    assert measure(trial) == measure(trial)
