import math
import pickle
from itertools import pairwise

import numpy as np
import pytest

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.curve import curve_through
from fleet.paths.parametric import Array, parametric_curve
from fleet.paths.shapes import Lemniscate
from fleet.paths.spline import sampled_curve, spline_through
from thymio_base.parts import finished

# length of Bernoulli's lemniscate over its width: 2 integral_0^1 dt / sqrt(1 - t^4) (Gauss's lemniscate constant)
LEMNISCATE = 2.622057554292119


def test_knots_on_a_circle_give_the_circle() -> None:
    angles = np.linspace(0.0, math.pi, 100)
    places_m = 0.1 * np.stack([np.sin(angles), 1.0 - np.cos(angles)], axis=1)
    curve = finished(curve_through(places_m, angles, np.full(100, 10.0), 0.1 * math.pi))
    for s_m in np.linspace(0.0, curve.length_m, 777).tolist():
        point = curve.sample(s_m)
        assert math.hypot(point.pose.x_m, point.pose.y_m - 0.1) == pytest.approx(0.1, abs=1e-11)
        assert abs(point.pose.heading_error_to(Pose2D(0.0, 0.0, 10.0 * s_m))) < 1e-8
        assert point.curvature_per_m == pytest.approx(10.0, abs=1e-4)
        assert point.sharpness_per_m2 == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize("width_m", [0.2, 1.0, 3.0])
def test_length_of_the_lemniscate_follows_from_its_constant(width_m: float) -> None:
    assert parametric_curve(Lemniscate(width_m)).length_m == pytest.approx(LEMNISCATE * width_m, rel=1e-12)


def test_the_lemniscates_curvature_is_three_times_the_radius_over_its_half_width_squared() -> None:
    curve = parametric_curve(Lemniscate(1.0))
    for s_m in np.linspace(0.0, curve.length_m, 1001).tolist():
        point = curve.sample(s_m)
        radius_m = math.hypot(point.pose.x_m, point.pose.y_m)
        assert abs(point.curvature_per_m) == pytest.approx(3.0 * radius_m / 0.5**2, abs=1e-5)


def test_points_of_the_lemniscate_satisfy_its_equation() -> None:
    curve = parametric_curve(Lemniscate(1.0))
    for s_m in np.linspace(0.0, curve.length_m, 1001).tolist():
        pose = curve.sample(s_m).pose
        square = pose.x_m**2 + pose.y_m**2
        assert square**2 == pytest.approx(0.25 * (pose.x_m**2 - pose.y_m**2), abs=1e-11)


def test_samples_lie_at_their_arc_lengths() -> None:
    curve = parametric_curve(Lemniscate(1.0))
    s_m = np.linspace(0.0, curve.length_m, 200001)
    places = np.array([(pose.x_m, pose.y_m) for pose in (curve.sample(float(at)).pose for at in s_m)])
    travelled_m = np.cumsum(np.hypot(*np.diff(places, axis=0).T))
    assert np.abs(travelled_m - s_m[1:]).max() < 1e-8


def test_curve_survives_the_way_to_another_process() -> None:
    curve = parametric_curve(Lemniscate(1.0))
    again = pickle.loads(pickle.dumps(curve))
    assert (again.length_m, again.sample(0.7)) == (curve.length_m, curve.sample(0.7))


def test_a_spline_goes_through_its_points() -> None:
    points_m = [(0.0, 0.0), (0.5, 0.1), (0.6, 0.7), (0.0, 0.4)]
    curve = spline_through(points_m, is_closed=True)
    for x_m, y_m in points_m:
        foot = curve.sample(curve.closest(x_m, y_m, 0.0, curve.length_m)).pose
        assert math.hypot(foot.x_m - x_m, foot.y_m - y_m) < 1e-6


