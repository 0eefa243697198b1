"""Least driving times to a goal over the roadmap, without other robots.

On an open floor they are known in closed form: the lattice has eight directions. Around obstacles, Dijkstra's algorithm
finds them.
"""

import heapq
import math
from typing import Final

from fleet.geometry import Pose2D
from fleet.routing.roadmap import Roadmap

_PLACES: Final = 8  # settled in one step
_DIAGONAL: Final = math.sqrt(2.0) - 1.0  # excess of a diagonal over a side, in sides


class TimesToGoal:
    """Finds the times from all places, a bounded number of steps at a time.

    Parameters
    ----------
    roadmap : where robots can drive
    goal : the goal
    speed_mps : driving speed

    Attributes
    ----------
    near : the places from which a free straight line reaches the goal
    is_over : whether all times are found
    """

    def __init__(self, roadmap: Roadmap, goal: Pose2D, speed_mps: float) -> None:
        self.near: Final = roadmap.near(goal.x_m, goal.y_m)
        self.is_over = not roadmap.has_obstacles
        self._times_s: Final = [math.inf] * len(roadmap.xs_m)
        self._roadmap: Final = roadmap
        self._speed_mps: Final = speed_mps
        self._heap: Final[list[tuple[float, int]]] = []
        self._last_s: Final[list[float]] = []  # from the places near the goal
        for place in self.near:
            away_x_m, away_y_m = roadmap.xs_m[place] - goal.x_m, roadmap.ys_m[place] - goal.y_m
            time_s = math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m) / speed_mps
            self._last_s.append(time_s)
            if not self.is_over:
                self._times_s[place] = time_s
                heapq.heappush(self._heap, (time_s, place))

    def time_s(self, place: int) -> float:
        """Return the time from a place [s], infinite if there is no way; valid once `is_over`."""
        time_s = self._times_s[place]
        if math.isinf(time_s) and not self._roadmap.has_obstacles:
            time_s = self._times_s[place] = self._open_s(place)
        return time_s

    def _open_s(self, place: int) -> float:
        """Return the time from a place over an open lattice."""
        xs_m, ys_m = self._roadmap.xs_m, self._roadmap.ys_m
        x_m, y_m, best_s = xs_m[place], ys_m[place], math.inf
        for index, last in enumerate(self.near):
            away_x_m, away_y_m = abs(xs_m[last] - x_m), abs(ys_m[last] - y_m)
            length_m = max(away_x_m, away_y_m) + _DIAGONAL * min(away_x_m, away_y_m)
            best_s = min(best_s, self._last_s[index] + length_m / self._speed_mps)
        return best_s

    def expand(self, count: int) -> int:
        """Do at most `count` steps; return the number done."""
        for done in range(count):
            for _ in range(_PLACES):
                if not self._heap:
                    self.is_over = True
                    return done + 1
                self._settle()
        return count

    def _settle(self) -> None:
        """Settle the nearest open place, and shorten the times of its neighbours."""
        time_s, place = heapq.heappop(self._heap)
        times_s = self._times_s
        if time_s > times_s[place]:
            return
        lengths_m = self._roadmap.lengths_m[place]
        for index, other in enumerate(self._roadmap.neighbours[place]):
            longer_s = time_s + lengths_m[index] / self._speed_mps
            if longer_s < times_s[other] - 1e-12:
                times_s[other] = longer_s
                heapq.heappush(self._heap, (longer_s, other))
