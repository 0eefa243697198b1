"""Benchmarks tell with which power cost grows."""

import math
from pathlib import Path

import pytest

from bench.growth import Cost, draw_growth, exponent


def test_the_power_is_that_of_rows_from_ten_robots_on_that_have_kept_up() -> None:
    costs = [Cost(robots, 0.01 * robots**1.5, True) for robots in (10, 20, 50)]
    assert exponent([Cost(1, 9.0, True), *costs, Cost(100, 0.5, False)]) == pytest.approx(1.5)


def test_one_row_has_no_power() -> None:
    assert math.isnan(exponent([Cost(10, 0.1, True)]))


def test_a_picture_is_drawn_of_whatever_rows_there_are(tmp_path: Path) -> None:
    draw_growth(tmp_path / "growth.png", {"driver": [Cost(10, 0.1, True), Cost(20, 0.2, True)], "naive": []})
    assert (tmp_path / "growth.png").stat().st_size > 0