def test_a_spline_through_points_on_a_line_is_the_line() -> None:
    curve = spline_through([(0.0, 0.0), (0.3, 0.3), (1.0, 1.0)], is_closed=False)
    assert curve.length_m == pytest.approx(math.sqrt(2.0))
    assert curve.sample(0.7).curvature_per_m == pytest.approx(0.0, abs=1e-9)


def test_natural_spline_has_no_curvature_at_its_ends() -> None:
    curve = spline_through([(0.0, 0.0), (0.5, 0.5), (1.0, 0.0)], is_closed=False)
    assert curve.sample(0.0).curvature_per_m == pytest.approx(0.0, abs=1e-9)
    assert curve.sample(curve.length_m).curvature_per_m == pytest.approx(0.0, abs=1e-9)


def test_natural_spline_through_three_points_matches_the_textbook() -> None:
    # y on [0, 1] through (0, 0), (1, 1), (2, 0) over even parameters is (3 t - t^3) / 2
    chord_m = math.sqrt(2.0)
    curve = spline_through([(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)], is_closed=False)
    foot = curve.sample(curve.closest(0.5, 0.6875, 0.0, chord_m * 1.1)).pose
    assert math.hypot(foot.x_m - 0.5, foot.y_m - 0.6875) < 1e-9


def test_curvature_is_continuous_along_a_closed_spline() -> None:
    curve = spline_through([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], is_closed=True)
    curvatures = [curve.sample(s_m).curvature_per_m for s_m in np.linspace(0.0, curve.length_m, 5001).tolist()]
    assert max(abs(after - before) for before, after in pairwise(curvatures)) < 0.03
    assert curvatures[0] == pytest.approx(curvatures[-1], abs=1e-6)


def test_sampled_function_reproduces_the_function() -> None:
    curve = sampled_curve(lambda u: (0.4 * math.cos(u), 0.2 * math.sin(u)), 0.0, math.tau, is_closed=True)
    # Ramanujan's second formula, exact to 1e-9 for this ellipse
    h = (0.2 / 0.6) ** 2
    assert curve.length_m == pytest.approx(math.pi * 0.6 * (1 + 3 * h / (10 + math.sqrt(4 - 3 * h))), abs=1e-6)
    for s_m in np.linspace(0.0, curve.length_m, 500).tolist():
        pose = curve.sample(s_m).pose
        assert math.hypot(pose.x_m / 0.4, pose.y_m / 0.2) == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize(("points_m", "is_closed"), [([(0.0, 0.0)], False), ([(0.0, 0.0), (1.0, 0.0)], True)])
def test_spline_through_too_few_points_is_refused(points_m: list[tuple[float, float]], is_closed: bool) -> None:
    with pytest.raises(PathError, match="spline needs"):
        spline_through(points_m, is_closed)


def test_duplicate_point_is_named() -> None:
    with pytest.raises(PathError, match="points 1 and 2 are 0 m apart"):
        spline_through([(0.0, 0.0), (1.0, 0.0), (1.0, 0.0)], is_closed=False)


class Cusp:
    """x = u^2, y = u^3: Neile's parabola, whose derivative vanishes at its tip."""

    breaks = (-1.0, 0.0, 1.0)

    def derivatives(self, u: Array) -> tuple[Array, Array, Array]:
        return (
            np.stack([u**2, u**3], axis=1),
            np.stack([2.0 * u, 3.0 * u**2], axis=1),
            np.stack([2.0 * np.ones_like(u), 6.0 * u], axis=1),
        )


def test_a_curve_with_a_cusp_is_refused() -> None:
    with pytest.raises(PathError, match="a corner or a cusp"):
        parametric_curve(Cusp())


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_spline_that_turns_back_on_itself_is_refused(is_closed: bool) -> None:
    # no curvature anywhere but at the tip, which lies at none of the sampled points
    with pytest.raises(PathError, match="a corner or a cusp"):
        spline_through([(0.0, 0.0), (0.0, 0.2), (0.0, -0.2)], is_closed)
