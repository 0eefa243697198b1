"""What we publish of our robots: their ways, or where they are stationary."""

import math
from typing import Final

from fleet.geometry import Pose2D
from fleet.timetable.knots import Knot, knots_of
from fleet.timetable.shared_ways import SharedWay
from fleet.timetable.way import Way
from fleet.traffic.agreement import OwnState

_MOVED_M: Final = 0.01  # stationary robots are published again when they have moved this far


class OwnRobot:
    """The state of one of our robots in this tick.

    Parameters
    ----------
    pose : its pose
    ahead : the farthest pose it may have reached, if it is lost; None otherwise
    way : the way that it is on; None without one
    is_roaming : whether it moves without a way
    is_asking : whether it has asked for a way
    """

    def __init__(
        self, pose: Pose2D, ahead: Pose2D | None, way: Way | None, *, is_roaming: bool, is_asking: bool
    ) -> None:
        self.pose: Final = pose
        self.ahead: Final = ahead
        self.way: Final = way
        self.is_roaming: Final = is_roaming
        self.is_asking: Final = is_asking

    @property
    def place(self) -> Pose2D:
        """Where it is stationary, or will stop."""
        return self.pose if self.ahead is None else self.ahead


class _Entry:
    """The published entry of one robot."""

    def __init__(self, robot: OwnRobot, version: int, now_ns: int) -> None:
        way = robot.way
        self.robot: Final = robot
        self.version: Final = version
        self.known_s: Final = 0.0 if way is None else way.known_s
        self.start_ns: Final = now_ns if way is None else round(way.start_s * 1e9)
        self.knots: Final = _knots(robot)
        until_s = self.known_s if way is None or not way.is_known else math.inf
        self.state: Final = OwnState(way, until_s - self.start_ns * 1e-9, robot.is_roaming)

    def is_outdated(self, robot: OwnRobot) -> bool:
        """Whether a robot does something other than published."""
        before = self.robot
        if robot.way is not before.way or (robot.ahead is None) != (before.ahead is None):
            return True
        if robot.is_roaming != before.is_roaming or robot.is_asking != before.is_asking:
            return True
        if robot.way is not None:
            return robot.way.known_s != self.known_s
        return not robot.is_roaming and robot.place.distance_to(before.place) > _MOVED_M


class OwnWays:
    """Collects the state of our robots, and detects what has yet to be published.

    Attributes
    ----------
    number : grows with every change that is published
    has_changed : whether something must be published
    """

    def __init__(self) -> None:
        self.number = 0
        self.has_changed = True  # others must learn of our presence
        self._version = 0
        self._entries: dict[int, _Entry] = {}
        self._asked_ns: dict[int, int] = {}

    def note(self, robots: dict[int, OwnRobot], now_ns: int) -> None:
        """Note the state of all our robots; robots missing here are not on the floor."""
        for robot_id in [robot_id for robot_id in self._entries if robot_id not in robots]:
            del self._entries[robot_id]
            self._asked_ns.pop(robot_id, None)
            self.has_changed = True
        for robot_id, robot in robots.items():
            if robot.way is None and not robot.is_asking:
                self._asked_ns.pop(robot_id, None)
            entry = self._entries.get(robot_id)
            if entry is None or entry.is_outdated(robot):
                self._version += 1
                self._entries[robot_id] = _Entry(robot, self._version, now_ns)
                self.has_changed = True

    def asked_ns(self, robot_id: int) -> int | None:
        """Return the time since which others know a robot's way, by the clock that stamps messages."""
        return self._asked_ns.get(robot_id)

    @property
    def states(self) -> dict[int, OwnState]:
        """The states to publish of all robots, in short."""
        return {robot_id: entry.state for robot_id, entry in self._entries.items()}

    def publish(self, now_ns: int, stamp_ns: int) -> tuple[SharedWay, ...]:
        """Return the ways to publish now; `stamp_ns` is now by the clock that stamps messages."""
        if self.has_changed:
            self.number += 1
            self.has_changed = False
        for robot_id, entry in self._entries.items():
            if entry.robot.way is not None:
                self._asked_ns.setdefault(robot_id, stamp_ns)
        return tuple(
            SharedWay(
                robot_id,
                entry.version,
                entry.start_ns + stamp_ns - now_ns,
                entry.knots,
                self._asked_ns.get(robot_id, stamp_ns),
                entry.robot.is_roaming,
                entry.robot.ahead is not None,
                entry.robot.is_asking,
            )
            for robot_id, entry in self._entries.items()
        )


def _knots(robot: OwnRobot) -> tuple[Knot, ...]:
    if robot.way is not None:
        return knots_of(robot.way)
    if robot.ahead is not None:
        return (Knot(0.0, robot.pose), Knot(1.0, robot.ahead))
    return (Knot(0.0, robot.pose),)
