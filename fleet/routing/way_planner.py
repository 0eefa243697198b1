"""Plans the earliest way of one robot: straight, or on a route over the roadmap that is then shortened."""

import math
from typing import Final

from fleet.routing.chains import Chain
from fleet.routing.path_timing import PathTiming
from fleet.routing.route_search import RouteSearch
from fleet.routing.shortening import SOONER_S, RouteShortening
from fleet.routing.stop_timing import StopTiming
from fleet.routing.way_problem import WayProblem
from fleet.timetable.step_budget import EXAMINED
from fleet.trajectories.timing import plan_fastest
from fleet.trajectories.to_pose import path_from
from fleet.trajectories.trajectory import Trajectory

_AT_ONCE: Final = 4  # expansions
_CHAIN_STEPS: Final = 10  # to assemble a path and its profile ...
_TIMING_STEPS: Final = 2  # ... to time a leg or a part, apart from the examined motions ...
_CORNER_STEPS: Final = 4  # ... and to try leaving out a corner


class WayPlanner:
    """Finds the earliest conflict-free trajectory from a pose at rest to a goal where the robot can stay.

    Parameters
    ----------
    problem : the journey among others
    horizon_s : later arrivals are of no use
    in_haste : whether to find a route in fewer steps, though it may be a longer one

    Attributes
    ----------
    trajectory : the best trajectory so far, with waits; its time 0 is the problem's start
    is_over : whether planning has ended
    """

    def __init__(self, problem: WayProblem, horizon_s: float, *, in_haste: bool = False) -> None:
        self.trajectory: Trajectory | None = None
        self.is_over = False
        self._problem: Final = problem
        self._occupancy: Final = problem.occupancy
        self._journey: Final = problem.journey
        self._horizon_s: Final = horizon_s
        self._in_haste = in_haste
        self._uncounted = problem.occupancy.examined  # motions
        self._is_started = False
        # the stages, one after the other
        self._along: PathTiming | None = None
        self._straight: StopTiming | None = None
        self._search: RouteSearch | None = None
        self._shortening: RouteShortening | None = None
        self._chain: StopTiming | None = None

    def expand(self, count: int) -> int:
        """Do at most about `count` steps of work; return how many were done."""
        done = 0
        while done < count and not self.is_over:
            examined = self._occupancy.examined
            done += self._advance()
            self._uncounted += self._occupancy.examined - examined
            done += self._uncounted // EXAMINED
            self._uncounted %= EXAMINED
        return done

    def _advance(self) -> int:
        """Do a small part of the work; return its steps, apart from examined motions."""
        done = 0
        if not self._is_started:
            done = self._start()
        elif self._along is not None:
            done = self._keep_to_path(self._along)
        elif self._straight is not None:
            done = self._go_straight(self._straight)
        elif self._search is not None:
            done = self._find_route(self._search)
        elif self._shortening is not None:
            done = self._shorten(self._shortening)
        elif self._chain is not None:
            done = self._follow_route(self._chain)
        return done

    def _start(self) -> int:
        """Choose the first stage."""
        self._is_started = True
        start, goal, path = self._journey.start, self._journey.goal, self._journey.along
        if not self._can_stay():
            self.is_over = True
        elif path is not None:
            path = path_from(start, path)
            self._along = PathTiming(path, self._journey.limits, self._occupancy, self._problem.start_s)
        elif self._problem.roadmap.is_line_free(start.x_m, start.y_m, goal.x_m, goal.y_m):
            self._straight = self._timing_of([])
        else:
            self._search = self._create_search()
        return _CHAIN_STEPS

    def _can_stay(self) -> bool:
        """Whether all others finally leave the goal."""
        taken = self._occupancy.taken(self._journey.goal.x_m, self._journey.goal.y_m)
        return not taken or taken[-1].end_s < math.inf

    def _keep_to_path(self, timing: PathTiming) -> int:
        """Time the prescribed path."""
        done = timing.advance()
        if timing.is_over:
            self.trajectory = timing.trajectory
            self.is_over = True
        return _TIMING_STEPS + done

    def _go_straight(self, timing: StopTiming) -> int:
        """Time the straight way; search for a route if others are in it."""
        done = timing.advance()
        if timing.is_over:
            found = self.trajectory = timing.trajectory
            self._straight = None
            if found is not None and found.duration_s <= timing.plan.duration_s + SOONER_S:
                self.is_over = True
            else:
                self._search = self._create_search()
        return _TIMING_STEPS + done

    def _create_search(self) -> RouteSearch:
        best = self.trajectory
        if best is None:
            return RouteSearch(self._problem, self._problem.start_s + self._horizon_s, in_haste=self._in_haste)
        latest_s = self._problem.start_s + best.duration_s
        return RouteSearch(self._problem, latest_s, latest_s, in_haste=self._in_haste)

    def _find_route(self, search: RouteSearch) -> int:
        done = search.expand(_AT_ONCE)
        if search.is_over:
            self._search = None
            if search.corners is None:
                self.is_over = True
            else:
                corners = search.corners[1:-1]
                self._shortening = RouteShortening(self._problem, corners)
        return done

    def _shorten(self, shortening: RouteShortening) -> int:
        """Leave out corners without which the robot arrives no later."""
        shortening.advance()
        if shortening.is_over:
            self._shortening = None
            self._chain = self._timing_of(shortening.corners)
            return _CHAIN_STEPS
        return _CORNER_STEPS

    def _follow_route(self, timing: StopTiming) -> int:
        """Time the route; look for another one, with care, if one that was found in haste cannot be driven so."""
        done = timing.advance()
        if timing.is_over:
            best, found = self.trajectory, timing.trajectory
            if found is not None and (best is None or found.duration_s < best.duration_s):
                self.trajectory = found
            self.is_over = self.trajectory is not None or not self._in_haste
            if not self.is_over:
                self._in_haste, self._chain = False, None
                self._search = self._create_search()
        return _TIMING_STEPS + done

    def _timing_of(self, corners: list[tuple[float, float]]) -> StopTiming:
        path = Chain(corners, self._journey).path
        return StopTiming(plan_fastest(path, self._journey.limits), self._occupancy, self._problem.start_s)
