"""Converts the simulator's markers to the objects on the floor."""

import math
from collections.abc import Iterator
from typing import Final

from visualization_msgs.msg import Marker, MarkerArray

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.interface.conversions import heading_from_ros
from fleet.interface.seen_floor import Material, Patch, Point, SceneFloor
from thymio_base.texts.bounds import is_near

MARKERS_TOPIC: Final = "/simulator/markers"
_ROUND_POINTS: Final = 24
_MATERIALS: Final = {  # by the markers' namespaces
    "floor": Material.FLOOR,
    "chargers": Material.CHARGER,
    "objects": Material.OBJECT,
    "fixtures": Material.FIXTURE,
}


def ground_from_ros(message: MarkerArray) -> SceneFloor:
    """Return the shown floor: LINE_LISTs are walls, CUBEs and CYLINDERs patches; other markers are ignored.

    Markers that are far away, not finite or tilted are left out.
    """
    walls: list[tuple[Point, Point]] = []
    patches: list[Patch] = []
    for marker in message.markers:
        if marker.action == Marker.ADD and marker.type == Marker.LINE_LIST:
            points = [(point.x, point.y) for point in marker.points]
            pairs = zip(points[::2], points[1::2], strict=False)
            walls += [(start, end) for start, end in pairs if is_near(*start) and is_near(*end)]
        elif marker.action == Marker.ADD and marker.type in (Marker.CUBE, Marker.CYLINDER):
            material = _MATERIALS.get(marker.ns, Material.OBJECT)
            points = list(_outline(marker))
            gray = float(marker.color.r)
            if points and 0.0 <= gray <= 1.0 and all(is_near(*point) for point in points):
                patches.append(Patch(material, tuple(points), gray, marker.text))
    return SceneFloor(tuple(walls), tuple(patches))


def _outline(marker: Marker) -> Iterator[Point]:
    try:
        heading_rad = heading_from_ros(marker.pose.orientation)
    except GoalRejectedError:
        return
    middle = Pose2D(marker.pose.position.x, marker.pose.position.y, heading_rad)
    ahead_m, left_m = 0.5 * marker.scale.x, 0.5 * marker.scale.y
    corners = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)]
    if marker.type == Marker.CYLINDER:
        angles = (math.tau * index / _ROUND_POINTS for index in range(_ROUND_POINTS))
        corners = [(math.cos(angle), math.sin(angle)) for angle in angles]
    for ahead, left in corners:
        corner = middle.compose(Pose2D(ahead * ahead_m, left * left_m, 0.0))
        yield corner.x_m, corner.y_m
