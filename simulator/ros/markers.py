"""The world as markers for RViz, Foxglove and `thymio-fleet view`: walls, lines, chargers and objects."""

import math
from collections.abc import Iterator

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from simulator.physics.objects import ObjectConfig, ObjectShape
from simulator.ros.place_messages import FRAME, pose_to_ros
from simulator.simulation.simulation import Simulation
from simulator.simulation.simulation_control import Place

_FLAT_M = 0.001  # thickness of lines and chargers
_WALL_WIDTH_M = 0.01
_WALL = (0.25, 0.27, 0.3)
_CHARGER = (0.4, 0.75, 0.45)
_MOVABLE, _FIXED = (0.85, 0.6, 0.35), (0.55, 0.55, 0.6)


def world_markers(simulation: Simulation) -> MarkerArray:
    """Return everything except the robots; the first marker deletes all earlier ones."""
    markers = [Marker(action=Marker.DELETEALL), _walls(simulation)]
    markers += [*_lines(simulation), *_chargers(simulation), *_objects(simulation)]
    counts: dict[str, int] = {}
    for marker in markers:
        marker.header.frame_id = FRAME
        marker.id = counts.get(marker.ns, 0)
        counts[marker.ns] = marker.id + 1
    return MarkerArray(markers=markers)


def _walls(simulation: Simulation) -> Marker:
    marker = Marker(ns="walls", type=Marker.LINE_LIST, color=_colour(*_WALL))
    marker.pose.orientation.w = 1.0
    marker.scale.x = _WALL_WIDTH_M
    for ends_m in simulation.config.walls_m:
        x1_m, y1_m, x2_m, y2_m = map(float, ends_m)
        marker.points += [Point(x=x1_m, y=y1_m, z=0.0), Point(x=x2_m, y=y2_m, z=0.0)]
    return marker


def _lines(simulation: Simulation) -> Iterator[Marker]:
    for line in simulation.config.lines:
        x1_m, y1_m, x2_m, y2_m = line.ends_m
        middle = 0.5 * (x1_m + x2_m), 0.5 * (y1_m + y2_m), math.atan2(y2_m - y1_m, x2_m - x1_m)
        sizes_m = math.hypot(x2_m - x1_m, y2_m - y1_m), line.width_m, _FLAT_M
        yield _solid("floor", Marker.CUBE, middle, sizes_m, (line.gray, line.gray, line.gray))


def _chargers(simulation: Simulation) -> Iterator[Marker]:
    for charger in simulation.config.chargers:
        sizes_m = charger.length_m, charger.width_m, _FLAT_M
        yield _solid("chargers", Marker.CUBE, (charger.x_m, charger.y_m, 0.0), sizes_m, _CHARGER)


def _objects(simulation: Simulation) -> Iterator[Marker]:
    world = simulation.world
    for config, (x_m, y_m, heading_rad) in zip(world.bodies.objects, world.poses.object_poses.tolist(), strict=True):
        kind, sizes_m = _form(config)
        namespace, colour = ("objects", _MOVABLE) if config.movable else ("fixtures", _FIXED)
        marker = _solid(namespace, kind, (x_m, y_m, heading_rad), sizes_m, colour)
        marker.text = config.name
        yield marker


def _form(config: ObjectConfig) -> tuple[int, tuple[float, float, float]]:
    if config.shape is ObjectShape.CYLINDER:
        return Marker.CYLINDER, (2.0 * config.radius_m, 2.0 * config.radius_m, config.height_m)
    return Marker.CUBE, (config.length_m, config.width_m, config.height_m)


def _solid(
    namespace: str, kind: int, place: Place, sizes_m: tuple[float, float, float], colour: tuple[float, float, float]
) -> Marker:
    marker = Marker(ns=namespace, type=kind, pose=pose_to_ros(*place), color=_colour(*colour))
    marker.pose.position.z = 0.5 * sizes_m[2]
    marker.scale.x, marker.scale.y, marker.scale.z = map(float, sizes_m)
    return marker


def _colour(red: float, green: float, blue: float) -> ColorRGBA:
    return ColorRGBA(r=float(red), g=float(green), b=float(blue), a=1.0)
