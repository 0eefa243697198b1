"""Plans the earliest way of one robot: straight there, or on a route over the roadmap that is then shortened."""

import math
from typing import Final

from fleet.paths.path import Path
from fleet.routing.chain_timing import chain_path, earliest
from fleet.routing.journey import Journey
from fleet.routing.path_timing import earliest_along
from fleet.routing.roadmap import Roadmap
from fleet.routing.route_search import RouteSearch
from fleet.timetable.occupancy import Occupancy
from fleet.trajectories.timing import plan_fastest
from fleet.trajectories.to_pose import path_from
from fleet.trajectories.trajectory import Trajectory

_SOONER_S: Final = 1e-6
_PATH_STEPS: Final = 100  # the timing of a path costs as much as so many expansions
_CHAIN_STEPS: Final = 5  # the timing of a chain costs as much as so many expansions


class WayPlanner:
    """Finds the earliest trajectory from a pose, at rest, to a goal; nobody is met, and the goal can be kept.

    Parameters
    ----------
    roadmap : where to drive
    occupancy : when other robots are where
    journey : from where to where
    start_s : the earliest departure
    horizon_s : later arrivals are of no use

    Attributes
    ----------
    trajectory : the best one so far, with waits; its start is at `start_s`
    is_over : whether planning has ended
    """

    def __init__(
        self, roadmap: Roadmap, occupancy: Occupancy, journey: Journey, start_s: float, horizon_s: float
    ) -> None:
        self.trajectory: Trajectory | None = None
        self.is_over = False
        self._roadmap: Final = roadmap
        self._occupancy: Final = occupancy
        self._journey: Final = journey
        self._start_s: Final = start_s
        self._horizon_s: Final = horizon_s
        self._search: RouteSearch | None = None

    def expand(self, count: int) -> int:
        """Do at most about `count` steps of work; return how many were done."""
        done = 0
        if not self._can_stay():
            self.is_over = True
            return _CHAIN_STEPS
        if self._journey.along is not None:
            self._keep_to_path(self._journey.along)
            self.is_over = True
            return _PATH_STEPS
        if self._search is None:
            done += _CHAIN_STEPS
            if self._go_straight():
                self.is_over = True
                return done
            best = self.trajectory
            latest_s = self._start_s + (self._horizon_s if best is None else best.duration_s)
            self._search = RouteSearch(self._roadmap, self._occupancy, self._journey, self._start_s, latest_s)
        if done < count:
            done += self._search.expand(count - done)
        if self._search.is_over:
            if self._search.corners is not None:
                done += self._follow(self._search.corners[1:-1])
            self.is_over = True
        return done

    def _can_stay(self) -> bool:
        """Whether all others leave the goal at last."""
        taken = self._occupancy.taken(self._journey.goal.x_m, self._journey.goal.y_m)
        return not taken or taken[-1].end_s < math.inf

    def _go_straight(self) -> bool:
        """Time the straight way; return whether nobody is in it."""
        start, goal, limits = self._journey.start, self._journey.goal, self._journey.limits
        if not self._roadmap.is_line_free(start.x_m, start.y_m, goal.x_m, goal.y_m):
            return False
        path = chain_path([], self._journey)
        self._keep(earliest(path, limits, self._occupancy, self._start_s))
        found = self.trajectory
        return found is not None and found.duration_s <= plan_fastest(path, limits).duration_s + _SOONER_S

    def _keep_to_path(self, path: Path) -> None:
        """Time the path that the robot has to drive."""
        limits = self._journey.limits
        self.trajectory = earliest_along(path_from(self._journey.start, path), limits, self._occupancy, self._start_s)

    def _follow(self, corners: list[tuple[float, float]]) -> int:
        """Time a chain of corners, then leave out those without which the robot arrives no later."""
        start, goal = self._journey.start, self._journey.goal
        steps = _CHAIN_STEPS
        best = self._timed(corners)
        index = 0
        while index < len(corners):
            fewer = corners[:index] + corners[index + 1 :]
            around = [(start.x_m, start.y_m), *corners, (goal.x_m, goal.y_m)]
            (x1_m, y1_m), (x2_m, y2_m) = around[index], around[index + 2]
            shorter = self._timed(fewer) if self._roadmap.is_line_free(x1_m, y1_m, x2_m, y2_m) else None
            steps += _CHAIN_STEPS
            if shorter is not None and (best is None or shorter.duration_s <= best.duration_s + _SOONER_S):
                best, corners, index = shorter, fewer, max(0, index - 1)
            else:
                index += 1
        self._keep(best)
        return steps

    def _timed(self, corners: list[tuple[float, float]]) -> Trajectory | None:
        path = chain_path(corners, self._journey)
        return earliest(path, self._journey.limits, self._occupancy, self._start_s)

    def _keep(self, found: Trajectory | None) -> None:
        best = self.trajectory
        if found is not None and (best is None or found.duration_s < best.duration_s):
            self.trajectory = found
