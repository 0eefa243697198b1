"""Benchmarks report the exponent with which cost grows."""

import math
from pathlib import Path

import pytest

from bench.instruments.growth import Cost, draw_growth, exponent


def test_growth_exponent_ignores_small_and_late_rows() -> None:
    costs = [Cost(robots, 0.01 * robots**1.5, True) for robots in (10, 20, 50)]
    assert exponent([Cost(1, 9.0, True), *costs, Cost(100, 0.5, False)]) == pytest.approx(1.5)


def test_one_row_has_no_growth_exponent() -> None:
    assert math.isnan(exponent([Cost(10, 0.1, True)]))


def test_growth_picture_is_drawn_from_any_rows(tmp_path: Path) -> None:
    draw_growth(tmp_path / "growth.png", {"driver": [Cost(10, 0.1, True), Cost(20, 0.2, True)], "naive": []})
    assert (tmp_path / "growth.png").stat().st_size > 0
