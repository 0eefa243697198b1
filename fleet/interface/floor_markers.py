"""Converts the simulator's markers to what stands on the floor."""

import math
from collections.abc import Iterator
from typing import Final

from visualization_msgs.msg import Marker, MarkerArray

from fleet.geometry import Pose2D
from fleet.interface.conversions import heading_from_ros
from fleet.interface.seen_floor import Material, Patch, Point, SceneFloor

MARKERS_TOPIC: Final = "/simulator/markers"
_ROUND_POINTS: Final = 24
_MATERIALS: Final = {  # by the markers' namespaces
    "floor": Material.FLOOR,
    "chargers": Material.CHARGER,
    "objects": Material.OBJECT,
    "fixtures": Material.FIXTURE,
}


def ground_from_ros(message: MarkerArray) -> SceneFloor:
    """Return what markers show: LINE_LISTs are walls, CUBEs and CYLINDERs patches, others nothing."""
    walls: list[tuple[Point, Point]] = []
    patches: list[Patch] = []
    for marker in message.markers:
        if marker.action == Marker.ADD and marker.type == Marker.LINE_LIST:
            points = [(point.x, point.y) for point in marker.points]
            walls += zip(points[::2], points[1::2], strict=True)
        elif marker.action == Marker.ADD and marker.type in (Marker.CUBE, Marker.CYLINDER):
            material = _MATERIALS.get(marker.ns, Material.OBJECT)
            patches.append(Patch(material, tuple(_outline(marker)), float(marker.color.r), marker.text))
    return SceneFloor(tuple(walls), tuple(patches))


def _outline(marker: Marker) -> Iterator[Point]:
    middle = Pose2D(marker.pose.position.x, marker.pose.position.y, heading_from_ros(marker.pose.orientation))
    ahead_m, left_m = 0.5 * marker.scale.x, 0.5 * marker.scale.y
    corners = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)]
    if marker.type == Marker.CYLINDER:
        angles = (math.tau * index / _ROUND_POINTS for index in range(_ROUND_POINTS))
        corners = [(math.cos(angle), math.sin(angle)) for angle in angles]
    for ahead, left in corners:
        corner = middle.compose(Pose2D(ahead * ahead_m, left * left_m, 0.0))
        yield corner.x_m, corner.y_m
