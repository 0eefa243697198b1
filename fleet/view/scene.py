"""The content of a picture of the fleet: floor, walls, objects, robots, their tracks, plans and homes."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from aseba_link.thymio.robot_outline import OUTLINE_M
from fleet.geometry import Pose2D
from fleet.interface.seen_floor import Point, SceneFloor
from thymio_base.number_text import count_text
from thymio_base.palette import Tone

_TRACK_STEP_M = 0.01  # a shorter step adds nothing to a picture
TRACK_POINTS = 400
_WAITS = 8  # are kept beside a track that loses its oldest part
_SAME_WAIT_M = 0.05  # a robot that waits this near to where it waited before still waits there
_AT_HOME_M = 0.05  # a robot hides its own home
_EMPTY_M = 1.0  # side of an empty picture
_MARGIN_M = 0.25  # around robots, if nothing else shows how large the floor is


@dataclass(frozen=True, slots=True)
class RobotDescription:
    """A driver's description of a robot.

    Parameters
    ----------
    label : its number in the picture
    tone : its state
    plan : its goals: poses of drives as x [m], y [m], heading [rad], places of a path as x, y
    home : its home pose; None if it is not known
    way_m : its assigned way, from its start; empty if its driver does not publish it
    """

    label: str
    tone: Tone = Tone.IDLE
    plan: tuple[tuple[float, ...], ...] = ()
    home: Pose2D | None = None
    way_m: tuple[Point, ...] = ()


@dataclass(slots=True)
class SceneRobot:
    """A robot: its pose, its track, and its description by its driver.

    Parameters
    ----------
    track_points : number of points of its track to keep; None for all
    waits_m : places where it waited for others
    """

    description: RobotDescription
    pose: Pose2D
    track_points: int | None = TRACK_POINTS
    track_m: list[Point] = field(default_factory=list)
    waits_m: list[Point] = field(default_factory=list)

    @property
    def label(self) -> str:
        """Its number in the picture."""
        return self.description.label

    @property
    def tone(self) -> Tone:
        """Its state."""
        return self.description.tone

    @property
    def goals(self) -> list[tuple[float, ...]]:
        """The poses to which it drives, and the end of its path."""
        plan = self.description.plan
        return [pose for index, pose in enumerate(plan) if len(pose) == 3 or index == len(plan) - 1]

    @property
    def plan_m(self) -> list[Point]:
        """The rest of its way or, if that is unknown, straight lines to its goals; for a path alone, its places."""
        here = self.pose.x_m, self.pose.y_m
        if len(self.description.way_m) > 1:
            return [here, *_ahead_of(here, self.description.way_m)]
        points = [(pose[0], pose[1]) for pose in self.description.plan]
        is_drive = any(len(pose) == 3 for pose in self.description.plan)
        return [here, *points] if is_drive else points

    def move_to(self, pose: Pose2D) -> None:
        """Move to another pose; the track grows by visible steps, and loses its oldest part."""
        self.pose = pose
        point = (pose.x_m, pose.y_m)
        if not self.track_m or math.dist(point, self.track_m[-1]) >= _TRACK_STEP_M:
            self.track_m.append(point)
        if self.track_points is not None:
            del self.track_m[: -self.track_points]

    def wait(self) -> None:
        """Note that it now waits for others."""
        point = (self.pose.x_m, self.pose.y_m)
        if not any(math.dist(point, place) < _SAME_WAIT_M for place in self.waits_m):
            self.waits_m.append(point)
        if self.track_points is not None:
            del self.waits_m[:-_WAITS]

    def outline_m(self) -> list[Point]:
        """Return the corners of its body, counter-clockwise from the right of its rear."""
        return [self.at(*corner) for corner in OUTLINE_M]

    @property
    def free_home(self) -> Pose2D | None:
        """Its home; None if that is not known, or hidden by the robot itself."""
        home = self.description.home
        return None if home is None or home.distance_to(self.pose) < _AT_HOME_M else home

    def at(self, ahead_m: float, left_m: float) -> Point:
        """Return a point of the robot's frame in the scene's frame."""
        place = self.pose.compose(Pose2D(ahead_m, left_m, 0.0))
        return place.x_m, place.y_m


@dataclass(slots=True)
class Scene:
    """The content of a picture.

    Parameters
    ----------
    track_points : number of points of each track to keep; None for all
    stations : their poses, by name
    """

    ground: SceneFloor = field(default_factory=SceneFloor)
    robots: dict[str, SceneRobot] = field(default_factory=dict)
    time_s: float | None = None
    descriptions: dict[str, RobotDescription] = field(default_factory=dict)
    track_points: int | None = TRACK_POINTS
    stations: dict[str, Pose2D] = field(default_factory=dict)

    def update_robot(self, name: str, pose: Pose2D) -> None:
        """Set a robot's pose; it is labelled with its name until it is described."""
        if name not in self.robots:
            description = self.descriptions.get(name, RobotDescription(name))
            self.robots[name] = SceneRobot(description, pose, self.track_points)
        self.robots[name].move_to(pose)

    def describe(self, name: str, description: RobotDescription) -> None:
        """Set a robot's description by its driver; the robot is shown once it has a pose."""
        self.descriptions[name] = description
        if name in self.robots:
            self.robots[name].description = description

    def retain(self, names: Iterable[str]) -> None:
        """Forget the robots that are not among the names."""
        for name in self.robots.keys() - set(names):
            del self.robots[name]

    def bounds_m(self) -> tuple[float, float, float, float]:
        """Return x_min, y_min, x_max, y_max of the whole content."""
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
            for x_m, y_m in ((robot.pose.x_m, robot.pose.y_m), *robot.plan_m):
                yield from ((x_m - margin_m, y_m - margin_m), (x_m + margin_m, y_m + margin_m))


def caption(scene: Scene) -> str:
    """Return the caption below a picture: the number of robots in each state, and the time."""
    if not scene.robots:
        return "no robots yet: try thymio-fleet up"
    found = Counter(robot.tone for robot in scene.robots.values())
    states = ", ".join(f"{found[tone]} {tone.label}" for tone in Tone if found[tone])
    robots = f"{count_text(len(scene.robots), 'robot')}: {states}"
    return robots if scene.time_s is None else f"{robots}; {scene.time_s:.1f} s of simulated time"


def _ahead_of(here: Point, way_m: Sequence[Point]) -> Sequence[Point]:
    """Return the points of a way ahead of a place, that is after the line from which the place is the least detour."""
    detours_m = [math.dist(a, here) + math.dist(here, b) - math.dist(a, b) for a, b in pairwise(way_m)]
    return way_m[detours_m.index(min(detours_m)) + 1 :]
