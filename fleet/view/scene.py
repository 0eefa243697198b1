"""What a picture of the fleet shows: floor, walls, objects, robots and their tracks."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from aseba_link.thymio.robot_outline import OUTLINE_M
from fleet.geometry import Pose2D

Point = tuple[float, float]

_TRACK_STEP_M = 0.01  # a shorter step adds nothing to a picture
_TRACK_POINTS = 400
_EMPTY_M = 1.0  # side of an empty picture
_MARGIN_M = 0.25  # around robots, if nothing else shows how large the floor is


class Material(Enum):
    """What a patch shows."""

    FLOOR = "floor"  # a mark on the floor, of some gray
    OBJECT = "object"  # stands on the floor, and can be pushed
    FIXTURE = "fixture"  # never moves
    CHARGER = "charger"  # charges the robots on it


@dataclass(frozen=True, slots=True)
class Patch:
    """A filled polygon; `gray` is 0 for black and 1 for white."""

    material: Material
    points_m: tuple[Point, ...]
    gray: float = 0.5


@dataclass(frozen=True, slots=True)
class SceneFloor:
    """Everything except robots: walls as pairs of ends, patches from the lowest to the highest."""

    walls_m: tuple[tuple[Point, Point], ...] = ()
    patches: tuple[Patch, ...] = ()


@dataclass(slots=True)
class SceneRobot:
    """A robot: its pose and its track."""

    name: str
    pose: Pose2D
    track_m: list[Point] = field(default_factory=list)

    def move_to(self, pose: Pose2D) -> None:
        """Move to another pose; the track grows by steps long enough to be seen, and loses its oldest part."""
        self.pose = pose
        point = (pose.x_m, pose.y_m)
        if not self.track_m or math.dist(point, self.track_m[-1]) >= _TRACK_STEP_M:
            self.track_m.append(point)
        del self.track_m[:-_TRACK_POINTS]

    def outline_m(self) -> list[Point]:
        """Return the corners of its body, counter-clockwise from the right of its rear."""
        return [self.at(*corner) for corner in OUTLINE_M]

    def at(self, ahead_m: float, left_m: float) -> Point:
        """Return a point of the robot's own frame in the scene's."""
        place = self.pose.compose(Pose2D(ahead_m, left_m, 0.0))
        return place.x_m, place.y_m


@dataclass(slots=True)
class Scene:
    """Everything that a picture shows."""

    ground: SceneFloor = field(default_factory=SceneFloor)
    robots: dict[str, SceneRobot] = field(default_factory=dict)
    time_s: float | None = None

    def update_robot(self, name: str, pose: Pose2D) -> None:
        """Set a robot's pose."""
        self.robots.setdefault(name, SceneRobot(name, pose)).move_to(pose)

    def retain(self, names: Iterable[str]) -> None:
        """Forget the robots that are not among the names."""
        for name in self.robots.keys() - set(names):
            del self.robots[name]

    def bounds_m(self) -> tuple[float, float, float, float]:
        """Return x_min, y_min, x_max, y_max of everything to be seen."""
        points = list(self._points())
        if not points:
            return 0.0, 0.0, _EMPTY_M, _EMPTY_M
        xs, ys = zip(*points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def _points(self) -> Iterator[Point]:
        for ends in self.ground.walls_m:
            yield from ends
        for patch in self.ground.patches:
            yield from patch.points_m
        margin_m = 0.0 if self.ground.walls_m else _MARGIN_M
        for robot in self.robots.values():
            x_m, y_m = robot.pose.x_m, robot.pose.y_m
            yield from ((x_m - margin_m, y_m - margin_m), (x_m + margin_m, y_m + margin_m))
