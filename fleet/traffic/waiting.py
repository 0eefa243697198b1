"""Finds the robots that a waiting robot waits for: robots that pass before it drives on, or that block every way."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from fleet.floor.obstacles import Segment
from fleet.geometry import Pose2D
from fleet.routing.journey import Journey
from fleet.routing.roadmap import Roadmap
from fleet.routing.static_route import static_route
from fleet.timetable.motion import UniformMotion, departures_into

_SOON_S: Final = 0.1


def passing(
    rest: Iterable[UniformMotion], now_s: float, others: Mapping[int, list[UniformMotion]], apart_m: float
) -> list[int]:
    """Return the robots that pass where a robot, waiting by plan, drives next.

    `rest` is the rest of the robot's way; it starts with a wait.
    """
    motions = [motion for motion in rest if motion.end_s > now_s]
    drive = next((motion for motion in motions if motion.vx_mps != 0.0 or motion.vy_mps != 0.0), None)
    if drive is None or drive.start_s < now_s + _SOON_S:
        return []
    wait_s = drive.start_s - now_s
    following = [motion for motion in motions if drive.start_s <= motion.start_s < drive.start_s + wait_s]
    return [
        robot_id
        for robot_id, theirs in others.items()
        if any(_meets(own, theirs, wait_s, apart_m) for own in following)
    ]


def _meets(own: UniformMotion, others: list[UniformMotion], earlier_s: float, apart_m: float) -> bool:
    """Whether a motion would meet others if it started up to `earlier_s` earlier than planned."""
    if math.isinf(own.end_s):
        return False
    meetings = (departures_into(own, other, apart_m) for other in others)
    return any(meeting is not None and meeting.start_s < 0.0 and meeting.end_s > -earlier_s for meeting in meetings)


class Obstruction:
    """Finds the robots that block a blocked robot's way.

    Parameters
    ----------
    roadmap : where robots can drive
    journey : the blocked robot's journey
    apart_m : the distance that ways keep between two axles
    """

    def __init__(self, roadmap: Roadmap, journey: Journey, apart_m: float) -> None:
        self.journey: Final = journey
        self._roadmap: Final = roadmap
        self._apart_m: Final = apart_m
        self._route: list[Segment] | None = None
        self._has_searched = False

    def culprits(self, places: Mapping[int, Sequence[Pose2D]]) -> list[int] | None:
        """Return the robots at the goal, or else on the way the robot would take without them; None if walls block it.

        `places` are where each robot may be stationary.
        """
        goal = self.journey.goal
        at_goal = [
            robot_id
            for robot_id, ones in places.items()
            if any(place.distance_to(goal) < self._apart_m for place in ones)
        ]
        if at_goal:
            return at_goal
        if not self._has_searched:  # a search takes milliseconds
            self._route, self._has_searched = static_route(self._roadmap, self.journey, [], self._apart_m), True
        return None if self._route is None else near_route(self._route, places, self._apart_m)


def near_route(route: Sequence[Segment], places: Mapping[int, Sequence[Pose2D]], apart_m: float) -> list[int]:
    """Return the robots that are, or may be, stationary too near to a route."""
    return [
        robot_id
        for robot_id, ones in places.items()
        if any(line.distance_m(one.x_m, one.y_m) < apart_m for line in route for one in ones)
    ]
