"""A part of a piece of a path, possibly with its own speed limit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fleet.geometry import Pose2D
from fleet.paths.path import PathPoint, Piece
from fleet.paths.pieces import Line


@dataclass(frozen=True, slots=True)
class PiecePart:
    """A piece between two of its arc lengths, 0 <= from_m < to_m <= its length, with a highest speed."""

    piece: Piece
    from_m: float
    to_m: float
    highest_mps: float = math.inf

    @property
    def length_m(self) -> float:
        """Arc length."""
        return self.to_m - self.from_m

    @property
    def turn_rad(self) -> float:
        """Return 0: it does not turn on the spot."""
        return 0.0

    @property
    def is_backward(self) -> bool:
        """Whether it is driven backwards."""
        return self.piece.is_backward

    @property
    def knots_m(self) -> Sequence[float]:
        """Arc lengths of its ends, and of the piece's knots between them."""
        inner = (knot_m - self.from_m for knot_m in self.piece.knots_m if self.from_m < knot_m < self.to_m)
        return (0.0, *inner, self.length_m)

    @property
    def start(self) -> Pose2D:
        """Pose at its start."""
        return self.piece.sample(self.from_m).pose

    @property
    def end(self) -> Pose2D:
        """Pose at its end."""
        return self.piece.end if self.to_m == self.piece.length_m else self.piece.sample(self.to_m).pose

    def sample(self, s_m: float) -> PathPoint:
        """Return the place at an arc length."""
        point = self.piece.sample(self.from_m + s_m)
        return PathPoint(point.pose, point.curvature_per_m, s_m, point.sharpness_per_m2, point.is_backward)

    def closest(self, x_m: float, y_m: float, from_m: float, to_m: float) -> float:
        """Return the arc length in [from_m, to_m] that is closest to a place."""
        return self.piece.closest(x_m, y_m, self.from_m + from_m, self.from_m + to_m) - self.from_m

    def moved(self, frame: Pose2D) -> "PiecePart":
        """Return the part in the frame where `frame` is the pose of this part's frame."""
        return PiecePart(self.piece.moved(frame), self.from_m, self.to_m, self.highest_mps)


def highest_mps(piece: Piece) -> float:
    """Return the highest speed on a piece; infinite if only the limits of motion apply."""
    return min(piece.highest_mps, highest_mps(piece.piece)) if isinstance(piece, PiecePart) else math.inf


def is_straight(piece: Piece) -> bool:
    """Whether a piece is a straight line, or a part of one."""
    return isinstance(piece, Line) or (isinstance(piece, PiecePart) and is_straight(piece.piece))
