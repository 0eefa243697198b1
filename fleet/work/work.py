"""Work: a kind of task, with its places, path or route."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.tasks.route import RouteLeg
from fleet.tasks.task_kind import TaskKind
from thymio_base.number_text import count_text

_APART_M: Final = 0.001  # a load is carried at least so far
_SHAPE: Final = re.compile(r"""(?:^[ \t]*|[{,]\s*)["']?shape["']?\s*:\s*["']?(\w+)""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """A pose in the fleet's frame, and the name of the station there; "" for coordinates."""

    pose: Pose2D
    name: str = ""

    def __str__(self) -> str:
        return self.name or f"({self.pose.x_m:.2f}, {self.pose.y_m:.2f})"


@dataclass(frozen=True, slots=True)
class PathWish:
    """A path to follow, as written; `fleet.work.path_wish` reads it.

    Parameters
    ----------
    text : the name of a shape, or the content of a path file; "" if there are waypoints
    speed_mps : mean speed from start to end, stops included; 0 is the path's own
    laps : number of laps; 0 is the path's own
    relative_to : a `Placement`; "" is the path's own, and the map for waypoints
    waypoints_m : consecutive waypoints, in the frame given by `relative_to`
    is_endless : whether a closed path is repeated until that is canceled
    """

    text: str = ""
    speed_mps: float = 0.0
    laps: int = 0
    relative_to: str = ""
    waypoints_m: tuple[tuple[float, float], ...] = ()
    is_endless: bool = False

    @property
    def written(self) -> str:
        """The path as one text, also if it has waypoints."""
        return self.text or ("" if not self.waypoints_m else str([list(point_m) for point_m in self.waypoints_m]))

    @property
    def name(self) -> str:
        """The name of its shape; "path" without one."""
        if (text := self.text.strip()).isidentifier():
            return text
        shape = _SHAPE.search(text)
        return shape[1] if shape else "path"


@dataclass(frozen=True, slots=True)
class Work:
    """Work for a robot; str() is a sentence such as "transport press > packing" or "follow eight".

    Parameters
    ----------
    kind : kind of the task
    places : its places, as many as `fleet.work.kinds.KINDS` lists
    path : its path, for kinds that have one; otherwise None
    route : its legs, for the kind that has a route
    """

    kind: TaskKind
    places: tuple[Place, ...] = ()
    path: PathWish | None = None
    route: tuple[RouteLeg, ...] = ()

    def __str__(self) -> str:
        if self.route:
            return f"follow route of {count_text(len(self.route), 'leg')}"
        if self.path is not None:
            return f"follow {self.path.name}"
        return f"{self.kind.public_name} {' > '.join(map(str, self.places))}".rstrip()


@dataclass(frozen=True, slots=True)
class RouteUpdate:
    """A request to extend the path that a robot follows, by waypoints or by laps.

    Parameters
    ----------
    after : number of waypoints that the client has seen so far; 0 if it does not know
    waypoints_m : the last of these waypoints, followed by further ones, in the fleet's frame
    laps : number of further laps of a closed path
    """

    after: int = 0
    waypoints_m: tuple[tuple[float, float], ...] = ()
    laps: int = 0


@dataclass(frozen=True, slots=True)
class RouteExtension:
    """A request to append legs to a route that has `expected` legs so far; 0 if the client does not know."""

    legs: tuple[RouteLeg, ...]
    expected: int = 0


def check_finite(waypoints_m: Iterable[tuple[float, float]]) -> None:
    """Refuse waypoints that are not finite.

    Raises
    ------
    GoalRejectedError
        A coordinate is infinite or not a number; the text says which.
    """
    for index, (x_m, y_m) in enumerate(waypoints_m):
        if not (math.isfinite(x_m) and math.isfinite(y_m)):
            raise GoalRejectedError(Reason.NON_FINITE_POSE, f"waypoint {index}, ({x_m}, {y_m}), is not finite")


def objection_to_transport(work: Work) -> Explanation | None:
    """Return that a transport leads to where it starts, None if it does not, or is none.

    Drivers accept such goals: with one, a dispatcher lets a robot unload that is loaded already.
    """
    if work.kind is TaskKind.TRANSPORT and work.places[0].pose.distance_to(work.places[1].pose) < _APART_M:
        return Explanation(Reason.BAD_JOB, f"from and to are the same place, {work.places[0]}; choose two places")
    return None
