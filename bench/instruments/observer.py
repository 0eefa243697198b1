"""A low-cost client of the whole fleet: it receives every pose and status, and keeps every robot on a task."""

import math
import struct
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.experimental import EventsExecutor
from rclpy.serialization import deserialize_message
from rclpy.task import Future
from ricaip_interfaces.action import TaskGoTo
from ricaip_interfaces.srv import AssignedTask

from fleet.commands.demo.generated_fleet import home_of
from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros
from fleet.interface.quality import POSE_QOS, STATUS_QOS

_REACH_M = 0.28  # keeps a robot in its cell
_TURN_RAD = math.radians(137.5)  # from each goal to the next, as seen from home: a rotation without a repeating pattern
_CANCELED_EVERY = 5  # goals
_CANCELED_AFTER_S = 1.0
_CALL_PERIOD_S = 0.1
_STEP_S = 0.02
_REFUSED_PAUSE_S = 0.5
_COUNT_KEY = "tick_overruns"  # only in the diagnostics of drivers
_STAMP = struct.Struct("<iI")  # of a serialized message with a header, after four bytes of encoding


@dataclass(slots=True)
class Measured:
    """The results since the last reset; instants are those of time.monotonic()."""

    poses: dict[int, list[float]]
    ages_s: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    accepts_s: list[float] = field(default_factory=list)
    stops_s: list[float] = field(default_factory=list)
    calls_s: list[float] = field(default_factory=list)
    ends: dict[str, int] = field(default_factory=dict)


class _ObservedRobot:
    """One robot: its last messages, and its task."""

    def __init__(self, robot_id: int, home: Pose2D) -> None:
        self.id = robot_id
        self.home = home
        self.has_pose = False
        self.is_idle = False
        self.goals = 0
        self.is_busy = False
        self.not_before_s = 0.0
        self.handle: ClientGoalHandle | None = None
        self.cancel_at_s = math.inf
        self.canceled_s: float | None = None
        self.actions: ActionClient = None
        self.calls: Any = None

    def next_goal(self) -> Pose2D:
        """Return the next place, on a circle around home."""
        angle_rad = _TURN_RAD * self.goals + self.id
        place = Pose2D(_REACH_M * math.cos(angle_rad), _REACH_M * math.sin(angle_rad), angle_rad)
        return self.home.compose(place)


