"""What the dispatcher needs of robots that other drivers serve: they get jobs as goals of their actions."""

from collections.abc import Sequence
from typing import Protocol

from fleet.geometry import Pose2D
from fleet.reason import Explanation
from fleet.robots.readiness import Readiness
from fleet.work.work import Work


class RobotsElsewhere(Protocol):
    """The robots of other drivers."""

    def readiness(self, now_ns: int) -> Sequence[Readiness]:
        """Return all robots that other drivers serve, by their ids."""

    def give(self, robot_id: int, work: Work, task_id: str, now_ns: int) -> Explanation | None:
        """Send work to a robot as a goal; return None, or why that is impossible now."""

    def send_aside(self, robot_id: int, place: Pose2D) -> None:
        """Send a robot without a task to a place, as a task; it may refuse."""

    def take(self, robot_id: int, task_id: str) -> None:
        """Cancel a goal, if this driver has sent it."""


class NoneElsewhere:
    """No robots: this driver serves the whole fleet."""

    def readiness(self, now_ns: int) -> Sequence[Readiness]:
        """Return nothing."""
        return ()

    def give(self, robot_id: int, work: Work, task_id: str, now_ns: int) -> Explanation | None:
        """Refuse."""
        raise ValueError(f"no other driver serves robot {robot_id}")

    def send_aside(self, robot_id: int, place: Pose2D) -> None:
        """Do nothing."""

    def take(self, robot_id: int, task_id: str) -> None:
        """Do nothing."""
