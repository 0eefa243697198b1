"""Short runs of the traffic benchmark with three robots."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from bench.traffic.floor_plan import circle, grid, squares
from bench.traffic.run_figures import RunFigures
from bench.traffic.scenario import Avoidance, Demand, Scenario
from bench.traffic.traffic_run import RunOrder, perform

TOUCHING_M = 0.16
SWAP = Scenario("three", partial(circle, 3, 1.2), Demand.SWAP)


@pytest.fixture(scope="module")
def swap() -> RunFigures:
    return perform(RunOrder(SWAP, Avoidance.TRAFFIC, 1))


def test_robots_swap_places_without_contact(swap: RunFigures) -> None:
    assert (swap.contacts, swap.asked, len(swap.durations_s), swap.failures) == (0, 3, 3, [])
    assert swap.least_gap_m > TOUCHING_M


def test_tasks_take_about_as_long_as_alone_or_longer(swap: RunFigures) -> None:
    assert min(swap.ratios) > 0.95


def test_same_seed_gives_the_same_run(swap: RunFigures) -> None:
    again = perform(RunOrder(SWAP, Avoidance.TRAFFIC, 1))
    assert np.array_equal(again.tracks, swap.tracks)
    assert again.durations_s == swap.durations_s


def test_robots_without_traffic_touch() -> None:
    assert perform(RunOrder(SWAP, Avoidance.NONE, 1)).contacts > 0


def test_robots_get_random_goals_until_the_end() -> None:
    scenario = replace(SWAP, work=Demand.RANDOM, duration_s=15.0)
    run = perform(RunOrder(scenario, Avoidance.TRAFFIC, 1))
    assert run.asked > 3
    assert run.asked == len(run.durations_s)


def test_tasks_of_dead_robots_are_not_counted() -> None:
    scenario = replace(SWAP, work=Demand.RANDOM, duration_s=10.0, dying=3)
    run = perform(RunOrder(scenario, Avoidance.TRAFFIC, 1))
    assert run.failures == []


@pytest.mark.slow
def test_followed_paths_are_kept() -> None:
    run = perform(RunOrder(Scenario("two", partial(squares, 2, 1.8), Demand.PATHS), Avoidance.TRAFFIC, 1))
    assert run.off_path_mm is not None
    assert run.off_path_mm < 10.0


def test_teleoperated_robots_are_asked_nothing() -> None:
    run = perform(RunOrder(Scenario("hand", partial(grid, 3, 1), Demand.TWISTS, 5.0), Avoidance.TRAFFIC, 1))
    assert (run.asked, run.contacts) == (0, 0)
