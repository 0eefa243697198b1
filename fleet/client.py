"""A client of the customer's interface: sends tasks, cancels them, and reads what robots publish.

It knows the interface alone and works with any server of it; where the server is this project's, status tells progress.
"""

import re
import time
import uuid
from collections.abc import Callable
from enum import Enum
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.experimental import EventsExecutor
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from std_srvs.srv import Trigger

from fleet.conversions import pose_from_ros, pose_to_ros
from fleet.errors import GoalRejectedError, NoServerError
from fleet.geometry import Pose2D
from fleet.robot_interface import STATUS_QOS
from fleet.tasks import TaskKind

DISCOVERY_S = 5.0  # Fast DDS announces itself every 3 s where its first announcements were lost

_STATUS_TOPIC = re.compile(r"^/factory/robot_([1-9][0-9]*)/status$")
_ACTION_TYPES: dict[TaskKind, Any] = {
    TaskKind.GO_TO: TaskGoTo,
    TaskKind.GO_HOME: TaskGoHome,
    TaskKind.TRANSPORT: TaskTransport,
}


class GoalState(Enum):
    """Where a goal is, as the client sees it."""

    SENT = "sent"  # the server has not answered
    REJECTED = "REJECTED"  # the server did not take it
    EXECUTING = "executing"  # the robot performs it
    SUCCEEDED = "SUCCEEDED"
    CANCELED = "CANCELED"
    ABORTED = "ABORTED"

    @property
    def is_final(self) -> bool:
        """Whether the goal is over."""
        return self not in (GoalState.SENT, GoalState.EXECUTING)


_FINAL_STATES = {
    GoalStatus.STATUS_SUCCEEDED: GoalState.SUCCEEDED,
    GoalStatus.STATUS_CANCELED: GoalState.CANCELED,
    GoalStatus.STATUS_ABORTED: GoalState.ABORTED,
}


class SentGoal:
    """A goal that was sent to a robot; `state` follows it while the client spins."""

    def __init__(self, robot_id: int, kind: TaskKind, task_id: str, future: Future) -> None:
        self.robot_id = robot_id
        self.kind = kind
        self.task_id = task_id
        self.state = GoalState.SENT
        self.success = False
        self.duration_s = 0.0
        self._sent_s = time.monotonic()
        self._handle: ClientGoalHandle | None = None
        self._cancel_wanted = False
        future.add_done_callback(self._on_response)

    def cancel(self) -> None:
        """Ask the server to cancel the goal, now or as soon as it has accepted it."""
        self._cancel_wanted = True
        if self._handle is not None and not self.state.is_final:
            self._handle.cancel_goal_async()

    def fetch_result(self) -> Future:
        """Ask the server for the result once more; the goal must have been accepted."""
        if self._handle is None:
            raise NoServerError(f"task {self.task_id!r} was never accepted, so it has no result")
        return self._handle.get_result_async()

    def _on_response(self, future: Future) -> None:
        handle = future.result()
        if not handle.accepted:
            self._end(GoalState.REJECTED)
            return
        self._handle = handle
        self.state = GoalState.EXECUTING
        handle.get_result_async().add_done_callback(self._on_result)
        if self._cancel_wanted:
            self.cancel()

    def _on_result(self, future: Future) -> None:
        response = future.result()
        self.success = bool(response.result.success)
        self._end(_FINAL_STATES.get(response.status, GoalState.ABORTED))

    def _end(self, state: GoalState) -> None:
        self.state = state
        self.duration_s = time.monotonic() - self._sent_s


