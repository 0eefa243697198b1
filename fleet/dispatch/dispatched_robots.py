"""The dispatcher's view of robots: which could take a task, and how to give and take tasks."""

from collections.abc import Sequence
from typing import Protocol

from fleet.geometry import Pose2D
from fleet.reason import Explanation
from fleet.robots.readiness import Readiness
from fleet.tasks.task import TaskRequest
from fleet.work.work import Work


class LocalRobots(Protocol):
    """The robots of one driver, implemented by `fleet.service.fleet_service`."""

    def readiness(self, now_ns: int) -> Sequence[Readiness]:
        """Return all robots that this driver serves, in the order of the configuration."""

    def travel_s(self, start: Pose2D, goal: Pose2D) -> float:
        """Return the driving time of a lone robot from one pose to another [s]."""

    @property
    def travel_steps(self) -> int:
        """Steps of search that `travel_s` and `search_travel` have done so far; one takes some 10 microseconds."""

    @property
    def unused_share(self) -> float:
        """Share of this tick's budget for planning ways that is unused."""

    def search_travel(self, goal: Pose2D, count: int) -> bool:
        """Prepare `travel_s` for a goal, in at most `count` steps; return whether that is complete."""

    def has_way(self, start: Pose2D, goal: Pose2D) -> bool:
        """Return whether walls leave a way from one pose to another."""

    def give(self, robot_id: int, request: TaskRequest, now_ns: int) -> Explanation | None:
        """Give a task to a robot; return None, or why it is rejected."""

    def send_aside(self, robot_id: int, work: Work, now_ns: int) -> None:
        """Send a robot without a task aside, to wait there until it gets a task; it may refuse."""

    def take(self, robot_id: int, task_id: str, now_ns: int) -> None:
        """Cancel a task, if the robot performs it."""


class RemoteRobots(Protocol):
    """The robots of other drivers."""

    def readiness(self, now_ns: int) -> Sequence[Readiness]:
        """Return all robots that other drivers serve, by their ids."""

    def give(self, robot_id: int, work: Work, task_id: str, now_ns: int) -> Explanation | None:
        """Send work to a robot as a goal; return None, or why that is impossible now."""

    def send_aside(self, robot_id: int, work: Work) -> None:
        """Send a robot without a task aside, as a task; it may refuse."""

    def take(self, robot_id: int, task_id: str) -> None:
        """Cancel a goal, if this driver has sent it."""


class NoRemoteRobots:
    """No robots: this driver serves the whole fleet."""

    def readiness(self, now_ns: int) -> Sequence[Readiness]:
        """Return nothing."""
        return ()

    def give(self, robot_id: int, work: Work, task_id: str, now_ns: int) -> Explanation | None:
        """Refuse."""
        raise ValueError(f"no other driver serves robot {robot_id}")

    def send_aside(self, robot_id: int, work: Work) -> None:
        """Do nothing."""

    def take(self, robot_id: int, task_id: str) -> None:
        """Do nothing."""
