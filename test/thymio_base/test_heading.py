import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thymio_base.heading import heading_quaternion, whole_degrees

headings = st.floats(-100.0, 100.0)


@given(headings)
def test_quaternion_turns_the_x_axis_to_the_heading(heading_rad: float) -> None:
    z, w = heading_quaternion(heading_rad)
    # the first column of the rotation matrix of (0, 0, z, w)
    assert (1.0 - 2.0 * z * z, 2.0 * z * w) == pytest.approx((math.cos(heading_rad), math.sin(heading_rad)), abs=1e-12)


@given(headings)
def test_quaternion_has_unit_length_and_no_negative_w(heading_rad: float) -> None:
    z, w = heading_quaternion(heading_rad)
    assert math.hypot(z, w) == pytest.approx(1.0)
    assert w >= 0.0


@pytest.mark.parametrize(
    ("heading_rad", "degrees"), [(-math.pi, 180), (math.pi, 180), (-3.13, -179), (0.0, 0), (1.57, 90)]
)
def test_the_heading_straight_back_has_one_name(heading_rad: float, degrees: int) -> None:
    assert whole_degrees(heading_rad) == degrees
