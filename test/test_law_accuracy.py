"""How near to their path robots stay, on the simulator's own plant; every number is seeded."""

from dataclasses import replace
from functools import lru_cache

import pytest

from experiments.contender import Contender, contenders
from experiments.plant import GRID, LEVELS, Level
from experiments.tracking import Heat, Row, measure
from fleet.tracker_config import ActuationConfig

CONTENDERS = contenders()
L1, L2, L3 = LEVELS
SEEDS = 2


@lru_cache
def drive(law: str, path: str, level: Level) -> Row:
    return alone(CONTENDERS[law], path, level)


def alone(contender: Contender, path: str, level: Level) -> Row:
    (row,) = measure(Heat((contender,), path, level, SEEDS, 1))
    return row


def test_the_published_law_deviates_as_its_author_saw_it_on_a_straight_line() -> None:
    row = drive("published", "straight", L1)
    assert 40.0 < row.max_mm < 100.0


@pytest.mark.parametrize("law", ["kanayama", "lqr", "path_following"])
@pytest.mark.parametrize(("level", "max_mm"), [(L1, 1.5), (L2, 2.5), (L3, 12.0)])
def test_corners_are_taken_within_millimetres(law: str, level: Level, max_mm: float) -> None:
    row = drive(law, "straight", level)
    assert row.max_mm < max_mm
    assert row.miss_mm < max_mm
    assert row.completed == 1.0


@pytest.mark.parametrize("law", ["kanayama", "lqr", "path_following", "pure_pursuit"])
@pytest.mark.parametrize("level", [L1, L2], ids=lambda level: level.name)
def test_curves_are_followed_ten_times_nearer_than_by_the_published_law(law: str, level: Level) -> None:
    assert drive(law, "circle", level).max_mm * 10.0 < drive("published", "circle", level).max_mm


@pytest.mark.parametrize("law", ["kanayama", "lqr"])
@pytest.mark.parametrize("path", ["straight", "circle"])
def test_robots_are_where_their_reference_is_when_it_is_there(law: str, path: str) -> None:
    assert drive(law, path, L2).time_max_mm < 4.0


@pytest.mark.parametrize("level", GRID[::2], ids=lambda level: level.name)
def test_neither_latency_nor_unequal_wheels_matter_once_they_are_learned(level: Level) -> None:
    assert drive("lqr", "circle", level).max_mm < 1.5


def with_actuation(actuation: ActuationConfig) -> Contender:
    lqr = CONTENDERS["lqr"]
    return replace(lqr, config=replace(lqr.config, actuation=actuation))


def test_without_prediction_latency_matters() -> None:
    blind = with_actuation(replace(CONTENDERS["lqr"].config.actuation, predicts=False))
    assert alone(blind, "straight", L2).max_mm > 2.0 * drive("lqr", "straight", L2).max_mm


def test_without_learned_gains_unequal_wheels_matter() -> None:
    naive = with_actuation(replace(CONTENDERS["lqr"].config.actuation, learns_gains=False))
    assert alone(naive, "circle", L2).max_mm > 1.5 * drive("lqr", "circle", L2).max_mm


def test_the_same_seeds_give_the_same_numbers() -> None:
    heat = Heat((CONTENDERS["lqr"],), "straight", L3, 2, 1)
    assert measure(heat) == measure(heat)
