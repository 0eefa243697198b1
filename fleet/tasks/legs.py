"""Legs of tasks: drive to a pose, follow a path, stand still for some time or until a charger feeds the robot."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeAlias

from fleet.geometry import Pose2D
from fleet.paths.path import Path, Piece
from fleet.paths.piece_part import is_straight
from fleet.paths.pieces import Arc
from fleet.paths.polyline import Point
from fleet.paths.remaining_path import pieces_from, pieces_until, remaining_path
from fleet.settings.config import MotionConfig
from fleet.trajectories.counted_work import Steps
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import planning_fastest
from fleet.trajectories.to_pose import path_from, plan_to_pose
from fleet.trajectories.trajectory import Trajectory

_CHECKED_EVERY_M: Final = 0.01  # spacing of the places of a curve that `places` yields, ...
_CHECKED_EVERY_RAD: Final = 0.01  # ... and of an arc, which is wider if its radius is
_PIECES_A_STEP: Final = 50  # when a path is put together
_KEPT_S: Final = 0.6  # a growing path stays unchanged for this long
_BEHIND_M: Final = 1.0  # parts of a path farther behind the robot are forgotten when it grows
_WAYPOINTS_KEPT: Final = 1000
_ENDLESS_S: Final = 30.0  # endless paths are planned at least this far ahead
_NOTHING_M: Final = 1e-3


Room: TypeAlias = Callable[[Pose2D], float]  # returns how far from a place all is known to be free [m]


def no_room_m(_: Pose2D) -> float:
    """Return 0: nothing is known."""
    return 0.0


class MovingLeg(Protocol):
    """A leg on which the robot drives."""

    @property
    def goal(self) -> Pose2D:
        """End of the leg, in the fleet's frame."""

    def planning(self, pose: Pose2D, remaining_m: float, motion: MotionConfig) -> Steps[Trajectory]:
        """Plan in steps how to drive from a pose to the goal with `remaining_m` of the way left; infinite at first."""

    def quick_s(self, pose: Pose2D, motion: MotionConfig) -> float | None:
        """Return how long that drive takes, if that is found at once; None for a way that takes long to plan."""

    def rough_s(self, remaining_m: float) -> float:
        """Return the approximate time for the rest of the way; 0 if it is always planned at once."""

    def places(self, room_m: Room = no_room_m) -> Iterator[Pose2D]:
        """Yield the places to which it leads; on curves, each lies beyond the free room around the previous one."""


@dataclass(frozen=True, slots=True)
class DriveLeg:
    """Drive to `goal`, in the fleet's frame."""

    goal: Pose2D

    def planning(self, pose: Pose2D, remaining_m: float, motion: MotionConfig) -> Steps[Trajectory]:
        """Plan the fastest way from a pose; `remaining_m` does not matter."""
        yield 0
        return plan_to_pose(pose, self.goal, motion.limits, motion.backward)

    def quick_s(self, pose: Pose2D, motion: MotionConfig) -> float | None:
        """Return the duration of that way."""
        return plan_to_pose(pose, self.goal, motion.limits, motion.backward).duration_s

    def rough_s(self, remaining_m: float) -> float:
        """Return 0: its time is always known."""
        return 0.0

    def places(self, room_m: Room = no_room_m) -> Iterator[Pose2D]:
        """Yield the goal."""
        yield self.goal


@dataclass(frozen=True, slots=True)
class Growth:
    """How a path grows: its last `cut_m` metres, with turns at its end, are replaced by `pieces`."""

    cut_m: float
    pieces: tuple[Piece, ...]

    @property
    def added_m(self) -> float:
        """Increase in the path's length."""
        return math.fsum([piece.length_m for piece in self.pieces]) - self.cut_m


