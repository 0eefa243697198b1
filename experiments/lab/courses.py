"""The paths of the experiments, and distances from them."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fleet.paths.path import Path
from fleet.paths.pieces import Line, Turn
from fleet.paths.shapes import SHAPES, shape_path

Array = NDArray[np.float64]

PATHS = tuple(SHAPES)
_MARGINS = 20  # laps overlap by one part in this number, for robots that are early or late
_GRAIN_M = 0.004  # length of the lines that approximate curves: 10 um off at a radius of 0.17 m


@dataclass(frozen=True, slots=True)
class Course:
    """A path driven for some laps, with points for measuring.

    Parameters
    ----------
    lap : the path
    places : points that approximate a lap by straight lines, shape (n, 2)
    corners : points where the path turns on the spot, shape (c, 2)
    """

    lap: Path
    places: Array
    corners: Array
    laps: int

    @property
    def length_m(self) -> float:
        """Arc length of all laps."""
        return self.lap.length_m * self.laps

    @property
    def path(self) -> Path:
        """All laps."""
        return self.lap.repeated(self.laps)

    def distances(self, positions: Array) -> Array:
        """Return the distances from the path of positions of shape (..., 2)."""
        flat = positions.reshape(-1, 2)
        nearest_m2 = np.full(len(flat), np.inf)
        for start, end in zip(self.places[:-1], self.places[1:], strict=True):
            along = end - start
            share = np.clip((flat - start) @ along / (along @ along), 0.0, 1.0)
            nearest_m2 = np.minimum(nearest_m2, ((flat - start - share[:, None] * along) ** 2).sum(axis=1))
        result: Array = np.sqrt(nearest_m2).reshape(positions.shape[:-1])
        return result

    def missed_m(self, positions: Array) -> float:
        """Return the largest closest approach to a corner in any lap, of positions of shape (times, robots, 2)."""
        lap, margin = math.ceil(len(positions) / self.laps), len(positions) // (_MARGINS * self.laps)
        parts = [positions[max(0, k * lap - margin) : (k + 1) * lap + margin] for k in range(self.laps)]
        misses_m = [
            np.linalg.norm(part - corner, axis=2).min(axis=0).max() for part in parts for corner in self.corners
        ]
        return float(max(misses_m, default=0.0))


@lru_cache
def course(name: str, laps: int) -> Course:
    """Return the course of a named shape."""
    return course_along(shape_path(name), laps)


def course_along(lap: Path, laps: int) -> Course:
    """Return the course of a path driven for some laps."""
    corners = [[turn.start.x_m, turn.start.y_m] for turn in lap.pieces if isinstance(turn, Turn)]
    return Course(lap, _places(lap), np.array(corners).reshape(-1, 2), laps)


def _places(lap: Path) -> Array:
    """Return points along a lap that approximate it by the lines between them."""
    spots_m, started_m = [0.0], 0.0
    for piece in lap.pieces:
        parts = 1 if isinstance(piece, Line) else round(piece.length_m / _GRAIN_M)
        spots_m += [started_m + piece.length_m * (part + 1) / parts for part in range(parts)]
        started_m += piece.length_m
    poses = [lap.sample(s_m).pose for s_m in spots_m]
    return np.array([[pose.x_m, pose.y_m] for pose in poses])
