"""Plans ways for robots that ask, a bounded number of steps in each tick."""

import math
from collections.abc import Iterable
from typing import Final

from fleet.geometry import Pose2D
from fleet.routing.journey import Journey
from fleet.routing.planning_session import PlanningSession
from fleet.routing.roadmap import Roadmap
from fleet.timetable.motion import standing
from fleet.timetable.step_budget import StepBudget
from fleet.timetable.timetable import YIELDS_S, Others, Timetable
from fleet.timetable.way import Way, is_clear
from fleet.traffic.priorities import Priorities

_AGAIN_S: Final = 0.5  # pause before another session for robots without a way; doubles each time ...
_SELDOM_S: Final = 4.0  # ... up to this
_LEAD_S: Final = 0.05  # time for planning; doubled if that was not enough ...
_ROBOT_LEAD_S: Final = 0.075  # ... plus this for each robot of a session
_ROUNDING_M: Final = 1e-3
_MOST: Final = 20  # robots of a session; on floors with more than these, ...
_FEW: Final = 8  # ... sessions have at most these, and are planned in haste
_MANY: Final = 1_000  # motions: ways of more are not compared in a tick that has no steps left
_LONGER_S: Final = 5.0  # slower ways, by this much, are compared with one to which others yield ...
_SAVED_S: Final = 4.0  # ... which must save this much for each of them


