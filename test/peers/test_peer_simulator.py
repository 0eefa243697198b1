"""Our simulator and the Aseba playground on a short part of the course in `python -m bench.peer_simulator`."""

from pathlib import Path

import pytest

from bench.peer.comparison import Comparison
from bench.peer.course import course
from bench.peer_simulator import measure

SPEEDS_RAW = (0, 300, 500)
COURSE_S = 8.0  # the slower robot makes two and a half turns
RATES_S = 3.0

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return measure([stand for stand in course() if stand.targets_raw[1] in SPEEDS_RAW], COURSE_S, RATES_S)


def test_speeds_turn_rates_and_readings_are_close_to_the_playground(comparison: Comparison) -> None:
    assert list(comparison.problems()) == []


def test_playground_wheels_respond_at_once_and_ours_with_a_lag(comparison: Comparison) -> None:
    assert all(pair.peer < 0.05 < pair.ours for pair in comparison.rises_s)


def test_comparison_is_drawn_deterministically(comparison: Comparison, tmp_path: Path) -> None:
    picture = pytest.importorskip("bench.peer.picture", reason="matplotlib is not installed", exc_type=ImportError)
    for name in ("one.svg", "other.svg"):
        picture.draw(comparison, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
