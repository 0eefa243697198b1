"""Intersections of rays with outlines, compared with points on the outlines."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.outlines.outline import Outline, box, disc, segment, thymio
from simulator.outlines.rays import Obstacle, View


def distance_m(outline: Outline, x_m: float, y_m: float, angle_rad: float, heading_rad: float = 0.0) -> float:
    """Return the distance from the start of a two-metre ray to an outline at the origin."""
    view = View(Obstacle(outline), 0.0, 0.0, heading_rad)
    return view.distance_m(x_m, y_m, math.cos(angle_rad), math.sin(angle_rad), 2.0)


@pytest.mark.parametrize(("outline", "distance"), [(box(0.2, 0.4), 0.9), (disc(0.3), 0.7), (thymio(), 0.92)])
def test_ray_ends_at_the_facing_side(outline: Outline, distance: float) -> None:
    assert distance_m(outline, 1.0, 0.0, math.pi) == pytest.approx(distance)


@pytest.mark.parametrize("outline", [box(0.2, 0.4), disc(0.3), thymio()])
def test_ray_from_inside_ends_at_once(outline: Outline) -> None:
    assert distance_m(outline, 0.02, 0.01, 0.7) == 0.0


@pytest.mark.parametrize("outline", [box(0.2, 0.4), disc(0.3), thymio(), segment(0.5)])
@pytest.mark.parametrize("angle_rad", [0.0, math.pi / 2, -1.0])
def test_ray_pointing_away_hits_nothing(outline: Outline, angle_rad: float) -> None:
    assert distance_m(outline, 1.0, 0.0, angle_rad) == math.inf


def test_ray_passes_beside_the_end_of_a_wall() -> None:
    assert distance_m(segment(0.5), 0.24, 1.0, -math.pi / 2) == pytest.approx(1.0)
    assert distance_m(segment(0.5), 0.26, 1.0, -math.pi / 2) == math.inf


@pytest.mark.parametrize("outline", [box(0.2, 0.4), disc(0.1), thymio(), segment(0.5)])
def test_too_short_ray_hits_nothing(outline: Outline) -> None:
    view = View(Obstacle(outline), 0.3, -0.2, 0.5)
    distance = view.distance_m(1.3, -0.2, -1.0, 0.0, 2.0)
    assert view.distance_m(1.3, -0.2, -1.0, 0.0, distance - 1e-6) == math.inf
    assert view.distance_m(1.3, -0.2, -1.0, 0.0, distance + 1e-6) == distance


@settings(deadline=None)
@given(share=st.floats(0.01, 0.99), edge=st.integers(0, 12), heading=st.floats(-3.1, 3.1), aside=st.floats(-1.2, 1.2))
def test_ray_to_a_point_of_a_robots_outline_ends_there(share: float, edge: int, heading: float, aside: float) -> None:
    outline = thymio()
    start, end = outline.vertices_m[edge], outline.vertices_m[(edge + 1) % 13]
    cosine, sine = math.cos(heading), math.sin(heading)
    turn = np.array([[cosine, -sine], [sine, cosine]])
    point, normal = turn @ (start + share * (end - start)), turn @ outline.normals[edge]
    angle = math.atan2(normal[1], normal[0]) + aside
    origin = point + 0.3 * np.array([math.cos(angle), math.sin(angle)])
    assert distance_m(outline, *origin, angle + math.pi, heading) == pytest.approx(0.3, abs=1e-6)
