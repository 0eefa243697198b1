"""Shortens routes by corners without which the robot arrives no later."""

import math
from itertools import pairwise
from typing import Final

from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.pieces import Line
from fleet.routing.arrivals import Drive, PlannedArrival, arrivals_after, turned
from fleet.routing.chains import Chain
from fleet.routing.way_problem import WayProblem
from fleet.timetable.motion import Interval
from fleet.timetable.occupancy import free, free_until
from fleet.timetable.uniform_cut import drive_motions
from fleet.trajectories.ramp import rest_to_rest
from fleet.trajectories.timing import plan_fastest

SOONER_S: Final = 1e-6  # smaller differences of durations are rounding


class _TimedLine:
    """Duration of a straight line, its departures without conflicts, and the free intervals of its end."""

    def __init__(self, duration_s: float, gaps: list[Interval], places: list[Interval]) -> None:
        self.duration_s: Final = duration_s
        self.gaps: Final = gaps
        self.places: Final = places


class RouteShortening:
    """Shortens a route, one corner at a time.

    Parameters
    ----------
    problem : the journey among others
    corners : corners of the route, between start and goal

    Attributes
    ----------
    corners : the remaining corners
    is_over : whether nothing is left to try
    """

    def __init__(self, problem: WayProblem, corners: list[tuple[float, float]]) -> None:
        self.corners = corners
        self.is_over = False
        self._roadmap: Final = problem.roadmap
        self._occupancy: Final = problem.occupancy
        self._journey: Final = problem.journey
        self._start_s: Final = problem.start_s
        self._lines: dict[tuple[float, float, float, float], _TimedLine] = {}
        self._best_s: float | None = None
        self._index = 0

    def advance(self) -> None:
        """Do a small part of the work: examine a line, or try to leave out a corner."""
        corners, index = self.corners, self._index
        if self._best_s is None:
            chain = Chain(corners, self._journey)
            if not self._has_examined_another(chain):
                self._best_s = self._arrival_s(chain)
        elif index >= len(corners):
            self.is_over = True
        elif self._has_line_across(index):
            fewer = corners[:index] + corners[index + 1 :]
            chain = Chain(fewer, self._journey)
            if not self._has_examined_another(chain):
                self._try(fewer, self._arrival_s(chain), self._best_s)
        else:
            self._index += 1

    def _try(self, fewer: list[tuple[float, float]], shorter_s: float, best_s: float) -> None:
        """Leave out a corner if the robot arrives no later."""
        if shorter_s < math.inf and shorter_s <= best_s + SOONER_S:
            self._best_s, self.corners, self._index = shorter_s, fewer, max(0, self._index - 1)
        else:
            self._index += 1

    def _has_line_across(self, index: int) -> bool:
        """Whether walls leave room on the line that skips a corner."""
        start, goal = self._journey.start, self._journey.goal
        around = [(start.x_m, start.y_m), *self.corners, (goal.x_m, goal.y_m)]
        (x1_m, y1_m), (x2_m, y2_m) = around[index], around[index + 2]
        return self._roadmap.is_line_free(x1_m, y1_m, x2_m, y2_m)

    def _has_examined_another(self, chain: Chain) -> bool:
        """Examine one unexamined line of a chain; return False if there is none."""
        for (x1_m, y1_m), (x2_m, y2_m) in pairwise(chain.places):
            key = (x1_m, y1_m, x2_m, y2_m)
            if key not in self._lines:
                self._lines[key] = self._timed(x1_m, y1_m, x2_m, y2_m)
                return True
        return False

    def _arrival_s(self, chain: Chain) -> float:
        """Return the earliest arrival on a chain of lines after which the robot can stay; infinite if there is none."""
        start = self._journey.start
        until_s = free_until(self._occupancy.taken(start.x_m, start.y_m), self._start_s)
        arrivals = [PlannedArrival(self._start_s, until_s, None, 0.0)]
        turns_rad = chain.turns_rad
        for index, ((x1_m, y1_m), (x2_m, y2_m)) in enumerate(pairwise(chain.places)):
            line = self._lines[x1_m, y1_m, x2_m, y2_m]
            drive = Drive(self._turn_s(turns_rad[index]), line.duration_s)
            arrivals = arrivals_after(arrivals, drive, line.gaps, line.places)
        for arrival in turned(arrivals, self._turn_s(turns_rad[-1])):
            if math.isinf(arrival.until_s):
                return arrival.time_s
        return math.inf

    def _timed(self, x1_m: float, y1_m: float, x2_m: float, y2_m: float) -> _TimedLine:
        away_x_m, away_y_m = x2_m - x1_m, y2_m - y1_m
        start = Pose2D(x1_m, y1_m, math.atan2(away_y_m, away_x_m))
        line = Line(start, math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m))
        plan = plan_fastest(Path([line]), self._journey.limits)
        gaps = free(self._occupancy.departures(drive_motions(plan, plan.legs[0], 0.0)), -math.inf)
        return _TimedLine(plan.duration_s, gaps, free(self._occupancy.taken(x2_m, y2_m), -math.inf))

    def _turn_s(self, turn_rad: float) -> float:
        limits = self._journey.limits
        return rest_to_rest(abs(turn_rad), *limits.on_the_spot(), limits.turn_jerk_radps3).duration_s
