"""The robots that other drivers serve, as seen by the dispatcher."""

import time
from collections.abc import Callable, Collection, Sequence
from typing import Final

from rclpy.node import Node

from fleet.reason import Explanation, Reason
from fleet.robots.readiness import Readiness
from fleet.robots.robot_status import TaskOutcome
from fleet.ros.jobs.remote_robot import RemoteRobot
from fleet.watch.robot_watch import RobotWatch
from fleet.work.work import Work
from thymio_base.instant import Instant

_PERIOD_NS: Final = 200_000_000  # between two looks at all topics


class RemoteFleet:
    """Watches these robots, and gives them jobs as goals.

    Parameters
    ----------
    node : owns the clients of their actions; an executor serves it
    listener : owns the subscriptions; no executor may serve it
    frame : frame of all poses
    drain_per_s : the share of a full charge that a robot uses in a second of driving
    served_elsewhere : returns the robots that other drivers announce
    """

    def __init__(
        self,
        node: Node,
        listener: Node,
        frame: str,
        drain_per_s: float,
        served_elsewhere: Callable[[], Collection[int]],
    ) -> None:
        self._node: Final = node
        self._topics: Final = RobotWatch(listener, frame)
        self._frame: Final = frame
        self._drain_per_s: Final = drain_per_s
        self._served_elsewhere: Final = served_elsewhere
        self._robots: Final[dict[int, RemoteRobot]] = {}
        self._readiness: list[Readiness] = []
        self._looked_ns: int | None = None
        self._now = Instant(0, 0)

    def advance(self, now: Instant) -> list[TaskOutcome]:
        """Read what the robots report, if that is due; return how our goals have ended."""
        self._now = now
        if self._looked_ns is not None and now.core_ns - self._looked_ns < _PERIOD_NS:
            return []
        self._looked_ns = now.core_ns
        served = set(self._served_elsewhere())
        self._watch(served)
        outcomes, self._readiness = [], []
        for robot_id, robot in sorted(self._robots.items()):
            self._topics.take(robot_id)
            outcome = robot.advance(is_served=robot_id in served)
            if outcome is not None:
                outcomes.append(outcome)
            readiness = robot.readiness() if robot_id in served else None
            if readiness is not None:
                self._readiness.append(readiness)
        return outcomes

    def readiness(self, now_ns: int) -> Sequence[Readiness]:
        """Return all robots that have reported, by their ids."""
        return self._readiness

    def give(self, robot_id: int, work: Work, task_id: str, now_ns: int) -> Explanation | None:
        """Send work to a robot as a goal; return None, or why that is impossible now."""
        robot = self._robots.get(robot_id)
        if robot is None:
            return Explanation(Reason.SERVED_ELSEWHERE, "no driver serves it")
        return robot.give(work, task_id, self._now.ros_ns)

    def send_aside(self, robot_id: int, work: Work) -> None:
        """Send a robot without a task aside, as a task with an id of its own."""
        if robot_id in self._robots:
            self._robots[robot_id].send_aside(work, self._now.ros_ns)

    def take(self, robot_id: int, task_id: str) -> None:
        """Cancel a goal, if this driver has sent it."""
        if robot_id in self._robots:
            self._robots[robot_id].take(task_id)

    def _watch(self, served: Collection[int]) -> None:
        """Start watching a new robot, one at a time."""
        new = next((robot_id for robot_id in sorted(served) if robot_id not in self._robots), None)
        if new is not None:
            self._robots[new] = RemoteRobot(
                new, self._node, self._topics, self._frame, time.monotonic, drain_per_s=self._drain_per_s
            )
