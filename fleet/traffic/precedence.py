"""Decides who goes first where two ways meet: robots keep the planned order when they are late.

Motions of two ways come too near to each other for an interval of delays of the first relative to the second, known
in closed form. The planned delay lies outside. If it lies above the interval, the first robot is the follower, and its
clock waits before the relative delay falls to the interval's end: late robots delay only those behind them. The
order is that of the planned times, so there are no cycles. It is the action dependency graph of Hoenig and others
(Persistent and robust execution of MAPF schedules in warehouses, 2019), for continuous ways.
"""

import math
from collections import deque
from typing import Final, Protocol

from fleet.geometry import Pose2D
from fleet.timetable.motion import Interval, UniformMotion, departures_into
from fleet.timetable.step_budget import EXAMINED, StepBudget
from fleet.traffic.way_clock import WayClock

_ROUNDING_M: Final = 1e-3
_UNSEEN_S: Final = 0.15  # delay until other drivers' robots are seen; a robot this much later passes behind them
_FAR_S: Final = 10.0  # robots that pass a place this far apart need no order: new ways are planned before
_EXAMINED_AT_ONCE: Final = 20_000  # motions compared between checks of the budget
_PAIR_STEPS: Final = 1  # to compare two ways, apart from their motions


class WayProgress(Protocol):
    """A robot on its way, ours or another driver's.

    Attributes
    ----------
    start_s : when the way starts, as planned
    way_motions : the way, as planned
    delay_s : how late its clock is
    behind_s : how late the robot is beyond the clock
    late_s : sum of both
    """

    @property
    def start_s(self) -> float: ...  # noqa: D102  # documented above

    @property
    def way_motions(self) -> list[UniformMotion]: ...  # noqa: D102

    @property
    def delay_s(self) -> float: ...  # noqa: D102

    @property
    def behind_s(self) -> float: ...  # noqa: D102

    @property
    def late_s(self) -> float: ...  # noqa: D102

    def time_s(self, now_s: float) -> float:
        """Return the time on the way."""

    def place(self, now_s: float) -> Pose2D:
        """Return where the robot should be."""


class Precedence:
    """At one place, the least lateness of a follower behind its leader that keeps them apart.

    Parameters
    ----------
    leader : the robot that goes first
    offset_s : the follower's delay must be at least the leader's plus this
    leader_end_s, own_end_s : when leader and follower have passed, on their trajectories' clocks
    """

    def __init__(self, leader: int, offset_s: float, leader_end_s: float, own_end_s: float) -> None:
        self.leader: Final = leader
        self.offset_s: Final = offset_s
        self.leader_end_s: Final = leader_end_s
        self.own_end_s: Final = own_end_s


