"""Decides whose ways a robot may take: of robots with lower priority, or equal priority for a large gain."""

from collections.abc import Iterable

from fleet.geometry import Pose2D

_DEFAULT = 5
_PATIENCE = 2  # robots of equal priority take a robot's way at most this often per goal


class Priorities:
    """The priorities of all robots, and which ways have been taken.

    A robot takes the same other robot's way at most once per goal; afterwards it plans around that robot. So no
    two robots take each other's ways for ever.
    """

    def __init__(self) -> None:
        self._priorities: dict[int, int] = {}
        self._goals: dict[int, Pose2D] = {}
        self._taken: dict[int, list[int]] = {}  # the robots whose ways each has taken, for its present goal
        self._lost: dict[int, int] = {}  # how often each robot's way was taken, for its present goal

    def set(self, robot_id: int, priority: int) -> None:
        """Set a robot's priority: from 0, the lowest, to 9."""
        self._priorities[robot_id] = priority

    def of(self, robot_id: int) -> int:
        """Return a robot's priority."""
        return self._priorities.get(robot_id, _DEFAULT)

    def ordered(self, robot_ids: Iterable[int]) -> list[int]:
        """Return robots by priority, highest first; equal priorities keep their order."""
        return sorted(robot_ids, key=self._rank)

    def _rank(self, robot_id: int) -> int:
        return -self.of(robot_id)

    def note_goal(self, robot_id: int, goal: Pose2D) -> None:
        """Note where a robot wants to drive."""
        if self._goals.get(robot_id) != goal:
            self._goals[robot_id] = goal
            self._taken.pop(robot_id, None)
            self._lost.pop(robot_id, None)

    def note_taken(self, robot_id: int, other_id: int) -> None:
        """Note that a robot takes another robot's way."""
        self._taken.setdefault(robot_id, []).append(other_id)
        self._lost[other_id] = self._lost.get(other_id, 0) + 1

    def has_taken(self, robot_id: int, other_id: int) -> bool:
        """Whether a robot has taken another robot's way for its present goal."""
        return other_id in self._taken.get(robot_id, ())

    def may_take(self, robot_id: int, other_id: int) -> bool:
        """Whether a robot may take another robot's way by its priority."""
        return self.of(other_id) < self.of(robot_id) and not self.has_taken(robot_id, other_id)

    def may_displace(self, robot_id: int, other_id: int) -> bool:
        """Whether a robot that gains much may take the way of a robot of equal priority."""
        is_equal = robot_id != other_id and self.of(other_id) == self.of(robot_id)
        is_new = not self.has_taken(robot_id, other_id) and not self.has_taken(other_id, robot_id)
        return is_equal and is_new and self._lost.get(other_id, 0) < _PATIENCE
