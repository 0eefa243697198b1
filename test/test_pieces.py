import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.pieces import Arc, Line, Turn

START = Pose2D(1.0, 2.0, math.pi / 2)


@pytest.mark.parametrize("length_m", [0.0, -1.0, math.inf, math.nan])
def test_lines_have_a_length(length_m: float) -> None:
    with pytest.raises(PathError, match="a line cannot be"):
        Line(START, length_m)


@pytest.mark.parametrize("curvature_per_m", [0.0, math.inf, math.nan])
def test_arcs_have_a_curvature(curvature_per_m: float) -> None:
    with pytest.raises(PathError, match="an arc cannot have the curvature"):
        Arc(START, 1.0, curvature_per_m)


def test_a_line_goes_where_it_looks() -> None:
    assert Line(START, 0.5).end.y_m == pytest.approx(2.5)


def test_a_line_backward_goes_away_from_where_it_looks() -> None:
    end = Line(START, 0.5, is_backward=True).end
    assert (end.x_m, end.y_m, end.heading_rad) == pytest.approx((1.0, 1.5, math.pi / 2))


def test_a_quarter_circle_to_the_left_ends_beside_its_centre() -> None:
    end = Arc(Pose2D(0.0, 0.0, 0.0), 0.25 * math.pi, 2.0).end
    assert (end.x_m, end.y_m, end.heading_rad) == pytest.approx((0.5, 0.5, math.pi / 2))


def test_a_quarter_circle_backward_turns_as_its_curvature_says() -> None:
    end = Arc(Pose2D(0.0, 0.0, 0.0), 0.25 * math.pi, 2.0, is_backward=True).end
    assert (end.x_m, end.y_m, end.heading_rad) == pytest.approx((-0.5, -0.5, math.pi / 2))


def test_a_turn_of_more_than_a_round_keeps_its_angle() -> None:
    turn = Turn(START, 3.0 * math.pi)
    assert turn.turn_rad == 3.0 * math.pi
    assert turn.end.heading_rad == pytest.approx(-math.pi / 2)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("curvature_per_m", [-4.0, 0.5])
@given(share=st.floats(0.0, 1.0), offset_m=st.floats(-0.2, 0.2))
def test_beside_an_arc_its_closest_place_is_the_one_abeam(
    backward: bool, curvature_per_m: float, share: float, offset_m: float
) -> None:
    arc = Arc(START, 1.2, curvature_per_m, backward)
    beside = arc.sample(share * arc.length_m).pose.compose(Pose2D(0.0, offset_m, 0.0))
    assert arc.closest(beside.x_m, beside.y_m, 0.0, arc.length_m) == pytest.approx(share * arc.length_m, abs=1e-9)


def test_of_more_than_a_round_the_closest_place_is_in_the_round_that_is_asked_for() -> None:
    arc = Arc(Pose2D(0.0, 0.0, 0.0), 2.0 * math.tau, 1.0)
    assert arc.closest(1.0, 1.0, 0.0, 0.5 * math.tau) == pytest.approx(0.25 * math.tau)
    assert arc.closest(1.0, 1.0, math.tau, 1.5 * math.tau) == pytest.approx(1.25 * math.tau)
