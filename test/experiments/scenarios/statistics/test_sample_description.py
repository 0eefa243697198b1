"""Descriptive statistics: against closed forms and, for Wilson's interval, scipy."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import binomtest

from experiments.scenarios.statistics.sample_description import bootstrap_interval, describe, wilson_interval


def test_description_has_the_moments_and_quantiles_of_a_sample() -> None:
    found = describe([1.0, 2.0, 3.0, 4.0, 10.0], 1)
    assert (found.n, found.mean, found.median, found.q1, found.q3) == (5, 4.0, 3.0, 2.0, 4.0)
    assert (found.least, found.largest) == (1.0, 10.0)
    assert found.sd == pytest.approx(math.sqrt(12.5), abs=1e-6)


def test_single_value_has_no_deviation_and_an_interval_without_width() -> None:
    found = describe([3.0], 1)
    assert (found.sd, found.low, found.high) == (None, 3.0, 3.0)


def test_bootstrap_interval_is_nearly_the_normal_one_for_a_large_sample() -> None:
    sample = np.random.default_rng(3).normal(5.0, 2.0, 400)
    half = NormalDist().inv_cdf(0.975) * float(sample.std(ddof=1)) / math.sqrt(len(sample))
    low, high = bootstrap_interval(sample, 1)
    assert low == pytest.approx(float(sample.mean()) - half, abs=0.02)
    assert high == pytest.approx(float(sample.mean()) + half, abs=0.02)


def test_bootstrap_interval_depends_on_the_seed_alone() -> None:
    sample = np.random.default_rng(3).normal(size=30)
    assert bootstrap_interval(sample, 1) == bootstrap_interval(sample, 1)
    assert bootstrap_interval(sample, 1) != bootstrap_interval(sample, 2)


def test_bootstrap_of_many_values_draws_in_blocks() -> None:
    low, high = bootstrap_interval(np.arange(2_000, dtype=float) % 2, 1)
    assert low < 0.5 < high
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(2_000), rel=0.1)


@pytest.mark.parametrize(("successes", "count"), [(0, 1), (0, 20), (7, 20), (20, 20), (199, 200)])
def test_wilson_interval_is_that_of_scipy(successes: int, count: int) -> None:
    expected = binomtest(successes, count).proportion_ci(method="wilson")
    assert wilson_interval(successes, count) == pytest.approx((expected.low, expected.high), abs=1e-6)