class WayOrder:
    """The order of all robots on their ways.

    Parameters
    ----------
    apart_m : the distance that the order keeps between two axles
    budget : the work that a tick may do; ways not yet ordered meet nobody as long as robots are on time
    """

    def __init__(self, apart_m: float, budget: StepBudget) -> None:
        self._apart_m: Final = apart_m
        self._budget: Final = budget
        self._pairs: deque[_Pair] = deque()  # not yet ordered
        self._clocks: dict[int, WayProgress] = {}
        self._behind: dict[int, list[Precedence]] = {}

    def enter(self, robot_id: int, clock: WayProgress) -> None:
        """Order a new way among all others, as soon as the budget allows."""
        self.remove(robot_id)
        self._behind[robot_id] = []
        for other_id, other in self._clocks.items():
            if _need_order(clock, other, self._apart_m):
                self._pairs.append(_Pair(robot_id, clock, other_id, other))
        self._clocks[robot_id] = clock

    def arrange(self, now_s: float) -> None:
        """Order the entered ways, within the budget."""
        while self._pairs and self._budget.left > 0:
            pair = self._pairs[0]
            if self._is_current(pair):
                if not pair.is_started:
                    pair.start(min(self._apart_m, _distance_m(pair.clock, pair.other, now_s) - _ROUNDING_M))
                self._budget.spend(_PAIR_STEPS + self._arrange(pair) // EXAMINED)
                if not pair.is_over:
                    continue
            self._pairs.popleft()

    def remove(self, robot_id: int) -> None:
        """Forget a way; no robot waits for its robot any longer."""
        if self._clocks.pop(robot_id, None) is None:
            return
        self._behind.pop(robot_id, None)
        for other_id in self._behind:
            self._behind[other_id] = [place for place in self._behind[other_id] if place.leader != robot_id]

    def awaited(self, robot_id: int, now_s: float) -> int | None:
        """Return the robot that must pass first before this one may drive on; None if it may."""
        places = self._behind.get(robot_id)
        if not places:
            return None
        clock = self._clocks[robot_id]
        time_s = clock.time_s(now_s)
        passed = 0
        awaited: int | None = None
        for place in places:
            leader = self._clocks[place.leader]
            if time_s > place.own_end_s or leader.time_s(now_s) - leader.behind_s > place.leader_end_s:
                passed += 1
            elif clock.delay_s < leader.late_s + place.offset_s and awaited is None:
                awaited = place.leader
        if passed > len(places) // 2:
            self._drop_passed(robot_id, now_s)
        return awaited

    def leads(self, robot_id: int) -> bool:
        """Whether any robot follows behind this one."""
        return any(place.leader == robot_id for places in self._behind.values() for place in places)

    def _drop_passed(self, robot_id: int, now_s: float) -> None:
        time_s = self._clocks[robot_id].time_s(now_s)
        kept: list[Precedence] = []
        for place in self._behind[robot_id]:
            leader = self._clocks[place.leader]
            if time_s <= place.own_end_s and leader.time_s(now_s) - leader.behind_s <= place.leader_end_s:
                kept.append(place)
        self._behind[robot_id] = kept

    def _is_current(self, pair: "_Pair") -> bool:
        """Whether both ways of a pair are still driven."""
        return self._clocks.get(pair.robot_id) is pair.clock and self._clocks.get(pair.other_id) is pair.other

    def _arrange(self, pair: "_Pair") -> int:
        """Note where a new way meets another way, and who goes first there; return how many motions were compared.

        For two long ways, one call compares only a part.
        """
        late_s, far_s, apart_m = pair.late_s, _FAR_S + pair.unseen_s, pair.apart_m
        other, theirs, first, examined = pair.other, pair.theirs, pair.first, 0
        while not pair.is_over and examined < _EXAMINED_AT_ONCE:
            own = pair.take()
            if isinstance(other, WayClock) and not other.way.is_near(own, apart_m):
                continue
            while first < len(theirs) and theirs[first].end_s < own.start_s + late_s - far_s:
                first += 1
            for index in range(first, len(theirs)):
                their = theirs[index]
                if their.start_s > own.end_s + late_s + far_s:
                    break
                examined += 1
                meeting = _meeting(own, their, apart_m)
                if meeting is not None:
                    self._note(pair, own.end_s, their.end_s, meeting)
        pair.first = first
        return examined

    def _note(self, pair: "_Pair", end_s: float, other_end_s: float, meeting: Interval) -> None:
        """Note who goes first at one place, unless the robots pass it long after each other."""
        meets_s, passed_s = meeting.start_s - pair.unseen_s, meeting.end_s + pair.unseen_s
        ahead_s, after_s = meets_s - pair.late_s, pair.late_s - passed_s
        if max(ahead_s, after_s) > _FAR_S:
            return
        own_end_s, other_end_s = end_s - pair.clock.start_s, other_end_s - pair.other.start_s
        if after_s >= ahead_s:
            place = Precedence(pair.other_id, passed_s, other_end_s, own_end_s)
            self._behind[pair.robot_id].append(place)
        else:
            place = Precedence(pair.robot_id, -meets_s, own_end_s, other_end_s)
            self._behind[pair.other_id].append(place)


class _Pair:
    """A new way and another way."""

    def __init__(self, robot_id: int, clock: WayProgress, other_id: int, other: WayProgress) -> None:
        self.robot_id: Final = robot_id
        self.clock: Final = clock
        self.other_id: Final = other_id
        self.other: Final = other
        self.is_started = False
        self.apart_m = 0.0
        self.own: list[UniformMotion] = []
        self.theirs: list[UniformMotion] = []
        self.first = 0  # index of the other's first motion that can meet the new way's next one
        self._next = 0
        is_ours = isinstance(clock, WayClock) and isinstance(other, WayClock)
        self.unseen_s: Final = 0.0 if is_ours else _UNSEEN_S

    def start(self, apart_m: float) -> None:
        """Start comparing the ways as they are now."""
        self.is_started, self.apart_m = True, apart_m
        self.own, self.theirs = self.clock.way_motions, self.other.way_motions

    def take(self) -> UniformMotion:
        """Return the next motion of the new way."""
        self._next += 1
        return self.own[self._next - 1]

    @property
    def is_over(self) -> bool:
        """Whether all motions of the new way were compared."""
        return self._next == len(self.own)

    @property
    def late_s(self) -> float:
        """Lateness of the new way relative to the other."""
        return self.clock.late_s - self.other.late_s


def _need_order(clock: WayProgress, other: WayProgress, apart_m: float) -> bool:
    """Whether two robots need an order: two of ours if their ways are near, one of ours and a neighbour always."""
    if isinstance(clock, WayClock) and isinstance(other, WayClock):
        return not clock.way.is_far_from(other.way, apart_m)
    return isinstance(clock, WayClock) or isinstance(other, WayClock)  # other drivers order their own


def _distance_m(clock: WayProgress, other: WayProgress, now_s: float) -> float:
    """Return the distance between a robot at the start of its way and another robot."""
    return clock.place(now_s).distance_to(other.place(now_s))


def _meeting(own: UniformMotion, theirs: UniformMotion, apart_m: float) -> Interval | None:
    """Return the delays of one motion relative to the other for which the discs come too near."""
    if own.end_s < math.inf:
        return departures_into(own, theirs, apart_m)
    if theirs.end_s == math.inf:
        return None  # both are stationary, as planned
    theirs_late = departures_into(theirs, own, apart_m)
    return None if theirs_late is None else Interval(-theirs_late.end_s, -theirs_late.start_s)
