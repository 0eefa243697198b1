"""Decides which robots charge where, and which have too little charge for jobs.

A robot below `low_pct` takes no jobs until it has charged. So that robots that share chargers are not all low at the
same time, the emptiest one charges earlier, below `early_pct`, if a charger is free. A robot has finished charging when
it has `ready_pct`, and 10 % more than the average of the others; then it makes room for others. If a robot below
`critical_pct` waits, one with much more charge makes room at once. Idle robots fill up at chargers that no other robot
needs. A robot that a task took onto a charger stays there until it is full, or is needed.
"""

import math
from collections.abc import Sequence
from typing import Final

from fleet.assignment.assignment_problem import TravelTime
from fleet.geometry import Pose2D
from fleet.robots.readiness import Readiness
from fleet.settings.dispatch_config import ChargingConfig, Finishing
from fleet.tasks.task import TaskState
from fleet.tasks.task_kind import TaskKind

_MARGIN: Final = 1.25  # jobs take longer than planned
_MUCH_PCT: Final = 20.0
_AHEAD_PCT: Final = 10.0
_THERE_M: Final = 0.05  # a robot this close to a charger is in it
_DONE_S: Final = 3.0  # without a job for this long, a robot has ended its last one


class Charging:
    """The chargers of one fleet, each kept for at most one robot.

    Parameters
    ----------
    chargers : poses of robots in them; without chargers, no robot charges, and every charge is enough
    settings : the charges at which robots charge and leave
    finishing : where robots go without further jobs
    apart_m : robots at places closer together than this are in each other's way
    travel_s : returns the driving time of a lone robot from pose to pose
    """

    def __init__(
        self,
        chargers: Sequence[Pose2D],
        settings: ChargingConfig,
        finishing: Finishing,
        apart_m: float,
        travel_s: TravelTime,
    ) -> None:
        self._chargers: Final = chargers
        self._settings: Final = settings
        self._apart_m: Final = apart_m
        self._travel_s: Final = travel_s
        charges_when_done = finishing is Finishing.CHARGE
        self._idle_s: Final = _DONE_S if charges_when_done else settings.idle_s
        self._idle_pct: Final = settings.full_pct if charges_when_done else settings.idle_pct
        self._idle_since_ns: dict[int, int] = {}
        self._empty: Final[set[int]] = set()  # robots that take no jobs until they have charged
        self._kept: Final[dict[int, int]] = {}  # for robots, their chargers
        self._sent: Final[dict[int, int]] = {}  # and where they were sent

    @property
    def kept(self) -> dict[int, Pose2D]:
        """The chargers that are kept for robots which drive there or charge."""
        return {robot_id: self._chargers[charger] for robot_id, charger in self._kept.items()}

    @property
    def places(self) -> Sequence[Pose2D]:
        """Poses of the chargers."""
        return self._chargers

    def is_empty(self, robot_id: int) -> bool:
        """Whether a robot must charge before it takes jobs."""
        return robot_id in self._empty

    def must_give_back(self, robot: Readiness) -> bool:
        """Whether a robot has too little charge to continue a job."""
        return bool(self._chargers) and robot.charge is not None and _pct(robot) < self._settings.critical_pct

    def endurance_s(self, robot: Readiness) -> float:
        """Return how long a robot can drive until it has `critical_pct` [s]; infinite if that is unknown."""
        if not self._chargers or robot.charge is None or robot.drain_per_s <= 0.0:
            return math.inf
        return max(0.0, robot.charge - 0.01 * self._settings.critical_pct) / (_MARGIN * robot.drain_per_s)

    def retreat_s(self, place: Pose2D) -> float:
        """Return the travel time from a place to the nearest charger [s]; 0 without chargers."""
        return min((self._travel_s(place, charger) for charger in self._chargers), default=0.0)

    def mean_charge(self, robots: Sequence[Readiness]) -> float:
        """Return the mean of the known charges; 0 without chargers."""
        known = [robot.charge for robot in robots if robot.charge is not None]
        return sum(known) / len(known) if known and self._chargers else 0.0

    def note_charges(self, robots: Sequence[Readiness]) -> None:
        """Note which robots must charge before they take jobs."""
        if not self._chargers:
            return
        known = [robot for robot in robots if robot.charge is not None]
        self._empty.intersection_update(robot.robot_id for robot in known)
        for robot in known:
            if _pct(robot) < self._settings.low_pct:
                self._empty.add(robot.robot_id)
            elif _pct(robot) >= self._enough_pct(robot, known):
                self._empty.discard(robot.robot_id)
        if len(self._chargers) >= len(known):
            return
        rest = [one for one in known if one.is_able and one.robot_id not in self._empty]
        emptiest = min(rest, key=_pct, default=None)
        if emptiest is None or len(self._empty.union(self._kept)) >= len(self._chargers):
            return
        gain_pct = self._enough_pct(emptiest, known) - _pct(emptiest)
        if _pct(emptiest) < self._settings.early_pct and gain_pct >= _AHEAD_PCT and emptiest.robot_id not in self._kept:
            self._empty.add(emptiest.robot_id)

    def _enough_pct(self, robot: Readiness, robots: Sequence[Readiness]) -> float:
        """Return the charge in percent at which a robot takes jobs again."""
        others = [_pct(other) for other in robots if other is not robot]
        ahead_pct = sum(others) / len(others) + _AHEAD_PCT if others else 0.0
        return min(self._settings.full_pct, max(self._settings.ready_pct, ahead_pct))

    def review(self, robots: Sequence[Readiness], now_ns: int) -> list[tuple[int, Pose2D]]:
        """Keep chargers for robots; return which robots should drive where now.

        Parameters
        ----------
        robots
            all robots
        now_ns
            the core's clock
        """
        if not self._chargers:
            return []
        known = [robot for robot in robots if robot.charge is not None and robot.pose is not None]
        idle = [robot.robot_id for robot in known if robot.may_drive]
        self._idle_since_ns = {robot_id: self._idle_since_ns.get(robot_id, now_ns) for robot_id in idle}
        by_id = {robot.robot_id: robot for robot in known}
        for robot_id in list(self._kept):
            if robot_id not in by_id or not self._may_keep(by_id[robot_id]):
                del self._kept[robot_id]
        for robot in sorted(known, key=lambda one: (one.robot_id not in self._empty, one.charge)):
            if self._wants(robot, now_ns):
                self._find_charger(robot, by_id, robots)
        return self._drives(by_id)

    def _may_keep(self, robot: Readiness) -> bool:
        return not robot.task_id and (robot.may_drive or self._is_there(robot))

    def _wants(self, robot: Readiness, now_ns: int) -> bool:
        if robot.robot_id in self._kept or not robot.may_drive:
            return False
        idle_s = (now_ns - self._idle_since_ns[robot.robot_id]) * 1e-9
        if robot.robot_id in self._empty or (idle_s >= self._idle_s and _pct(robot) < self._idle_pct):
            return True
        return _has_docked(robot) and _pct(robot) < self._settings.full_pct

    def _find_charger(self, robot: Readiness, by_id: dict[int, Readiness], robots: Sequence[Readiness]) -> None:
        """Keep a charger for a robot, preferably a free one."""
        others = set(range(len(self._chargers))).difference(self._kept.values())
        free = [charger for charger in sorted(others) if not self._is_blocked(charger, robot, robots)]
        if free and robot.pose is not None:
            place = robot.pose
            self._kept[robot.robot_id] = min(free, key=lambda one: self._travel_s(place, self._chargers[one]))
            return
        fullest = max((by_id[robot_id] for robot_id in self._kept), key=_pct, default=None)
        if fullest is not None and self._makes_room(fullest, robot):
            self._kept[robot.robot_id] = self._kept.pop(fullest.robot_id)

    def _makes_room(self, charging: Readiness, robot: Readiness) -> bool:
        """Whether a charging robot leaves its charger to another robot."""
        if _pct(charging) >= self._settings.full_pct:
            return True
        if robot.robot_id not in self._empty:
            return False
        is_much = _pct(charging) - _pct(robot) >= _MUCH_PCT
        return charging.robot_id not in self._empty or (is_much and _pct(robot) < self._settings.critical_pct)

    def _is_blocked(self, charger: int, robot: Readiness, robots: Sequence[Readiness]) -> bool:
        """Whether a task leads to a charger, or a robot that cannot leave is in it."""
        place = self._chargers[charger]
        stays = (
            one.task_end if one.task_id else None if one.may_drive else one.pose for one in robots if one is not robot
        )
        return any(stay is not None and stay.distance_to(place) < self._apart_m for stay in stays)

    def _drives(self, by_id: dict[int, Readiness]) -> list[tuple[int, Pose2D]]:
        found: list[tuple[int, Pose2D]] = []
        for robot_id in self._sent.keys() - self._kept.keys():
            del self._sent[robot_id]
        for robot_id, charger in self._kept.items():
            robot = by_id[robot_id]
            if self._sent.get(robot_id) != charger or not (robot.is_aside or self._is_there(robot)):
                self._sent[robot_id] = charger
                found.append((robot_id, self._chargers[charger]))
        return found

    def _is_there(self, robot: Readiness) -> bool:
        """Whether a robot is in the charger that is kept for it."""
        charger = self._kept.get(robot.robot_id)
        if charger is None or robot.pose is None:
            return False
        return robot.pose.distance_to(self._chargers[charger]) < _THERE_M


def _has_docked(robot: Readiness) -> bool:
    """Whether the latest task of a robot took it onto a charger."""
    last = robot.last_outcome
    return last is not None and last.kind is TaskKind.DOCK and last.state is TaskState.SUCCEEDED


def _pct(robot: Readiness) -> float:
    return 100.0 * (robot.charge or 0.0)
