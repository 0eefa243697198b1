"""How paths through waypoints grow: smooth where robots pass, close to all waypoints, unchanged where they stay."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.paths.fitted_path import fitted_path
from fleet.paths.path import Path
from fleet.paths.remaining_path import pieces_until
from fleet.tasks.legs import Growth
from fleet.work.path_growth import growth_by_waypoints
from thymio_base.parts import finished

CORNER_M = 0.01
Points = list[tuple[float, float]]


def walked(turns_deg: list[float], step_m: float) -> Points:
    x_m, y_m, heading_rad = 0.0, 0.0, 0.0
    points = [(x_m, y_m)]
    for turn_deg in turns_deg:
        heading_rad += math.radians(turn_deg)
        x_m, y_m = x_m + step_m * math.cos(heading_rad), y_m + step_m * math.sin(heading_rad)
        points.append((x_m, y_m))
    return points


def growth(points: Points, known: int, fixed_m: float) -> tuple[Path, Growth, Path]:
    """Return a path through the first waypoints, how it grows by the others, and the grown path, whose joints fit."""
    path = finished(fitted_path(points[:known], is_closed=False, corner_m=CORNER_M))
    found = finished(growth_by_waypoints(path, fixed_m, points[:known], points[known:], CORNER_M))
    return path, found, Path([*pieces_until(path, path.length_m - found.cut_m), *found.pieces])


def farthest_m(path: Path, points: Points) -> float:
    """Return how far any waypoint is from a path."""
    places = np.array([(p.x_m, p.y_m) for p in (path.sample(s_m).pose for s_m in np.arange(0, path.length_m, 0.002))])
    return max(float(np.hypot(*(places - point).T).min()) for point in np.array(points))


@settings(max_examples=25)
@given(
    st.lists(st.floats(-170.0, 170.0), min_size=2, max_size=8),
    st.floats(0.05, 0.4),
    st.integers(2, 8),
    st.floats(0.0, 1.0),
)
def test_a_grown_path_is_close_to_all_waypoints_and_unchanged_where_it_is_fixed(
    turns_deg: list[float], step_m: float, known: int, share: float
) -> None:
    points = walked(turns_deg, step_m)
    known = min(known, len(points) - 1)
    path, found, longer = growth(points, known, share * step_m * (known - 1))
    assert found.cut_m <= max(0.0, path.length_m * (1.0 - share)) + CORNER_M * known
    assert farthest_m(longer, points) <= 2.0 * CORNER_M + 0.002
    assert longer.end.distance_to(longer.sample(longer.length_m).pose) < 1e-9
    assert math.dist(points[-1], (longer.end.x_m, longer.end.y_m)) < 1e-6


@pytest.mark.parametrize("turn_deg", [0.0, 10.0, 30.0, 50.0, 65.0])
@pytest.mark.parametrize("fixed_m", [0.0, 0.2, 0.24])
def test_slight_corners_at_the_former_end_are_rounded(turn_deg: float, fixed_m: float) -> None:
    points = walked([0.0, turn_deg], 0.3)
    _, _, longer = growth(points, 2, fixed_m)
    assert len(longer.legs) == 1
    assert farthest_m(longer, points) <= CORNER_M + 0.001


@pytest.mark.parametrize("turn_deg", [90.0, 180.0])
def test_sharp_corners_remain_turns_on_the_spot(turn_deg: float) -> None:
    _, _, longer = growth(walked([0.0, turn_deg], 0.3), 2, 0.1)
    assert [leg.length_m for leg in longer.legs] == pytest.approx([0.3, 0.3])
    assert abs(longer.legs[1].turn_rad) == pytest.approx(math.radians(turn_deg))


def test_a_curve_of_dense_waypoints_goes_on_as_a_curve() -> None:
    points = [(0.4 * math.sin(0.05 * index), 0.4 - 0.4 * math.cos(0.05 * index)) for index in range(60)]
    _, found, longer = growth(points, 40, 0.3)
    assert len(longer.legs) == 1
    assert found.cut_m < 0.3
    assert farthest_m(longer, points) <= CORNER_M + 0.001
    curvatures = [longer.sample(s_m).curvature_per_m for s_m in np.arange(0.1, longer.length_m - 0.1, 0.01)]
    assert min(curvatures) > 1.5
    assert max(curvatures) < 3.8
