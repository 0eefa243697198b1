"""Pieces of paths with closed forms: straight lines, circular arcs, turns on the spot."""

import math
from dataclasses import dataclass, replace

from fleet.errors import PathError
from fleet.geometry import Pose2D, wrap_angle
from fleet.paths.path import PathPoint


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line from `start`, along its heading or, if backward, against it; `length_m` > 0."""

    start: Pose2D
    length_m: float
    is_backward: bool = False

    def __post_init__(self) -> None:
        """Check the length."""
        _check_length("line", self.length_m)

    @property
    def turn_rad(self) -> float:
        """Return 0: it does not turn."""
        return 0.0

    @property
    def knots_m(self) -> tuple[float, float]:
        """Its ends: the curvature is constant."""
        return 0.0, self.length_m

    @property
    def end(self) -> Pose2D:
        """Pose at its end."""
        return self._pose(self.length_m)

    def sample(self, s_m: float) -> PathPoint:
        """Return the place at an arc length."""
        return PathPoint(self._pose(s_m), 0.0, s_m, 0.0, self.is_backward)

    def closest(self, x_m: float, y_m: float, from_m: float, to_m: float) -> float:
        """Return the arc length in [from_m, to_m] that is closest to a place."""
        ahead_m = (x_m - self.start.x_m) * math.cos(self.start.heading_rad) + (y_m - self.start.y_m) * math.sin(
            self.start.heading_rad
        )
        return min(max(-ahead_m if self.is_backward else ahead_m, from_m), to_m)

    def moved(self, frame: Pose2D) -> "Line":
        """Return the line in the frame where `frame` is the pose of this line's frame."""
        return replace(self, start=frame.compose(self.start))

    def _pose(self, s_m: float) -> Pose2D:
        return self.start.along_arc(-s_m if self.is_backward else s_m, 0.0)


@dataclass(frozen=True, slots=True)
class Arc:
    """A part of a circle from `start`, along its heading or, if backward, against it.

    Parameters
    ----------
    length_m : arc length, > 0
    curvature_per_m : the heading's change with arc length, not 0; forwards, positive is to the left
    """

    start: Pose2D
    length_m: float
    curvature_per_m: float
    is_backward: bool = False

    def __post_init__(self) -> None:
        """Check length and curvature."""
        _check_length("arc", self.length_m)
        if self.curvature_per_m == 0.0 or not math.isfinite(self.curvature_per_m):
            raise PathError(f"an arc cannot have the curvature {self.curvature_per_m} 1/m")

    @property
    def turn_rad(self) -> float:
        """Return 0: it does not turn on the spot."""
        return 0.0

    @property
    def knots_m(self) -> tuple[float, float]:
        """Its ends: the curvature is constant."""
        return 0.0, self.length_m

    @property
    def end(self) -> Pose2D:
        """Pose at its end."""
        return self._pose(self.length_m)

    def sample(self, s_m: float) -> PathPoint:
        """Return the place at an arc length."""
        return PathPoint(self._pose(s_m), self.curvature_per_m, s_m, 0.0, self.is_backward)

    def closest(self, x_m: float, y_m: float, from_m: float, to_m: float) -> float:
        """Return the arc length in [from_m, to_m] that is closest to a place; from the centre all are equally close."""
        radius_m = 1.0 / self._body_curvature_per_m  # of the circle to the left of the robot's heading
        heading_rad = self.start.heading_rad
        centre_x_m = self.start.x_m - radius_m * math.sin(heading_rad)
        centre_y_m = self.start.y_m + radius_m * math.cos(heading_rad)
        angle_rad = math.atan2(y_m - centre_y_m, x_m - centre_x_m)
        started_rad = math.atan2(self.start.y_m - centre_y_m, self.start.x_m - centre_x_m)
        middle_m = 0.5 * (from_m + to_m)
        turned_rad = wrap_angle(angle_rad - started_rad - middle_m * self.curvature_per_m)
        return min(max(middle_m + turned_rad / self.curvature_per_m, from_m), to_m)

    def moved(self, frame: Pose2D) -> "Arc":
        """Return the arc in the frame where `frame` is the pose of this arc's frame."""
        return replace(self, start=frame.compose(self.start))

    @property
    def _body_curvature_per_m(self) -> float:
        return -self.curvature_per_m if self.is_backward else self.curvature_per_m

    def _pose(self, s_m: float) -> Pose2D:
        return self.start.along_arc(-s_m if self.is_backward else s_m, s_m * self.curvature_per_m)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn on the spot by `turn_rad`, counter-clockwise positive; it may exceed a full turn."""

    start: Pose2D
    turn_rad: float

    def __post_init__(self) -> None:
        """Check the angle."""
        if not math.isfinite(self.turn_rad):
            raise PathError(f"a turn by {self.turn_rad} rad is not finite")

    @property
    def length_m(self) -> float:
        """Return 0: it has no length."""
        return 0.0

    @property
    def knots_m(self) -> tuple[float]:
        """The arc length of its only place."""
        return (0.0,)

    @property
    def is_backward(self) -> bool:
        """Return False: it does not travel."""
        return False

    @property
    def end(self) -> Pose2D:
        """Pose at its end."""
        return self.start.along_arc(0.0, self.turn_rad)

    def sample(self, s_m: float) -> PathPoint:
        """Return its end, for any arc length."""
        return PathPoint(self.end, 0.0, s_m)

    def closest(self, x_m: float, y_m: float, from_m: float, to_m: float) -> float:
        """Return its only arc length, 0."""
        return 0.0

    def moved(self, frame: Pose2D) -> "Turn":
        """Return the turn in the frame where `frame` is the pose of this turn's frame."""
        return replace(self, start=frame.compose(self.start))


def _check_length(what: str, length_m: float) -> None:
    if not (length_m > 0.0 and math.isfinite(length_m)):
        raise PathError(f"a {what} cannot be {length_m:g} m long")
