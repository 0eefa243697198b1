import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.pieces import Arc, Line, Turn

START = Pose2D(1.0, 2.0, math.pi / 2)


@pytest.mark.parametrize("length_m", [0.0, -1.0, math.inf, math.nan])
def test_line_length_must_be_positive(length_m: float) -> None:
    with pytest.raises(PathError, match="a line cannot be"):
        Line(START, length_m)


@pytest.mark.parametrize("curvature_per_m", [0.0, math.inf, math.nan])
def test_arc_curvature_must_be_finite_and_not_zero(curvature_per_m: float) -> None:
    with pytest.raises(PathError, match="an arc cannot have the curvature"):
        Arc(START, 1.0, curvature_per_m)


def test_line_leads_along_its_heading() -> None:
    assert Line(START, 0.5).end.y_m == pytest.approx(2.5)


def test_backward_line_leads_against_its_heading() -> None:
    end = Line(START, 0.5, is_backward=True).end
    assert (end.x_m, end.y_m, end.heading_rad) == pytest.approx((1.0, 1.5, math.pi / 2))


def test_a_quarter_circle_to_the_left_ends_beside_its_centre() -> None:
    end = Arc(Pose2D(0.0, 0.0, 0.0), 0.25 * math.pi, 2.0).end
    assert (end.x_m, end.y_m, end.heading_rad) == pytest.approx((0.5, 0.5, math.pi / 2))


def test_backward_quarter_circle_turns_by_its_curvature() -> None:
    end = Arc(Pose2D(0.0, 0.0, 0.0), 0.25 * math.pi, 2.0, is_backward=True).end
    assert (end.x_m, end.y_m, end.heading_rad) == pytest.approx((-0.5, -0.5, math.pi / 2))


def test_turn_of_more_than_a_revolution_keeps_its_angle() -> None:
    turn = Turn(START, 3.0 * math.pi)
    assert turn.turn_rad == 3.0 * math.pi
    assert turn.end.heading_rad == pytest.approx(-math.pi / 2)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("curvature_per_m", [-4.0, 0.5])
@given(share=st.floats(0.0, 1.0), offset_m=st.floats(-0.2, 0.2))
def test_closest_point_of_an_arc_is_abeam(
    backward: bool, curvature_per_m: float, share: float, offset_m: float
) -> None:
    arc = Arc(START, 1.2, curvature_per_m, backward)
    beside = arc.sample(share * arc.length_m).pose.compose(Pose2D(0.0, offset_m, 0.0))
    assert arc.closest(beside.x_m, beside.y_m, 0.0, arc.length_m) == pytest.approx(share * arc.length_m, abs=1e-9)


def test_closest_point_of_an_arc_longer_than_a_revolution_lies_in_the_search_window() -> None:
    arc = Arc(Pose2D(0.0, 0.0, 0.0), 2.0 * math.tau, 1.0)
    assert arc.closest(1.0, 1.0, 0.0, 0.5 * math.tau) == pytest.approx(0.25 * math.tau)
    assert arc.closest(1.0, 1.0, math.tau, 1.5 * math.tau) == pytest.approx(1.25 * math.tau)
