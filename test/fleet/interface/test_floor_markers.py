"""What the simulator's markers show."""

import math

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from visualization_msgs.msg import Marker, MarkerArray

from fleet.interface.floor_markers import ground_from_ros


def box(**changes: object) -> Marker:
    """A marker of a box, but for changes."""
    marker = Marker(type=Marker.CUBE, ns="objects", scale=Vector3(x=0.2, y=0.1))
    marker.pose = Pose(position=Point(x=1.0, y=2.0), orientation=Quaternion(w=1.0))
    for name, value in changes.items():
        setattr(marker, name, value)
    return marker


def wall(*ends: tuple[float, float]) -> Marker:
    """A marker of walls."""
    return Marker(type=Marker.LINE_LIST, points=[Point(x=x, y=y) for x, y in ends])


def test_box_is_a_patch_around_its_middle() -> None:
    corners_m = np.array(ground_from_ros(MarkerArray(markers=[box()])).patches[0].points_m)
    assert corners_m == pytest.approx(np.array([(1.1, 1.95), (1.1, 2.05), (0.9, 2.05), (0.9, 1.95)]))


@pytest.mark.parametrize(
    "marker",
    [
        box(pose=Pose(orientation=Quaternion(w=0.0))),
        box(pose=Pose(orientation=Quaternion(x=1.0))),
        box(pose=Pose(position=Point(x=math.nan), orientation=Quaternion(w=1.0))),
        box(pose=Pose(position=Point(x=1e308), orientation=Quaternion(w=1.0))),
        box(scale=Vector3(x=math.inf, y=1.0)),
    ],
)
def test_box_without_a_sensible_place_is_left_out(marker: Marker) -> None:
    assert (
        ground_from_ros(MarkerArray(markers=[marker, box()])).patches
        == ground_from_ros(MarkerArray(markers=[box()])).patches
    )


def test_walls_without_both_ends_or_far_away_are_left_out() -> None:
    markers = [
        wall((0.0, 0.0), (1.0, 0.0), (5.0, 5.0)),
        wall((0.0, 0.0), (1e9, 0.0)),
        wall((math.nan, 0.0), (1.0, 0.0)),
    ]
    assert ground_from_ros(MarkerArray(markers=markers)).walls_m == (((0.0, 0.0), (1.0, 0.0)),)