class FleetClient:
    """Talks to the robots of a fleet from one thread; nothing happens unless it spins.

    Parameters
    ----------
    frame : the frame of every pose
    """

    def __init__(self, frame: str = "map") -> None:
        self._context = rclpy.Context()
        self._context.init()
        self.node = rclpy.create_node(f"thymio_fleet_client_{uuid.uuid4().hex[:8]}", context=self._context)
        self.frame = frame
        self.statuses: dict[int, DiagnosticStatus] = {}
        self.poses: dict[int, Pose2D] = {}
        self._actions: dict[tuple[int, TaskKind], ActionClient] = {}
        self._watched: set[str] = set()
        self._executor = EventsExecutor(context=self._context)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self.node)
        self._executor.shutdown()
        for client in self._actions.values():
            client.destroy()
        self.node.destroy_node()
        self._context.try_shutdown()

    def spin(self, duration_s: float) -> None:
        """Serve callbacks for a while."""
        self.spin_until(lambda: False, duration_s)

    def spin_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Serve callbacks until a condition holds; return whether it does."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            remaining_s = deadline - time.monotonic()
            if remaining_s <= 0.0:
                return condition()
            self._executor.spin_once(timeout_sec=min(0.05, remaining_s))
        return True

    def robot_ids(self) -> list[int]:
        """Return the robots that are on the graph now."""
        names = (name for name, _ in self.node.get_topic_names_and_types())
        return sorted(int(match.group(1)) for match in map(_STATUS_TOPIC.match, names) if match)

    def watch(self, robot_id: int) -> None:
        """Follow a robot's status and pose in `statuses` and `poses` from now on."""
        prefix = f"/factory/robot_{robot_id}"
        if prefix in self._watched:
            return
        self._watched.add(prefix)
        self.node.create_subscription(
            DiagnosticStatus, f"{prefix}/status", lambda message: self.statuses.update({robot_id: message}), STATUS_QOS
        )
        self.watch_pose(f"{prefix}/pose", lambda pose: self.poses.update({robot_id: pose}))

    def watch_pose(self, topic: str, callback: Callable[[Pose2D], None]) -> None:
        """Call back with every pose on a PoseStamped topic that is a pose in the plane."""

        def on_message(message: PoseStamped) -> None:
            try:
                callback(pose_from_ros(message, message.header.frame_id))
            except GoalRejectedError as error:
                self.node.get_logger().warning(f"{topic}: {error}", throttle_duration_sec=5.0)

        self.node.create_subscription(PoseStamped, topic, on_message, qos_profile_sensor_data)

    def value(self, robot_id: int, key: str) -> str:
        """Return a value of the robot's latest status, "" where there is none."""
        status = self.statuses.get(robot_id)
        return next((value.value for value in status.values if value.key == key), "") if status else ""

    def is_ready(self, robot_id: int) -> bool:
        """Whether a watched robot is reached, tracked and idle; a pose alone does not tell that it takes tasks."""
        wanted = {"state": "idle", "link": "connected", "localization": "tracked"}
        return all(self.value(robot_id, key) == value for key, value in wanted.items())

    def go_to(self, robot_id: int, goal: Pose2D) -> SentGoal:
        """Send a robot to a pose."""
        return self._send(robot_id, TaskKind.GO_TO, goal_pose=self._stamped(goal))

    def go_home(self, robot_id: int) -> SentGoal:
        """Send a robot home."""
        return self._send(robot_id, TaskKind.GO_HOME)

    def transport(self, robot_id: int, pose_from: Pose2D, pose_to: Pose2D) -> SentGoal:
        """Let a robot carry something from one pose to another."""
        return self._send(
            robot_id, TaskKind.TRANSPORT, pose_from=self._stamped(pose_from), pose_to=self._stamped(pose_to)
        )

    def cancel_all(self, robot_id: int, timeout_s: float = DISCOVERY_S) -> int:
        """Cancel whatever a robot performs, whoever asked for it; return how many goals are being canceled.

        Raises
        ------
        NoServerError
            No server of the robot answers.
        """
        futures = [self._cancel_through(robot_id, kind, timeout_s) for kind in TaskKind]
        if not self.spin_until(lambda: all(future.done() for future in futures), timeout_s):
            raise NoServerError(f"robot {robot_id} does not answer a cancel request within {timeout_s:g} s")
        return sum(len(future.result().goals_canceling) for future in futures)

    def trigger(self, name: str, timeout_s: float = DISCOVERY_S) -> str | None:
        """Call a std_srvs/Trigger service; return its message, or None where nobody serves it."""
        client = self.node.create_client(Trigger, name)
        try:
            if not client.wait_for_service(timeout_sec=timeout_s):
                return None
            future = client.call_async(Trigger.Request())
            return str(future.result().message) if self.spin_until(future.done, timeout_s) else None
        finally:
            self.node.destroy_client(client)

    def _stamped(self, pose: Pose2D) -> PoseStamped:
        return pose_to_ros(pose, self.node.get_clock().now().nanoseconds, self.frame)

    def _send(self, robot_id: int, kind: TaskKind, **fields: Any) -> SentGoal:
        task_id = f"{kind.value.removeprefix('task_')}-{uuid.uuid4().hex[:8]}"
        client = self._action(robot_id, kind)
        goal = _ACTION_TYPES[kind].Goal(task_id=task_id, **fields)
        return SentGoal(robot_id, kind, task_id, client.send_goal_async(goal))

    def _action(self, robot_id: int, kind: TaskKind, timeout_s: float = DISCOVERY_S) -> ActionClient:
        key = (robot_id, kind)
        if key not in self._actions:
            name = f"/factory/robot_{robot_id}/{kind.value}"
            self._actions[key] = ActionClient(self.node, _ACTION_TYPES[kind], name)
        if not self._actions[key].wait_for_server(timeout_sec=timeout_s):
            raise NoServerError(f"nobody serves /factory/robot_{robot_id}/{kind.value}; is the driver running?")
        return self._actions[key]

    def _cancel_through(self, robot_id: int, kind: TaskKind, timeout_s: float) -> Future:
        """Ask one action server to cancel every goal: a request with neither an id nor a stamp."""
        name = f"/factory/robot_{robot_id}/{kind.value}/_action/cancel_goal"
        client = self.node.create_client(CancelGoal, name)
        if not client.wait_for_service(timeout_sec=timeout_s):
            raise NoServerError(f"nobody serves /factory/robot_{robot_id}/{kind.value}; is the driver running?")
        return client.call_async(CancelGoal.Request())