@dataclass(frozen=True, slots=True)
class FollowLeg:
    """Follow a path, in the fleet's frame, within limits; if it is elsewhere, the robot first drives to its start.

    Parameters
    ----------
    path, limits : the path, and the limits of speed and acceleration
    laps : number of equal laps of which the path consists
    first_lap : number of the first of these laps; earlier laps were driven and left out
    is_endless : whether further laps follow until the task is canceled
    waypoints_m : waypoints of the path, at least the last ones; empty if it is not given by waypoints
    former_waypoints : number of waypoints before these
    """

    path: Path
    limits: Limits
    laps: int = 1
    first_lap: int = 1
    is_endless: bool = False
    waypoints_m: tuple[Point, ...] = ()
    former_waypoints: int = 0

    @property
    def goal(self) -> Pose2D:
        """End of the path."""
        return self.path.end

    def planning(self, pose: Pose2D, remaining_m: float, motion: MotionConfig) -> Steps[Trajectory]:
        """Plan the way from a pose onto the path, and along the rest of it."""
        yield len(self.path.pieces) // _PIECES_A_STEP
        return (yield from planning_fastest(path_from(pose, self.rest(remaining_m)), self.limits))

    def quick_s(self, pose: Pose2D, motion: MotionConfig) -> float | None:
        """Return None: a path may be long."""
        return None

    def rough_s(self, remaining_m: float) -> float:
        """Return the time at the highest speed of the path."""
        return min(remaining_m, self.path.length_m) / self.limits.speed_mps

    def rest(self, remaining_m: float) -> Path:
        """Return the last `remaining_m` of the path, or all of it."""
        return remaining_path(self.path, self.path.length_m - remaining_m)

    def places(self, room_m: Room = no_room_m) -> Iterator[Pose2D]:
        """Yield places along the first lap, only the ends of straight lines; other laps lead to the same places."""
        yield self.path.start
        for piece in self.path.pieces[: len(self.path.pieces) // self.laps]:
            if is_straight(piece):
                yield piece.end
            else:
                yield from _places_along(piece, room_m)

    def lap(self, remaining_m: float) -> int:
        """Return which lap is being driven, from 1, when `remaining_m` of the way are left."""
        return self.first_lap + self._laps_driven(remaining_m)

    def _laps_driven(self, remaining_m: float) -> int:
        """Return the number of completed laps."""
        if not 0.0 < remaining_m < self.path.length_m:
            return 0 if remaining_m > 0.0 else self.laps - 1
        return min(self.laps - 1, math.floor(self.laps * (1.0 - remaining_m / self.path.length_m)))

    @property
    def waypoint_count(self) -> int:
        """Number of waypoints of the path, including those that were driven."""
        return self.former_waypoints + len(self.waypoints_m)

    @property
    def kept_m(self) -> float:
        """Length of the path ahead of a robot that stays unchanged while the growth of the path is planned."""
        return _KEPT_S * self.limits.speed_mps

    @property
    def laps_at_once(self) -> int:
        """Number of laps that are added to an endless path at once."""
        return math.ceil(_ENDLESS_S * self.limits.speed_mps * self.laps / max(self.path.length_m, _NOTHING_M))

    def needs_laps(self, remaining_m: float) -> bool:
        """Whether it is endless, and the robot approaches the end of its laps."""
        return self.is_endless and remaining_m < _ENDLESS_S * self.limits.speed_mps

    @property
    def lap_path(self) -> Path:
        """One lap."""
        return Path(self.path.pieces[: len(self.path.pieces) // self.laps], joined_from=0)

    def with_laps(self, laps: int, remaining_m: float) -> tuple["FollowLeg", Growth]:
        """Return the leg with `laps` more laps and without completed ones, and how its path grows."""
        lap, driven = self.lap_path, self._laps_driven(remaining_m)
        growth = Growth(0.0, (*pieces_from(lap, lap.length_m), *lap.pieces * laps))
        count = self.laps - driven + laps
        path = Path(lap.pieces * count, joined_from=0)
        return replace(self, path=path, laps=count, first_lap=self.first_lap + driven), growth

    def with_waypoints(self, growth: Growth, added_m: Sequence[Point], remaining_m: float) -> "FollowLeg":
        """Return the leg whose path leads through further waypoints; its driven part is left out."""
        kept = pieces_until(self.path, self.path.length_m - growth.cut_m)
        driven_m = self.path.length_m - remaining_m - _BEHIND_M
        first = max(0, min(bisect_right(self.path.starts_m, driven_m), len(kept)) - 1)
        waypoints_m = (*self.waypoints_m, *added_m)
        former = max(0, len(waypoints_m) - _WAYPOINTS_KEPT)
        return replace(
            self,
            path=Path([*kept[first:], *growth.pieces], joined_from=0),
            waypoints_m=waypoints_m[former:],
            former_waypoints=self.former_waypoints + former,
        )


def _places_along(piece: Piece, room_m: Room) -> Iterator[Pose2D]:
    """Yield places along a curve after its start; for an arc, only those of its first turn."""
    length_m, every_m = piece.length_m, _CHECKED_EVERY_M
    if isinstance(piece, Arc):
        radius_m = 1.0 / abs(piece.curvature_per_m)
        length_m, every_m = min(length_m, math.tau * radius_m), max(every_m, _CHECKED_EVERY_RAD * radius_m)
    here, s_m = piece.start, 0.0
    while s_m < length_m:
        s_m = min(length_m, s_m + max(every_m, room_m(here)))
        here = piece.sample(s_m).pose
        yield here


@dataclass(frozen=True, slots=True)
class DwellLeg:
    """Stand still for some time; afterwards the robot is loaded or not, or as before if `loads` is None."""

    duration_s: float
    loads: bool | None


@dataclass(frozen=True, slots=True)
class ChargeLeg:
    """Stand still until a charger feeds the robot.

    Parameters
    ----------
    duration_s : longest wait before the next try
    spare_legs : number of following legs for further tries, which are skipped once the robot is charged
    tries : total number of tries of the task
    """

    duration_s: float
    spare_legs: int = 0
    tries: int = 1


Leg: TypeAlias = DriveLeg | FollowLeg | DwellLeg | ChargeLeg
STANDING: Final = (DwellLeg, ChargeLeg)  # legs on which the robot stands still


def following_leg(legs: Sequence[Leg], index: int) -> int:
    """Return the index of the leg after a successful one; the number of legs after the last."""
    leg = legs[index]
    return index + 1 + (leg.spare_legs if isinstance(leg, ChargeLeg) else 0)


def expected_legs(legs: Sequence[Leg], index: int = 0) -> Iterator[Leg]:
    """Yield the legs from an index on that are performed if all goes well."""
    while index < len(legs):
        yield legs[index]
        index = following_leg(legs, index)
