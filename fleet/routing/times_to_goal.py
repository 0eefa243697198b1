"""The least driving times to a goal over the roadmap, without other robots; found by Dijkstra's algorithm."""

import heapq
import math
from typing import Final

from fleet.geometry import Pose2D
from fleet.routing.roadmap import Roadmap

_PLACES: Final = 8  # that are settled in one step


class TimesToGoal:
    """Finds the times for all places, a bounded number of steps at a time.

    Parameters
    ----------
    roadmap : where to drive
    goal : where to
    speed_mps : at which robots drive

    Attributes
    ----------
    near : the places from which the goal can be reached on a straight line
    times_s : for each place, infinite where there is no way; valid once `is_over`
    is_over : whether all are found
    """

    def __init__(self, roadmap: Roadmap, goal: Pose2D, speed_mps: float) -> None:
        self.near: Final = roadmap.near(goal.x_m, goal.y_m)
        self.times_s: Final = [math.inf] * len(roadmap.xs_m)
        self.is_over = False
        self._roadmap: Final = roadmap
        self._speed_mps: Final = speed_mps
        self._heap: Final[list[tuple[float, int]]] = []
        for place in self.near:
            away_x_m, away_y_m = roadmap.xs_m[place] - goal.x_m, roadmap.ys_m[place] - goal.y_m
            self.times_s[place] = math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m) / speed_mps
            heapq.heappush(self._heap, (self.times_s[place], place))

    def expand(self, count: int) -> int:
        """Do at most `count` steps; return how many were done."""
        for done in range(count):
            for _ in range(_PLACES):
                if not self._heap:
                    self.is_over = True
                    return done + 1
                self._settle()
        return count

    def _settle(self) -> None:
        """Take the nearest place that is not settled, and shorten the times of its neighbours."""
        time_s, place = heapq.heappop(self._heap)
        times_s = self.times_s
        if time_s > times_s[place]:
            return
        lengths_m = self._roadmap.lengths_m[place]
        for index, other in enumerate(self._roadmap.neighbours[place]):
            longer_s = time_s + lengths_m[index] / self._speed_mps
            if longer_s < times_s[other] - 1e-12:
                times_s[other] = longer_s
                heapq.heappush(self._heap, (longer_s, other))