class Planning:
    """The robots that ask for a way, and the session in which their ways are planned.

    Parameters
    ----------
    roadmap : where robots can drive
    timetable : where all robots are and will be
    apart_m : the distance that ways keep between two axles
    priorities : decide who is planned first, and whose ways a robot may take
    budget : the work that a tick may do

    Attributes
    ----------
    blocked_since_s : for each asking robot without a way, since when
    stays : robots that others expected to leave, and that just failed to find a way
    """

    def __init__(
        self, roadmap: Roadmap, timetable: Timetable, apart_m: float, priorities: Priorities, budget: StepBudget
    ) -> None:
        self.blocked_since_s: dict[int, float] = {}
        self._roadmap: Final = roadmap
        self._timetable: Final = timetable
        self._apart_m: Final = apart_m
        self._priorities: Final = priorities
        self._budget: Final = budget
        self._asking: dict[int, Journey] = {}
        self._session: PlanningSession | None = None
        self.stays: list[int] = []
        self._robot_ids: list[int] = []  # of the session
        self._waiting: list[int] = []  # robots that are planned after them
        self._is_bounded = False  # whether sessions do not have all robots that ask
        self._session_number = 0
        self._planned: dict[int, int] = {}  # the latest session of each robot that asks
        self._expected: set[int] = set()  # waiting robots that others expect to leave
        self._yielding: dict[int, list[int]] = {}  # the robots that yield to each robot of the session
        self._start_s = 0.0  # of the session's ways
        self._lead_s = 0.0
        self._again_s = _AGAIN_S
        self._blocked_s = -math.inf  # time of the latest session that left robots without a way
        self._not_before_s = -math.inf
        self._around: PlanningSession | None = None  # session with the way around others
        self._around_start_s = 0.0  # of that way
        self._has_compared = False
        self._displaced: dict[int, list[int]] = {}  # the robots that yield, by the robot whose way is ready

    @property
    def found(self) -> list[Way]:
        """The ways that the session has found so far."""
        return [] if self._session is None else list(self._session.ways.values())

    def journey(self, robot_id: int) -> Journey | None:
        """Return a robot's requested journey, None if it has not asked."""
        return self._asking.get(robot_id)

    def ask(self, robot_id: int, journey: Journey) -> None:
        """Request a way for a robot; it is planned at once if its priority is above that of all other asking robots."""
        if self._asking and all(self._priorities.may_take(robot_id, other_id) for other_id in self._asking):
            self._end()
            self._not_before_s = -math.inf
        self._asking[robot_id] = journey
        self.try_again()

    def try_again(self) -> None:
        """Soon plan again for robots without a way, as others have moved."""
        self._again_s = 0.5 * _AGAIN_S
        self._not_before_s = min(self._not_before_s, self._blocked_s + _AGAIN_S)

    def displaced(self, robot_id: int) -> list[int]:
        """Return the robots of equal priority that yield to a robot whose way has just become ready."""
        return self._displaced.get(robot_id, [])

    def give_up(self, robot_id: int) -> bool:
        """Withdraw a robot's request; return whether it had one."""
        self.blocked_since_s.pop(robot_id, None)
        self._forget(robot_id)
        if self._asking.pop(robot_id, None) is None:
            return False
        if robot_id in self._robot_ids:
            self._end()
        return True

    def advance(self, now_s: float, poses: dict[int, Pose2D], on_way: Iterable[int] = ()) -> dict[int, Way]:
        """Do the steps of one tick; return the ways that are ready, by robot.

        `on_way` are the robots with ways; they may yield to robots of higher priority.
        """
        self._displaced, self.stays = {}, []
        if self._session is None and self._members(now_s):
            self._has_compared = False
            self._start(now_s, 0.0, poses, on_way)
        session = self._session
        if session is None:
            return {}
        if not session.is_over and self._budget.left > 0:
            self._budget.spend(session.expand(self._budget.left))
        if not session.is_over or (self._budget.left <= 0 and _is_large(session)):
            return {}
        return self._conclude(session, now_s, poses, on_way)

    def _conclude(
        self, session: PlanningSession, now_s: float, poses: dict[int, Pose2D], on_way: Iterable[int]
    ) -> dict[int, Way]:
        """Return a finished session's ways, started now or as planned; plan again if all of them meet others."""
        displaced: list[int] = []
        if self._around is not None:
            displaced = self._displaced_by(session, self._around)
            if not displaced:
                session, self._start_s = self._around, self._around_start_s
                self._yielding = self._yielding_to_higher(on_way)
        elif self._is_long(session):
            self._has_compared = True
            may_yield = self._may_yield(on_way)
            if may_yield and self._members(now_s) == self._robot_ids:
                start_s = self._start_s
                self._start(now_s, 0.0, poses, on_way, may_yield)
                self._around, self._around_start_s = session, start_s
                return {}
        delay_s = now_s - self._start_s
        others = self._others_now(poses, on_way, max(0.0, delay_s))
        ways = self._clear(session, others, delay_s)
        if delay_s < 0.0 and len(ways) < len(session.ways):
            delay_s, ways = 0.0, self._clear(session, others, 0.0)
        if session.ways and not ways:
            self._start(now_s, self._lead_s if now_s < self._start_s else 2.0 * self._lead_s, poses, on_way)
            return {}
        if displaced:
            self._displaced = {self._robot_ids[0]: displaced}
        return self._close(session, ways, now_s, delay_s)

    def _is_long(self, session: PlanningSession) -> bool:
        """Whether the session's only robot would take much longer than alone on the floor."""
        if self._has_compared or len(self._robot_ids) != 1 or not session.ways:
            return False
        robot_id = self._robot_ids[0]
        journey = self._asking[robot_id]
        straight_s = journey.start.distance_to(journey.goal) / journey.limits.speed_mps
        return journey.along is None and session.ways[robot_id].trajectory.duration_s > straight_s + _LONGER_S

    def _may_yield(self, on_way: Iterable[int]) -> list[int]:
        """Return the robots of equal priority that may yield to the session's only robot."""
        robot_id = self._robot_ids[0]
        return [other_id for other_id in on_way if self._priorities.may_displace(robot_id, other_id)]

    def _displaced_by(self, session: PlanningSession, around: PlanningSession) -> list[int]:
        """Return the robots that must yield to a session's way, if it saves enough over the way around them."""
        robot_id = self._robot_ids[0]
        way = session.ways.get(robot_id)
        if way is None:
            return []
        motions = self._timetable.by_robot()
        met = [
            other_id
            for other_id in self._yielding[robot_id]
            if not is_clear(way, 0.0, motions[other_id], self._apart_m, self._budget)
        ]
        ends_s = self._start_s + way.trajectory.duration_s
        saved_s = self._around_start_s + around.ways[robot_id].trajectory.duration_s - ends_s
        return met if saved_s > _SAVED_S * len(met) else []

    def _yielding_to_higher(self, on_way: Iterable[int]) -> dict[int, list[int]]:
        movable = [*on_way, *self._asking]
        return {
            member_id: [robot_id for robot_id in movable if self._priorities.may_take(member_id, robot_id)]
            for member_id in self._robot_ids
        }

    def _start(
        self,
        now_s: float,
        lead_s: float,
        poses: dict[int, Pose2D],
        on_way: Iterable[int],
        may_yield: Iterable[int] = (),
    ) -> None:
        self._around = None
        asking = self._members(now_s)
        self._is_bounded = max(len(asking), len(poses)) > _MOST
        self._robot_ids = self._nearest(asking)
        self._session_number += 1
        for robot_id in self._robot_ids:
            self._planned[robot_id] = self._session_number
        self._yielding = self._yielding_to_higher(on_way)
        for robot_id in self._robot_ids:
            self._yielding[robot_id] += may_yield
        self._lead_s = lead_s or _LEAD_S + _ROBOT_LEAD_S * len(self._robot_ids)
        self._start_s = now_s + self._lead_s
        self._waiting = [
            robot_id for robot_id in asking if robot_id not in self._robot_ids and robot_id not in self.blocked_since_s
        ]
        self._expected.update(self._waiting)
        others = self._others(poses)
        journeys: dict[int, Journey] = {}
        for robot_id in self._robot_ids:
            journeys[robot_id] = self._asking[robot_id].from_pose(self._place(robot_id, poses))
        self._session = PlanningSession(
            self._roadmap, others, journeys, self._start_s, apart_m=self._apart_m, in_haste=self._is_bounded
        )

    def _others(self, poses: dict[int, Pose2D], late_s: float = 0.0) -> Others:
        """Return the other robots that the session plans with, or those for ways that start later than planned.

        Waiting robots are expected to leave once they have been planned.
        """
        since_s = self._start_s - self._lead_s
        until_s = self._start_s + late_s + YIELDS_S + _ROBOT_LEAD_S * len(self._waiting)
        leaving = {robot_id: standing(self._place(robot_id, poses), since_s, until_s) for robot_id in self._waiting}
        return Others(self._timetable, self._robot_ids, self._yielding, leaving)

    def _others_now(self, poses: dict[int, Pose2D], on_way: Iterable[int], late_s: float) -> Others:
        """Return the other robots as they are now: a robot that has come to rest, or found no way, will not leave."""
        movable = {*on_way, *self._asking}
        self._waiting = [robot_id for robot_id in self._waiting if self._will_leave(robot_id)]
        self._yielding = {
            robot_id: [other_id for other_id in yielding if other_id in movable]
            for robot_id, yielding in self._yielding.items()
        }
        return self._others(poses, late_s)

    def _will_leave(self, robot_id: int) -> bool:
        """Whether a robot waits for its way, and is not blocked."""
        return robot_id in self._asking and robot_id not in self.blocked_since_s

    def _place(self, robot_id: int, poses: dict[int, Pose2D]) -> Pose2D:
        """Return the present place of an asking robot."""
        return poses.get(robot_id, self._asking[robot_id].start)

    def _nearest(self, asking: list[int]) -> list[int]:
        """Return the robots to plan next, in order: the robot whose turn it is, and those nearest to it.

        It is the turn of the robot whose latest session is longest ago. No other robot goes before one that is earlier
        in order and has the same goal.
        """
        most = _FEW if self._is_bounded else _MOST
        if len(asking) <= most:
            return asking
        turns = [(self._planned.get(robot_id, 0), index) for index, robot_id in enumerate(asking)]
        first = asking[min(turns)[1]]
        start = self._asking[first].start
        away_m = sorted((start.distance_to(self._asking[other].start), index) for index, other in enumerate(asking))
        near = sorted(index for _, index in away_m[:most])
        chosen = [index for index in near if asking[index] == first or not self._comes_second(asking, index, near)]
        return [asking[index] for index in chosen]

    def _comes_second(self, asking: list[int], index: int, near: list[int]) -> bool:
        """Whether a robot that is not planned now is earlier in order and has the same goal."""
        goal = self._asking[asking[index]].goal
        return any(
            goal.distance_to(self._asking[asking[earlier]].goal) < self._apart_m
            for earlier in range(index)
            if earlier not in near
        )

    def _members(self, now_s: float) -> list[int]:
        """Return the robots to plan next, by priority: those of the highest, and those they must agree with.

        The latter were blocked before, or have lost their ways to the former. Until blocked robots are planned again,
        others are planned without them, except those with the same goals.
        """
        asking = self._priorities.ordered(self._asking)
        if now_s < self._not_before_s:
            asking = [robot_id for robot_id in asking if not self._waits_with_blocked(robot_id)]
        if not asking:
            return []
        fresh = [robot_id for robot_id in asking if robot_id not in self.blocked_since_s] or asking[-1:]
        least = self._priorities.of(fresh[0])
        first = [robot_id for robot_id in asking if self._priorities.of(robot_id) >= least]
        return [
            robot_id
            for robot_id in asking
            if robot_id in first or any(self._priorities.has_taken(member_id, robot_id) for member_id in first)
        ]

    def _waits_with_blocked(self, robot_id: int) -> bool:
        """Whether a robot is blocked, or has the goal of a blocked robot."""
        if robot_id in self.blocked_since_s:
            return True
        goal = self._asking[robot_id].goal
        return any(goal.distance_to(self._asking[other_id].goal) < self._apart_m for other_id in self.blocked_since_s)

    def _close(self, session: PlanningSession, ways: dict[int, Way], now_s: float, delay_s: float) -> dict[int, Way]:
        for robot_id in ways:
            del self._asking[robot_id]
            self.blocked_since_s.pop(robot_id, None)
            self._forget(robot_id)
        for robot_id in session.ways:
            if robot_id not in ways:
                self._expected.add(robot_id)
        for robot_id in session.blocked:
            self.blocked_since_s.setdefault(robot_id, now_s)
            if robot_id in self._expected:
                self._expected.discard(robot_id)
                self.stays.append(robot_id)
        self._again_s = min(2.0 * self._again_s, _SELDOM_S) if session.blocked and not ways else _AGAIN_S
        if session.blocked:
            is_joint = self._is_bounded or all(robot_id in self._robot_ids for robot_id in self.blocked_since_s)
            self._blocked_s = now_s if is_joint else -math.inf  # else they are planned at once, together
            self._not_before_s = self._blocked_s + self._again_s
        self._end()
        return {robot_id: way.later(delay_s) for robot_id, way in ways.items()}

    def _forget(self, robot_id: int) -> None:
        """Forget a robot that no longer asks."""
        self._planned.pop(robot_id, None)
        self._expected.discard(robot_id)

    def _end(self) -> None:
        self._session = self._around = None
        self._robot_ids = []

    def _clear(self, session: PlanningSession, others: Others, delay_s: float) -> dict[int, Way]:
        """Return the ways of a session that still meet nobody when started later or earlier than planned.

        The other robots are planned again, and leave later than expected by the session.
        """
        clear_m = self._apart_m - _ROUNDING_M
        ways: dict[int, Way] = {}
        for robot_id, way in session.ways.items():
            motions = others.motions(robot_id, self._start_s + delay_s)
            if is_clear(way, delay_s, motions, clear_m, self._budget):
                ways[robot_id] = way
        left = len(session.ways)
        while 0 < len(ways) < left:
            left = len(ways)
            staying = [robot_id for robot_id in session.ways if robot_id not in ways]
            since_s = self._start_s + min(0.0, delay_s) - _LEAD_S
            until_s = self._start_s + max(0.0, delay_s) + YIELDS_S + _ROBOT_LEAD_S * len(staying)
            stands = [standing(session.ways[robot_id].trajectory.path.start, since_s, until_s) for robot_id in staying]
            ways = {
                robot_id: way for robot_id, way in ways.items() if is_clear(way, delay_s, stands, clear_m, self._budget)
            }
        return ways


def _is_large(session: PlanningSession) -> bool:
    """Whether comparing the session's ways with others takes long."""
    return sum(len(way.motions) for way in session.ways.values()) > _MANY
