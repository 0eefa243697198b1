"""The rest of a path from an arc length on."""

from collections.abc import Sequence
from dataclasses import dataclass

from fleet.geometry import Pose2D
from fleet.paths.path import Path, PathPoint, Piece
from fleet.paths.pieces import Turn

_NOTHING_M = 1e-9  # shorter rests of pieces are left out


@dataclass(frozen=True, slots=True)
class RemainingPath:
    """What is left of a piece from `from_m` on, 0 <= from_m < its length."""

    piece: Piece
    from_m: float

    @property
    def length_m(self) -> float:
        """Arc length."""
        return self.piece.length_m - self.from_m

    @property
    def turn_rad(self) -> float:
        """It does not turn on the spot."""
        return 0.0

    @property
    def is_backward(self) -> bool:
        """Whether it is driven backwards."""
        return self.piece.is_backward

    @property
    def knots_m(self) -> Sequence[float]:
        """The remaining knots of the piece."""
        return (0.0, *(knot_m - self.from_m for knot_m in self.piece.knots_m if knot_m > self.from_m))

    @property
    def start(self) -> Pose2D:
        """Where it starts."""
        return self.piece.sample(self.from_m).pose

    @property
    def end(self) -> Pose2D:
        """Where it ends."""
        return self.piece.end

    def sample(self, s_m: float) -> PathPoint:
        """Return the place at an arc length."""
        point = self.piece.sample(self.from_m + s_m)
        return PathPoint(point.pose, point.curvature_per_m, s_m, point.sharpness_per_m2, point.is_backward)

    def closest(self, x_m: float, y_m: float, from_m: float, to_m: float) -> float:
        """Return the arc length in [from_m, to_m] that is closest to a place."""
        return self.piece.closest(x_m, y_m, self.from_m + from_m, self.from_m + to_m) - self.from_m

    def moved(self, frame: Pose2D) -> "RemainingPath":
        """Return the rest in the frame where `frame` is the pose of this rest's frame."""
        return RemainingPath(self.piece.moved(frame), self.from_m)


def remaining_path(path: Path, s_m: float) -> Path:
    """Return the path from an arc length on; before the path all of it, beyond it only the pose of its end.

    Where the path turns on the spot at `s_m`, the rest starts after the turn.
    """
    if s_m <= 0.0:
        return path
    rest: list[Piece] = []
    start_m = 0.0
    for piece in path.pieces:
        remaining_m = start_m + piece.length_m - s_m
        if start_m >= s_m:
            rest.append(piece)
        elif remaining_m > _NOTHING_M:
            rest.append(RemainingPath(piece, s_m - start_m))
        start_m += piece.length_m
    while rest and rest[0].length_m == 0.0:
        del rest[0]
    return Path(rest or [Turn(path.end, 0.0)])
