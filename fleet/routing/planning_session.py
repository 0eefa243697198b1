"""Plans ways for several robots together, so that each of them gets a way."""

import math
from collections.abc import Sequence
from typing import Final

from fleet.routing.journey import Journey
from fleet.routing.roadmap import Roadmap
from fleet.routing.times_to_goal import TimesToGoal
from fleet.routing.way_planner import WayPlanner
from fleet.routing.way_problem import WayProblem
from fleet.timetable.motion import UniformMotion, standing
from fleet.timetable.occupancy import HORIZON_S, Occupancy
from fleet.timetable.step_budget import StepBudget
from fleet.timetable.timetable import YIELDS_S, Others
from fleet.timetable.uniform_cut import cutting
from fleet.timetable.way import Way, is_clear
from fleet.trajectories.counted_work import CountedWork
from fleet.trajectories.trajectory import Trajectory

_PROMOTIONS: Final = 2  # promotions of each robot
_CUT_AT_ONCE: Final = 50  # steps of cutting a way into motions between pauses; fewer are not counted


class PlanningSession:
    """Plans one way after the other, reordering robots that find none.

    A robot that finds none is promoted: planned again before the others, behind robots promoted earlier; if that fails
    too, as if no other robot had a way. Robots whose ways then meet its own plan again behind it. A robot whose goal
    an earlier robot takes is blocked instead, unless it stands in that robot's way: otherwise the last to ask would
    always be the first to get there.

    Parameters
    ----------
    roadmap : where robots can drive
    others : where all other robots are and will be
    journeys : journeys by robot, in the order of planning
    start_s : when the ways start
    apart_m : the distance to keep between two robots' axles
    in_haste : whether to find ways in fewer steps, though they may be longer ones

    Attributes
    ----------
    ways : ways by robot, once the session is over
    is_over : whether planning has ended
    """

    def __init__(
        self,
        roadmap: Roadmap,
        others: Others,
        journeys: dict[int, Journey],
        start_s: float,
        *,
        apart_m: float,
        in_haste: bool = False,
    ) -> None:
        self.ways: dict[int, Way] = {}
        self.is_over = not journeys
        self._roadmap: Final = roadmap
        self._others: Final = others
        self._journeys: Final = journeys
        self._start_s: Final = start_s
        self._apart_m: Final = apart_m
        self._in_haste: Final = in_haste
        self._order: list[int] = list(journeys)
        self._kept: dict[int, Way] = {}  # the others' ways while a promoted robot is planned
        self._promoted: list[int] = []  # with repetition
        self._blocked: list[int] = []
        self._planner: WayPlanner | None = None
        self._way_cut: _Cut | None = None
        self._times: dict[int, TimesToGoal] = {}

    @property
    def blocked(self) -> Sequence[int]:
        """The robots that find no way even when planned first."""
        return self._blocked if self.is_over else []

    def expand(self, count: int) -> int:
        """Do about `count` steps of work at most; return the number done."""
        done = 0
        while done < count and not self.is_over:
            robot_id = next(robot_id for robot_id in self._order if robot_id not in self.ways)
            if self._way_cut is not None:
                done += self._cut(robot_id, self._way_cut)
                continue
            if self._planner is None:
                self._planner = self._create_planner(robot_id)
            done += self._planner.expand(count - done)
            if self._planner.is_over:
                trajectory, self._planner = self._planner.trajectory, None
                if trajectory is None:
                    done += self._on_planned(robot_id, None)
                else:
                    done += self._cut(robot_id, _Cut(trajectory))
        return done

    def _cut(self, robot_id: int, cut: "_Cut") -> int:
        """Cut a robot's trajectory into motions, or a part of it; return the number of steps taken."""
        done = cut.work.advance(_CUT_AT_ONCE)
        motions = cut.work.result
        self._way_cut = cut if motions is None else None
        done = 0 if done < _CUT_AT_ONCE else done
        if motions is None:
            return done
        return done + self._on_planned(robot_id, Way(cut.trajectory, self._start_s, motions))

    def _create_planner(self, robot_id: int) -> WayPlanner:
        motions = self._others.motions(robot_id, self._start_s)
        for other_id, journey in self._journeys.items():
            if other_id != robot_id:
                motions += self._motions(other_id, journey)
        journey = self._journeys[robot_id]
        occupancy = Occupancy(motions, self._apart_m, self._start_s, journey.start)
        times = self._times.get(robot_id)
        if times is None:
            times = self._times[robot_id] = TimesToGoal(self._roadmap, journey.goal, journey.limits.speed_mps)
        problem = WayProblem(self._roadmap, occupancy, journey, self._start_s, times)
        return WayPlanner(problem, HORIZON_S, in_haste=self._in_haste)

    def _motions(self, robot_id: int, journey: Journey) -> list[UniformMotion]:
        way = self.ways.get(robot_id)
        if way is not None:
            return way.motions
        is_blocked = robot_id in self._blocked
        return [standing(journey.start, self._start_s, math.inf if is_blocked else self._start_s + YIELDS_S)]

    def _on_planned(self, robot_id: int, way: Way | None) -> int:
        """Take note of a robot's way; return the number of steps taken."""
        done = self._note_planned(robot_id, way)
        self.is_over = len(self.ways) == len(self._order)
        return done

    def _note_planned(self, robot_id: int, way: Way | None) -> int:
        if way is not None:
            self.ways[robot_id] = way
            return self._restore(way.motions)
        self._order.remove(robot_id)
        times = self._promoted.count(robot_id)
        if self.ways and times < _PROMOTIONS and not self._waits_for_goal(robot_id):
            ahead = [other_id for other_id in self._order if other_id in self._promoted] if times == 0 else []
            self._promoted.append(robot_id)
            behind = [other_id for other_id in self._order if other_id not in ahead]
            self._order = [*ahead, robot_id, *behind]
            self._kept = {other_id: way for other_id, way in self.ways.items() if other_id in behind}
            self.ways = {other_id: way for other_id, way in self.ways.items() if other_id in ahead}
            return 0
        self._blocked.append(robot_id)
        self._kept = self._kept or self.ways
        self.ways = {}
        return self._restore(self._motions(robot_id, self._journeys[robot_id]))

    def _waits_for_goal(self, robot_id: int) -> bool:
        """Whether other ways end at a robot's goal, and none of these meets it at its present place."""
        journey = self._journeys[robot_id]
        goal, start = journey.goal, standing(journey.start, self._start_s, math.inf)
        taking = [
            way
            for other_id, way in self.ways.items()
            if goal.distance_to(self._journeys[other_id].goal) < self._apart_m
        ]
        return bool(taking) and all(is_clear(way, 0.0, [start], self._apart_m, StepBudget(0)) for way in taking)

    def _restore(self, motions: list[UniformMotion]) -> int:
        """Restore the others' ways that do not meet `motions`; return the number of steps taken."""
        spent = StepBudget(0)
        for robot_id, way in self._kept.items():
            if is_clear(way, 0.0, motions, self._apart_m, spent):
                self.ways[robot_id] = way
        self._kept = {}
        return -spent.left


class _Cut:
    """A planned trajectory while it is cut into motions."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory: Final = trajectory
        self.work: Final = CountedWork(cutting(trajectory))
