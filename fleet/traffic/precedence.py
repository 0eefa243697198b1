"""Who goes first where two ways meet: the planned order is kept when robots are late.

A motion of one way and one of another come too near for some delays of the one relative to the other: an interval in
closed form. As planned, the delay lies outside. If it lies above the interval, the one goes second, and its clock
waits before the relative delay falls to the interval's end: late robots delay those behind them, and nobody else. The
order is that of the planned times, so nobody waits for himself. It is the action dependency graph of Hoenig and others
(Persistent and robust execution of MAPF schedules in warehouses, 2019), for continuous ways.
"""

import math
from typing import Final

from fleet.timetable.motion import Interval, UniformMotion, departures_into
from fleet.timetable.occupancy import within_reach
from fleet.traffic.way_clock import WayClock

_ROUNDING_M: Final = 1e-3
_FAR_S: Final = 10.0  # robots that pass a place so long after each other need no order: new ways are planned before


class Precedence:
    """At one place, a robot must be later than another one by so much that they do not meet.

    Parameters
    ----------
    leader : who goes first
    offset_s : the follower's delay must be at least the leader's plus this
    leader_end_s, own_end_s : when leader and follower have passed, on their trajectories' clocks
    """

    def __init__(self, leader: int, offset_s: float, leader_end_s: float, own_end_s: float) -> None:
        self.leader: Final = leader
        self.offset_s: Final = offset_s
        self.leader_end_s: Final = leader_end_s
        self.own_end_s: Final = own_end_s


class Order:
    """The order of all robots that are on their ways.

    Parameters
    ----------
    apart_m : the distance that the order keeps between two axles
    """

    def __init__(self, apart_m: float) -> None:
        self._apart_m: Final = apart_m
        self._clocks: dict[int, WayClock] = {}
        self._behind: dict[int, list[Precedence]] = {}

    def enter(self, robot_id: int, clock: WayClock, now_s: float) -> None:
        """Order a new way among those of all others."""
        self.remove(robot_id)
        self._behind[robot_id] = []
        for other_id, other in self._clocks.items():
            self._arrange(_Pair(robot_id, clock, other_id, other), now_s)
        self._clocks[robot_id] = clock

    def remove(self, robot_id: int) -> None:
        """Forget a way: nobody waits for its robot any more."""
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
        """Whether others go second somewhere behind a robot."""
        return any(place.leader == robot_id for places in self._behind.values() for place in places)

    def _drop_passed(self, robot_id: int, now_s: float) -> None:
        time_s = self._clocks[robot_id].time_s(now_s)
        kept: list[Precedence] = []
        for place in self._behind[robot_id]:
            leader = self._clocks[place.leader]
            if time_s <= place.own_end_s and leader.time_s(now_s) - leader.behind_s <= place.leader_end_s:
                kept.append(place)
        self._behind[robot_id] = kept

    def _arrange(self, pair: "_Pair", now_s: float) -> None:
        """Note where a new way meets another one, and who goes first there."""
        clock, other = pair.clock, pair.other
        near = within_reach(other.way.motions, clock.way.motions, self._apart_m)
        if not near:
            return
        apart_m = min(self._apart_m, _distance_m(clock, other, now_s) - _ROUNDING_M)
        start_s, other_start_s = clock.way.start_s, other.way.start_s
        for own in clock.way.motions:
            for theirs in near:
                meeting = _meeting(own, theirs, apart_m)
                if meeting is None:
                    continue
                own_end_s, other_end_s = own.end_s - start_s, theirs.end_s - other_start_s
                ahead_s, after_s = meeting.start_s + other.late_s, -other.late_s - meeting.end_s
                if max(ahead_s, after_s) > _FAR_S:
                    continue
                if after_s >= ahead_s:
                    place = Precedence(pair.other_id, meeting.end_s, other_end_s, own_end_s)
                    self._behind[pair.robot_id].append(place)
                else:
                    place = Precedence(pair.robot_id, -meeting.start_s, own_end_s, other_end_s)
                    self._behind[pair.other_id].append(place)


class _Pair:
    """A new way, and another one."""

    def __init__(self, robot_id: int, clock: WayClock, other_id: int, other: WayClock) -> None:
        self.robot_id: Final = robot_id
        self.clock: Final = clock
        self.other_id: Final = other_id
        self.other: Final = other


def _distance_m(clock: WayClock, other: WayClock, now_s: float) -> float:
    """Return how far a robot that has just got its way is from another one."""
    place = other.way.trajectory.sample(other.time_s(now_s)).pose
    return clock.way.trajectory.path.start.distance_to(place)


def _meeting(own: UniformMotion, theirs: UniformMotion, apart_m: float) -> Interval | None:
    """Return the delays of one motion, relative to another one, with which the discs come too near."""
    if own.end_s < math.inf:
        return departures_into(own, theirs, apart_m)
    if theirs.end_s == math.inf:
        return None  # both stand, as planned
    theirs_late = departures_into(theirs, own, apart_m)
    return None if theirs_late is None else Interval(-theirs_late.end_s, -theirs_late.start_s)
