"""Short fuzz runs of traffic: disorder, then everything ends and every robot arrives."""

import pytest

from bench.traffic_fuzz.fuzz_run import FuzzCase, perform
from harness.budgets import examples


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 1 + examples(8)))
def test_disorder_on_one_floor_ends_well(seed: int) -> None:
    result = perform(FuzzCase(seed, robots=6, duration_s=20.0, events_hz=3.0))
    assert result.problems == []
    assert result.ends["SUCCEEDED"] > 0
    assert 0.0 < result.disagreed_m < 0.03


@pytest.mark.slow
def test_same_seed_gives_the_same_run() -> None:
    case = FuzzCase(9, robots=4, duration_s=10.0, events_hz=3.0)
    assert perform(case) == perform(case)
