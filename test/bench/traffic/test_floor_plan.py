"""Floors of the traffic benchmark are well-formed: nobody's start or goal is in the way of all others."""

from itertools import combinations

import numpy as np
import pytest

from bench.traffic.catalogue import LARGE_SCENARIOS, SCENARIOS
from bench.traffic.scenario import Scenario

NEEDED_M = 0.2


@pytest.mark.parametrize("scenario", SCENARIOS + LARGE_SCENARIOS, ids=lambda scenario: scenario.name)
def test_starts_and_goals_are_apart(scenario: Scenario) -> None:
    plan = scenario.plan(np.random.default_rng(3))
    for places in (plan.starts, plan.goals):
        assert all(first.distance_to(second) > NEEDED_M for first, second in combinations(places, 2))


@pytest.mark.parametrize("scenario", SCENARIOS + LARGE_SCENARIOS, ids=lambda scenario: scenario.name)
def test_same_seed_gives_the_same_floor(scenario: Scenario) -> None:
    first, second = (scenario.plan(np.random.default_rng(4)) for _ in range(2))
    assert (first.starts, first.goals, first.walls) == (second.starts, second.goals, second.walls)
