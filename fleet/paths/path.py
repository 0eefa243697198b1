"""A path: where to drive, and with which heading, without times.

Places on a path are given by the distance driven, the arc length s, which increases forwards and backwards alike. A
turn on the spot has no length: there the path has one place and many headings.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final, Protocol

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.sorted_values import SortedValues

_GAP_M = 1e-6  # consecutive pieces may be no farther apart ...
_KINK_RAD = 1e-6  # ... and their headings may differ by no more


@dataclass(init=False, unsafe_hash=True, slots=True)
class PathPoint:
    """One place on a path.

    Parameters
    ----------
    pose : the robot's pose, in the path's frame; backwards, its heading is opposite to its motion
    curvature_per_m : the heading's change with arc length, counter-clockwise positive
    s_m : the arc length here
    sharpness_per_m2 : the curvature's change with arc length
    is_backward : whether the path is driven backwards here
    """

    pose: Final[Pose2D]
    curvature_per_m: Final[float]
    s_m: Final[float]
    sharpness_per_m2: Final[float]
    is_backward: Final[bool]

    def __init__(
        self, pose: Pose2D, curvature_per_m: float, s_m: float, sharpness_per_m2: float = 0.0, is_backward: bool = False
    ) -> None:
        self.pose = pose
        self.curvature_per_m = curvature_per_m
        self.s_m = s_m
        self.sharpness_per_m2 = sharpness_per_m2
        self.is_backward = is_backward


class Piece(Protocol):
    """A part of a path, with its own arc length from 0 to `length_m`."""

    @property
    def length_m(self) -> float:
        """Arc length, >= 0."""

    @property
    def turn_rad(self) -> float:
        """Angle of a turn on the spot [rad], counter-clockwise positive; 0 for a piece with a length."""

    @property
    def is_backward(self) -> bool:
        """Whether it is driven backwards."""

    @property
    def knots_m(self) -> Sequence[float]:
        """Arc lengths from 0 to `length_m`; between them its curvature is constant or practically linear."""

    @property
    def start(self) -> Pose2D:
        """Pose at its start."""

    @property
    def end(self) -> Pose2D:
        """Pose at its end."""

    def sample(self, s_m: float) -> PathPoint:
        """Return the place at an arc length from 0 to `length_m`; for a turn on the spot, its end."""

    def closest(self, x_m: float, y_m: float, from_m: float, to_m: float) -> float:
        """Return the arc length in [from_m, to_m] that is closest to a place."""

    def moved(self, frame: Pose2D) -> "Piece":
        """Return the piece in the frame where `frame` is the pose of this piece's frame."""


@dataclass(init=False, unsafe_hash=True, slots=True)
class Leg:
    """A part of a path that can be driven without a stop, from one arc length to another, and the turn before it."""

    turn_rad: Final[float]
    from_s_m: Final[float]
    to_s_m: Final[float]
    is_backward: Final[bool]

    def __init__(self, turn_rad: float, from_s_m: float, to_s_m: float, is_backward: bool) -> None:
        self.turn_rad = turn_rad
        self.from_s_m = from_s_m
        self.to_s_m = to_s_m
        self.is_backward = is_backward

    @property
    def length_m(self) -> float:
        """Arc length."""
        return self.to_s_m - self.from_s_m


