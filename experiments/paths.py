"""The paths of the benchmarks, with times, and how far from them a robot was."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio import AXLE_LENGTH_M
from fleet.paths.limits import Limits
from fleet.paths.path import Path
from fleet.paths.pieces import Line, Turn
from fleet.paths.shapes import SHAPES, shape_path
from fleet.paths.timing import plan_at_mean_speed
from fleet.paths.trajectory import Trajectory

Array = NDArray[np.float64]

PATHS = tuple(SHAPES)
_LIMITS = Limits(
    speed_mps=0.14,
    acceleration_mps2=0.12,
    turn_radps=2.8,
    turn_acceleration_radps2=8.0,
    axle_length_m=AXLE_LENGTH_M,
)
_MARGINS = 20  # laps overlap by this part of one, for robots that are early or late
_GRAIN_M = 0.004  # curves are measured as chains of lines so long: 10 um off at a radius of 0.17 m


@dataclass(frozen=True, slots=True)
class Course:
    """A path with times, and what of it is measured.

    Parameters
    ----------
    places : the path as a chain of straight lines; (n, 2)
    corners : where it turns on the spot; (c, 2)
    """

    trajectory: Trajectory
    places: Array
    corners: Array
    laps: int

    @property
    def length_m(self) -> float:
        """Arc length."""
        return self.trajectory.path.length_m

    def distances(self, positions: Array) -> Array:
        """Return how far positions (..., 2) are from the path."""
        flat = positions.reshape(-1, 2)
        nearest_m2 = np.full(len(flat), np.inf)
        for start, end in zip(self.places[:-1], self.places[1:], strict=True):
            along = end - start
            share = np.clip((flat - start) @ along / (along @ along), 0.0, 1.0)
            nearest_m2 = np.minimum(nearest_m2, ((flat - start - share[:, None] * along) ** 2).sum(axis=1))
        result: Array = np.sqrt(nearest_m2).reshape(positions.shape[:-1])
        return result

    def lateness(self, positions: Array, times_s: Array, at_constant_speed: bool) -> Array:
        """Return how far robots (times, robots, 2) were from where their reference then was."""
        duration_s, path = self.trajectory.duration_s, self.trajectory.path
        points = [
            path.sample(path.length_m * min(time_s / duration_s, 1.0)).pose
            if at_constant_speed
            else self.trajectory.sample(time_s).pose
            for time_s in times_s.tolist()
        ]
        places = np.array([[point.x_m, point.y_m] for point in points])
        result: Array = np.linalg.norm(positions - places[:, None], axis=2)
        return result

    def missed_m(self, positions: Array) -> float:
        """Return the largest closest approach to a corner in any lap, of all robots (times, robots, 2)."""
        lap, margin = math.ceil(len(positions) / self.laps), len(positions) // (_MARGINS * self.laps)
        parts = [positions[max(0, k * lap - margin) : (k + 1) * lap + margin] for k in range(self.laps)]
        misses_m = [
            np.linalg.norm(part - corner, axis=2).min(axis=0).max() for part in parts for corner in self.corners
        ]
        return float(max(misses_m, default=0.0))


@lru_cache
def course(name: str, laps: int, speed_mps: float) -> Course:
    """Return a path of the benchmarks, driven `laps` times in the time that `speed_mps` takes."""
    lap = shape_path(name)
    trajectory = plan_at_mean_speed(lap.repeated(laps), _LIMITS, speed_mps)
    corners = [[turn.start.x_m, turn.start.y_m] for turn in lap.pieces if isinstance(turn, Turn)]
    return Course(trajectory, _places(lap), np.array(corners).reshape(-1, 2), laps)


def _places(lap: Path) -> Array:
    """Return places along a lap so near to each other that the lines between them are the path."""
    spots_m, started_m = [0.0], 0.0
    for piece in lap.pieces:
        parts = 1 if isinstance(piece, Line) else round(piece.length_m / _GRAIN_M)
        spots_m += [started_m + piece.length_m * (part + 1) / parts for part in range(parts)]
        started_m += piece.length_m
    poses = [lap.sample(s_m).pose for s_m in spots_m]
    return np.array([[pose.x_m, pose.y_m] for pose in poses])
