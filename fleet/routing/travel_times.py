"""Estimates travel times without other robots, quickly enough to compare many choices."""

import math
from collections import OrderedDict
from typing import Final

from fleet.geometry import Pose2D, wrap_angle
from fleet.routing.roadmap import Roadmap
from fleet.routing.times_to_goal import TimesToGoal
from fleet.settings.config import MotionConfig
from fleet.trajectories.ramp import rest_to_rest

_GOALS_LEAST: Final = 64  # goals whose times over the whole floor are kept ...
_GOALS_MOST: Final = 256
_TIMES: Final = 1_000_000  # ... at most, over all places: about 32 MB
_PLACES: Final = 4_096  # whose neighbours are kept
_OBSTACLES: Final = 16  # obstacles compared with a line in one step
_NEAR_LINES: Final = 3  # lines to a goal that take as long as those from a pose to its neighbours
_EXPANSIONS: Final = 1_000
_MORE_S: Final = 0.3  # measured: for planning its way, and for settling at its end
_CORNER_S: Final = 1.5  # a stop, a turn of about 45 degrees and a start, at each of about two corners around walls
_CORNERS: Final = 2


class TravelTimes:
    """Times of travel over a floor.

    A straight line without walls takes a turn, the line and a turn, each from rest to rest within the limits.
    Otherwise the least time over the roadmap counts, and the turns at both ends and at two corners.

    Parameters
    ----------
    roadmap : the floor
    motion : the limits of robots, and whether they drive backward
    settle_s : how long a robot rests at the end before its leg is over

    Attributes
    ----------
    steps : steps of all searches so far, for callers with a budget
    """

    def __init__(self, roadmap: Roadmap, motion: MotionConfig, settle_s: float) -> None:
        self._roadmap: Final = roadmap
        self._limits: Final = motion.limits
        self._backward: Final = motion.backward
        self._settle_s: Final = settle_s
        self._turn: Final = motion.limits.on_the_spot()
        self._known_near: Final[OrderedDict[tuple[float, float], list[int]]] = OrderedDict()
        self._line_steps: Final = 1 + roadmap.obstacle_count // _OBSTACLES
        self._fields: Final[OrderedDict[tuple[float, float], TimesToGoal]] = OrderedDict()
        self._kept: Final = max(_GOALS_LEAST, min(_GOALS_MOST, _TIMES // max(1, len(roadmap.xs_m))))
        self.steps = 0

    def search(self, goal: Pose2D, count: int) -> bool:
        """Continue the search for the times to a goal by at most `count` steps; return whether it is complete.

        Otherwise `seconds` does the rest of the search at once.
        """
        if not self._roadmap.has_obstacles:
            return True
        field = self._field(goal)
        if not field.is_over:
            self.steps += field.expand(count)
        return field.is_over

    def seconds(self, start: Pose2D, goal: Pose2D) -> float:
        """Return the time from rest at one pose to rest at another; infinite if walls leave no way."""
        self.steps += self._line_steps
        if self._roadmap.is_line_free(start.x_m, start.y_m, goal.x_m, goal.y_m):
            return _MORE_S + self._settle_s + self._straight_s(start, goal)
        return _MORE_S + self._settle_s + self._around_s(start, goal)

    def has_way(self, start: Pose2D, goal: Pose2D) -> bool:
        """Return whether walls leave a way from one pose to another."""
        if not self._roadmap.has_obstacles or self._roadmap.are_connected(self._near(start), self._near(goal)):
            return True
        return self._roadmap.is_line_free(start.x_m, start.y_m, goal.x_m, goal.y_m)

    def _near(self, pose: Pose2D) -> list[int]:
        """Return the places of the roadmap beside a pose."""
        key = (pose.x_m, pose.y_m)
        found = self._known_near.get(key)
        if found is None:
            self.steps += _NEAR_LINES * self._line_steps
            found = self._known_near[key] = self._roadmap.near(pose.x_m, pose.y_m)
            if len(self._known_near) > _PLACES:
                self._known_near.popitem(last=False)
        return found

    def _straight_s(self, start: Pose2D, goal: Pose2D) -> float:
        limits = self._limits
        distance_m = start.distance_to(goal)
        drive_s = rest_to_rest(distance_m, limits.speed_mps, limits.acceleration_mps2, limits.jerk_mps3).duration_s
        bearing_rad = start.bearing_to(goal)
        forward_s = self._turns_s(start, goal, bearing_rad)
        if self._backward:
            forward_s = min(forward_s, self._turns_s(start, goal, bearing_rad + math.pi))
        return drive_s + forward_s

    def _turns_s(self, start: Pose2D, goal: Pose2D, heading_rad: float) -> float:
        return self._turn_s(heading_rad - start.heading_rad) + self._turn_s(goal.heading_rad - heading_rad)

    def _turn_s(self, angle_rad: float) -> float:
        rate_radps, acceleration_radps2 = self._turn
        jerk_radps3 = self._limits.turn_jerk_radps3
        return rest_to_rest(abs(wrap_angle(angle_rad)), rate_radps, acceleration_radps2, jerk_radps3).duration_s

    def _around_s(self, start: Pose2D, goal: Pose2D) -> float:
        """Return the time around walls."""
        times = self._field(goal)
        while not times.is_over:
            self.steps += times.expand(_EXPANSIONS)
        best_s = math.inf
        for place in self._near(start):
            x_m, y_m = self._roadmap.xs_m[place], self._roadmap.ys_m[place]
            to_place_s = math.hypot(x_m - start.x_m, y_m - start.y_m) / self._limits.speed_mps
            best_s = min(best_s, to_place_s + times.time_s(place))
        return best_s + (_CORNERS + 1) * _CORNER_S

    def _field(self, goal: Pose2D) -> TimesToGoal:
        """Return the times to a goal, which may still be incomplete."""
        key = (goal.x_m, goal.y_m)
        field = self._fields.get(key)
        if field is None:
            field = self._fields[key] = TimesToGoal(self._roadmap, goal, self._limits.speed_mps)
            if len(self._fields) > self._kept:
                self._fields.popitem(last=False)
        else:
            self._fields.move_to_end(key)
        return field
