"""Paired comparisons: against closed forms and scipy."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, rankdata

from experiments.scenarios.statistics.paired import (
    holm,
    mcnemar_p,
    paired_difference,
    rank_biserial,
    scipy_signed_rank,
)
from experiments.scenarios.statistics.signed_rank import signed_rank_p


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=30))
def test_rank_biserial_correlation_is_the_balance_of_signed_ranks(differences: list[int]) -> None:
    values = np.array(differences, dtype=float)
    nonzero = values[values != 0.0]
    ranks = rankdata(np.abs(nonzero))
    expected = float((ranks * np.sign(nonzero)).sum() / ranks.sum()) if len(nonzero) else 0.0
    assert rank_biserial(values) == pytest.approx(expected)
    assert rank_biserial(-values) == pytest.approx(-expected)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (2, 9), (5, 5), (0, 12)])
def test_mcnemar_is_the_binomial_test_of_pairs_that_differ(first: int, second: int) -> None:
    expected = binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar_p(first, second) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("count", [3, 6, 20])
def test_p_of_pairs_that_all_differ_in_one_way_is_that_of_a_sign_test(count: int) -> None:
    assert signed_rank_p(np.arange(1.0, count + 1.0)) == pytest.approx(2.0**-count * 2.0)


@pytest.mark.parametrize("differences", [[0.5, 0.5, 0.5], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]])
def test_p_of_few_tied_pairs_is_exact(differences: list[float]) -> None:
    assert signed_rank_p(np.array(differences)) == pytest.approx(2.0 ** (1 - len(differences)))


def test_equal_samples_do_not_differ() -> None:
    found = paired_difference([1.0, 2.0], [1.0, 2.0], 1, signed_rank_p)
    assert (found.mean, found.low, found.high, found.effect, found.d, found.p) == (0.0, 0.0, 0.0, 0.0, None, 1.0)


def test_difference_is_of_the_second_sample_minus_the_first() -> None:
    found = paired_difference([1.0, 2.0, 3.0], [2.0, 4.0, 6.0], 1, None)
    assert (found.n, found.mean, found.effect, found.d, found.p) == (3, 2.0, 1.0, 2.0, None)
    assert 1.0 <= found.low < 2.0 < found.high <= 3.0


def test_holm_correction_is_that_of_its_definition() -> None:
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_without_scipy_there_is_no_signed_rank_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    monkeypatch.delitem(sys.modules, "experiments.scenarios.statistics.signed_rank")
    assert scipy_signed_rank() is None
