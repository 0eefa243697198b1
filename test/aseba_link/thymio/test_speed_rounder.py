import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aseba_link.thymio.events import MAX_SPEED_RAW, SPEED_UNIT_MPS, SpeedUnits
from aseba_link.thymio.speed_rounder import SpeedRounder

SPEEDS = st.floats(-0.16, 0.16)


@given(SPEEDS, SPEEDS)
def test_the_mean_of_the_targets_is_the_speed(left_mps: float, right_mps: float) -> None:
    units = SpeedUnits(0.00034, 0.00032)
    rounder = SpeedRounder(units)
    assume(rounder.nearest(left_mps, right_mps) != (0, 0))
    targets = [rounder.next(left_mps, right_mps) for _ in range(100)]
    assert sum(left for left, _ in targets) * units.left_mps / 100 == pytest.approx(left_mps, abs=0.005 * 0.00034)
    assert sum(right for _, right in targets) * units.right_mps / 100 == pytest.approx(right_mps, abs=0.005 * 0.00034)


@given(SPEEDS)
def test_a_target_is_never_further_than_a_unit_from_the_speed(speed_mps: float) -> None:
    rounder = SpeedRounder()
    targets = [rounder.next(speed_mps, 0.1)[0] for _ in range(20)]
    assert all(abs(target - speed_mps / SPEED_UNIT_MPS) <= 1.0 + 1e-9 for target in targets)


def test_equal_wheels_get_equal_targets_at_every_moment() -> None:
    rounder = SpeedRounder()
    assert all(left == right for left, right in (rounder.next(0.1, 0.1) for _ in range(50)))


def test_a_stop_takes_effect_at_once_and_clears_the_residuals() -> None:
    rounder = SpeedRounder()
    first = rounder.next(0.1001, 0.1001)
    rounder.next(0.1001, 0.1001)
    assert rounder.next(0.0, 0.0) == (0, 0)
    assert rounder.next(0.1001, 0.1001) == first


def test_clamped_speed_is_not_compensated_later() -> None:
    rounder = SpeedRounder()
    assert [rounder.next(9.0, -9.0) for _ in range(10)] == [(MAX_SPEED_RAW, -MAX_SPEED_RAW)] * 10
    assert rounder.next(0.1, -0.1)[0] == pytest.approx(0.1 / SPEED_UNIT_MPS, abs=1.0)


def test_a_speed_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        SpeedRounder().next(math.nan, 0.0)