class Observer:
    """Subscribes to the robots 1 to `count` and sends tasks, from one thread; it makes progress only while it spins.

    Only the stamps of poses are deserialized, so that 1000 of them a second do not disturb the measurement.
    """

    def __init__(self, count: int) -> None:
        self._context = rclpy.Context()
        self._context.init()
        self.node = rclpy.create_node(f"observer_{uuid.uuid4().hex[:8]}", context=self._context)
        self._executor = EventsExecutor(context=self._context)
        self._robots = [_ObservedRobot(robot_id, home_of(robot_id - 1, count)) for robot_id in range(1, count + 1)]
        self._missing = list(self._robots)
        self._diagnostics: bytes | None = None
        self._turn = 0
        self._call_due_s = 0.0
        self.measured = Measured({robot.id: [] for robot in self._robots})
        for robot in self._robots:
            self._watch(robot)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 1, raw=True)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self.node)
        self._executor.shutdown()
        for robot in self._robots:
            robot.actions.destroy()
        self.node.destroy_node()
        self._context.try_shutdown()

    def reset(self) -> None:
        """Reset the measurement."""
        self.measured = Measured({robot.id: [] for robot in self._robots})

    def missing(self) -> list[int]:
        """Return the robots without a pose, not idle, or without an action server.

        Finding a server queries the whole graph, so a robot that was once ready is not checked again.
        """
        self._missing = [robot for robot in self._missing if not self._is_ready(robot)]
        return [robot.id for robot in self._missing]

    def spin_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Serve until a condition holds, checked every 20 ms; return whether it does."""
        end_s = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() >= end_s:
                return False
            self._spin(_STEP_S)
        return True

    def drive(self, duration_s: float, is_calling: bool = True) -> None:
        """Keep every robot on a task for a while; cancel every fifth task, and query task ids."""
        end_s = time.monotonic() + duration_s
        while (now_s := time.monotonic()) < end_s:
            for robot in self._robots:
                self._drive(robot, now_s)
            if is_calling and now_s >= self._call_due_s:
                self._call_due_s = now_s + _CALL_PERIOD_S
                self._call(self._robots[self._turn % len(self._robots)])
                self._turn += 1
            self._spin(_STEP_S)

    def diagnostics(self) -> dict[str, str]:
        """Return the driver's diagnostics, {} if none has arrived."""
        if self._diagnostics is None:
            return {}
        array: DiagnosticArray = deserialize_message(self._diagnostics, DiagnosticArray)
        found = [{value.key: value.value for value in status.values} for status in array.status]
        return next((values for values in found if _COUNT_KEY in values), {})

    def _spin(self, duration_s: float) -> None:
        end_s = time.monotonic() + duration_s
        while (remaining_s := end_s - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=remaining_s)

    def _watch(self, robot: _ObservedRobot) -> None:
        prefix = f"/factory/robot_{robot.id}"
        node = self.node
        node.create_subscription(
            PoseStamped, f"{prefix}/pose", lambda data: self._on_pose(robot, data), POSE_QOS, raw=True
        )
        node.create_subscription(
            DiagnosticStatus, f"{prefix}/status", lambda message: self._on_status(robot, message), STATUS_QOS
        )
        robot.actions = ActionClient(node, TaskGoTo, f"{prefix}/task_go_to")
        robot.calls = node.create_client(AssignedTask, f"{prefix}/assigned_task")

    def _is_ready(self, robot: _ObservedRobot) -> bool:
        return robot.has_pose and robot.is_idle and bool(robot.actions.server_is_ready())

    def _on_pose(self, robot: _ObservedRobot, data: bytes) -> None:
        seconds, nanoseconds = _STAMP.unpack_from(data, 4)
        self.measured.ages_s.append(time.time() - seconds - 1e-9 * nanoseconds)
        self.measured.poses[robot.id].append(time.monotonic())
        robot.has_pose = True

    def _on_status(self, robot: _ObservedRobot, message: DiagnosticStatus) -> None:
        counts = self.measured.statuses
        counts[robot.id] = counts.get(robot.id, 0) + 1
        values = {value.key: value.value for value in message.values}
        robot.is_idle = (values.get("state"), values.get("localization")) == ("idle", "tracked")

    def _on_diagnostics(self, data: bytes) -> None:
        if _COUNT_KEY.encode() in data:
            self._diagnostics = data

    def _drive(self, robot: _ObservedRobot, now_s: float) -> None:
        if not robot.is_busy and now_s >= robot.not_before_s:
            self._send(robot)
        elif robot.handle is not None and now_s >= robot.cancel_at_s:
            robot.cancel_at_s, robot.canceled_s = math.inf, time.monotonic()
            robot.handle.cancel_goal_async()

    def _send(self, robot: _ObservedRobot) -> None:
        pose = pose_to_ros(robot.next_goal(), self.node.get_clock().now().nanoseconds, "map")
        robot.goals += 1
        robot.is_busy = True
        goal = TaskGoTo.Goal(task_id=uuid.uuid4().hex, goal_pose=pose)
        sent_s = time.monotonic()
        future = robot.actions.send_goal_async(goal)
        future.add_done_callback(lambda future: self._on_answer(robot, future, sent_s))

    def _on_answer(self, robot: _ObservedRobot, future: Future, sent_s: float) -> None:
        now_s = time.monotonic()
        handle = future.result()
        if not handle.accepted:
            self._end(robot, "REJECTED")
            robot.not_before_s = now_s + _REFUSED_PAUSE_S
            return
        self.measured.accepts_s.append(now_s - sent_s)
        robot.handle = handle
        is_canceled = (robot.goals + robot.id) % _CANCELED_EVERY == 0
        robot.cancel_at_s = now_s + _CANCELED_AFTER_S if is_canceled else math.inf
        handle.get_result_async().add_done_callback(lambda future: self._on_result(robot, future))

    def _on_result(self, robot: _ObservedRobot, future: Future) -> None:
        status = future.result().status
        if robot.canceled_s is not None and status == GoalStatus.STATUS_CANCELED:
            self.measured.stops_s.append(time.monotonic() - robot.canceled_s)
        self._end(robot, _NAMES.get(status, "UNKNOWN"))

    def _end(self, robot: _ObservedRobot, name: str) -> None:
        ends = self.measured.ends
        ends[name] = ends.get(name, 0) + 1
        robot.is_busy, robot.handle, robot.cancel_at_s, robot.canceled_s = False, None, math.inf, None

    def _call(self, robot: _ObservedRobot) -> None:
        called_s = time.monotonic()
        future = robot.calls.call_async(AssignedTask.Request())
        future.add_done_callback(lambda _: self.measured.calls_s.append(time.monotonic() - called_s))


_NAMES = {
    GoalStatus.STATUS_SUCCEEDED: "SUCCEEDED",
    GoalStatus.STATUS_CANCELED: "CANCELED",
    GoalStatus.STATUS_ABORTED: "ABORTED",
}