class Path:
    """A sequence of pieces.

    Parameters
    ----------
    pieces : at least one; each starts at the pose at which the previous one ends
    joined_from : index from which on each piece is known to start where the previous one ends

    Raises
    ------
    PathError
        There is no piece, or there is a gap or a kink between two of them.

    Attributes
    ----------
    pieces : its pieces
    starts_m : arc lengths at which they start
    length_m : its arc length
    start : its start; before the turn, if it starts with one
    end : its end
    """

    def __init__(self, pieces: Iterable[Piece], joined_from: int | None = None) -> None:
        self.pieces = tuple(pieces)
        if not self.pieces:
            raise PathError("a path without any piece")
        checked = self.pieces if joined_from is None else self.pieces[: joined_from + 1]
        for index, (before, after) in enumerate(pairwise(checked)):
            _check_joint(index, before.end, after.start)
        self._ends_m = SortedValues(accumulate([piece.length_m for piece in self.pieces]))
        self.starts_m = [0.0, *self._ends_m.numbers[:-1]]
        self.length_m = self._ends_m.numbers[-1]
        self.start = self.pieces[0].start
        self.end = self.pieces[-1].end

    def __reduce__(self) -> tuple[type["Path"], tuple[tuple[Piece, ...]]]:
        return Path, (self.pieces,)

    @property
    def is_closed(self) -> bool:
        """Whether it ends at its start pose."""
        return _gap_m(self.end, self.start) <= _GAP_M and _kink_rad(self.end, self.start) <= _KINK_RAD

    @property
    def legs(self) -> tuple[Leg, ...]:
        """The parts between stops; the robot stops to turn on the spot and to reverse its direction of travel.

        A turn at the end of the path is a final leg of length 0.
        """
        legs: list[Leg] = []
        turn_rad, from_s_m, is_backward, is_driving = 0.0, 0.0, False, False
        for index, piece in enumerate(self.pieces):
            start_m, turns = self.starts_m[index], piece.length_m == 0.0
            if is_driving and (turns or piece.is_backward != is_backward):
                legs.append(Leg(turn_rad, from_s_m, start_m, is_backward))
                turn_rad, is_driving = 0.0, False
            if turns:
                turn_rad += piece.turn_rad
            elif not is_driving:
                from_s_m, is_backward, is_driving = start_m, piece.is_backward, True
        if not is_driving:
            from_s_m, is_backward = self.length_m, False
        legs.append(Leg(turn_rad, from_s_m, self.length_m, is_backward))
        return tuple(legs)

    def pieces_of(self, leg: Leg) -> tuple[Piece, ...]:
        """Return the pieces of one leg, without turns."""
        first = bisect_left(self.starts_m, leg.from_s_m)
        last = bisect_left(self.starts_m, leg.to_s_m)
        return tuple([piece for piece in self.pieces[first:last] if piece.length_m > 0.0])

    def sample(self, s_m: float, arriving: bool = False) -> PathPoint:
        """Return the place at an arc length; before the path its start, beyond it its end.

        Where the path turns on the spot, the pose is the one after the turn or, if `arriving`, the one before it.
        """
        bounded_m = min(max(s_m, 0.0), self.length_m)
        if arriving and bounded_m > 0.0:
            index = self._ends_m.rank_below(bounded_m)
        else:
            index = min(self._ends_m.rank(bounded_m), len(self.pieces) - 1)
        point = self.pieces[index].sample(min(bounded_m, self._ends_m.numbers[index]) - self.starts_m[index])
        return PathPoint(point.pose, point.curvature_per_m, bounded_m, point.sharpness_per_m2, point.is_backward)

    def project(self, x_m: float, y_m: float, near_s_m: float, window_m: float) -> float:
        """Return the arc length closest to a place, within `window_m` of `near_s_m`; ties go to the nearest to that.

        The window keeps the search on its branch where a path crosses itself. To move forward only, take the maximum of
        `near_s_m` and the result.
        """
        return self.project_between(x_m, y_m, near_s_m - window_m, near_s_m + window_m, near_s_m)

    def project_between(self, x_m: float, y_m: float, low_s_m: float, high_s_m: float, near_s_m: float) -> float:
        """Return the arc length in [low_s_m, high_s_m] closest to a place; ties go to the nearest to `near_s_m`."""
        low_m = min(max(low_s_m, 0.0), self.length_m)
        high_m = min(max(high_s_m, low_m), self.length_m)
        first = min(self._ends_m.rank_below(low_m), len(self.pieces) - 1)
        best_m, best = low_m, (math.inf, math.inf)
        for index in range(first, len(self.pieces)):
            started_m, piece = self.starts_m[index], self.pieces[index]
            if started_m > high_m:
                break
            local_m = piece.closest(x_m, y_m, max(low_m - started_m, 0.0), min(high_m - started_m, piece.length_m))
            place = piece.sample(local_m).pose
            s_m = started_m + local_m
            candidate = (round(math.hypot(place.x_m - x_m, place.y_m - y_m), 9), abs(s_m - near_s_m))
            if candidate < best:
                best_m, best = s_m, candidate
        return best_m

    def moved(self, frame: Pose2D) -> "Path":
        """Return the path in the frame where `frame` is the pose of this path's frame."""
        return Path(piece.moved(frame) for piece in self.pieces)

    def repeated(self, times: int) -> "Path":
        """Return the path driven `times` times, one after the other.

        Raises
        ------
        PathError
            `times` is less than 1, or more than 1 although the path is not closed.
        """
        if times < 1:
            raise PathError(f"a path cannot be driven {times} times")
        if times > 1 and not self.is_closed:
            raise PathError(f"a path that is not closed cannot be driven {times} times")
        return Path(self.pieces * times, joined_from=0)


def _check_joint(index: int, end: Pose2D, start: Pose2D) -> None:
    if not (gap_m := _gap_m(end, start)) <= _GAP_M:
        raise PathError(f"there is a gap of {gap_m:.6g} m between pieces {index} and {index + 1} of a path")
    if not (kink_rad := _kink_rad(end, start)) <= _KINK_RAD:
        raise PathError(f"there is a kink of {kink_rad:.6g} rad between pieces {index} and {index + 1} of a path")


def _gap_m(end: Pose2D, start: Pose2D) -> float:
    return end.distance_to(start)


def _kink_rad(end: Pose2D, start: Pose2D) -> float:
    return abs(end.heading_error_to(start))
