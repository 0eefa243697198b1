"""Plans the ways of several robots that ask at the same time, so that all of them get one."""

import math
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from fleet.routing.journey import Journey
from fleet.routing.roadmap import Roadmap
from fleet.routing.times_to_goal import TimesToGoal
from fleet.routing.way_planner import WayPlanner
from fleet.routing.way_problem import WayProblem
from fleet.timetable.motion import UniformMotion
from fleet.timetable.occupancy import HORIZON_S, Occupancy
from fleet.timetable.timetable import Timetable
from fleet.timetable.way import Way, standing
from fleet.timetable.yielding import YIELDS_S, motions_with_yielding


class PlanningSession:
    """Plans one way after the other; a robot that finds none goes to the front, and all others plan again behind it.

    Parameters
    ----------
    roadmap : where to drive
    timetable : where the robots of other sessions are; not changed here
    journeys : by robot, in the order in which they are planned
    start_s : when the ways start
    apart_m : the distance to keep between two robots' axles
    yielding : by robot, others outside the session that stop when its way starts, and plan again behind it

    Attributes
    ----------
    ways : by robot, once the session is over
    is_over : whether planning has ended
    """

    def __init__(
        self,
        roadmap: Roadmap,
        timetable: Timetable,
        journeys: dict[int, Journey],
        start_s: float,
        *,
        apart_m: float,
        yielding: Mapping[int, Collection[int]] = MappingProxyType({}),
    ) -> None:
        self.ways: dict[int, Way] = {}
        self.is_over = not journeys
        self._roadmap: Final = roadmap
        self._timetable: Final = timetable
        self._journeys: Final = journeys
        self._start_s: Final = start_s
        self._apart_m: Final = apart_m
        self._yielding: Final[Mapping[int, Collection[int]]] = yielding
        self._order: list[int] = list(journeys)
        self._index = 0
        self._promoted: dict[int, int] = {}
        self._planner: WayPlanner | None = None
        self._times: dict[int, TimesToGoal] = {}

    @property
    def blocked(self) -> Sequence[int]:
        """The robots that find no way even as the first."""
        return [robot_id for robot_id in self._journeys if robot_id not in self.ways] if self.is_over else []

    def expand(self, count: int) -> int:
        """Do at most about `count` steps of work; return how many were done."""
        done = 0
        while done < count and not self.is_over:
            robot_id = self._order[self._index]
            if self._planner is None:
                self._planner = self._create_planner(robot_id)
            done += self._planner.expand(count - done)
            if self._planner.is_over:
                trajectory = self._planner.trajectory
                self._planner = None
                self._on_planned(robot_id, None if trajectory is None else Way(trajectory, self._start_s))
        return done

    def _create_planner(self, robot_id: int) -> WayPlanner:
        yielding = self._yielding.get(robot_id, ())
        motions = motions_with_yielding(self._timetable, self._journeys, yielding, self._start_s)
        for other_id, journey in self._journeys.items():
            if other_id != robot_id:
                motions += self._motions(other_id, journey)
        journey = self._journeys[robot_id]
        occupancy = Occupancy(motions, self._apart_m, self._start_s, journey.start)
        times = self._times.get(robot_id)
        if times is None:
            times = self._times[robot_id] = TimesToGoal(self._roadmap, journey.goal, journey.limits.speed_mps)
        return WayPlanner(WayProblem(self._roadmap, occupancy, journey, self._start_s, times), HORIZON_S)

    def _motions(self, robot_id: int, journey: Journey) -> list[UniformMotion]:
        way = self.ways.get(robot_id)
        if way is not None:
            return way.motions
        is_blocked = self._promoted.get(robot_id, 0) > 1
        return [standing(journey.start, self._start_s, math.inf if is_blocked else self._start_s + YIELDS_S)]

    def _on_planned(self, robot_id: int, way: Way | None) -> None:
        if way is not None:
            self.ways[robot_id] = way
            self._index += 1
            self.is_over = self._index == len(self._order)
        else:
            self._promote(robot_id)

    def _promote(self, robot_id: int) -> None:
        """Start again with a robot in front; one that found no way there is blocked, and is left out."""
        was_first = self._index == 0
        self._promoted[robot_id] = 2 if was_first else self._promoted.get(robot_id, 0) + 1
        self._order.remove(robot_id)
        if self._promoted[robot_id] < 2:
            self._order.insert(0, robot_id)
        self.ways.clear()
        self._index = 0
        self.is_over = not self._order
