"""One interface for the measured clients: ours, and plain ones of rclpy with either executor."""

import time
import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import rclpy
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.executors import SingleThreadedExecutor
from rclpy.experimental import EventsExecutor
from rclpy.task import Future
from ricaip_interfaces.action import TaskGoHome, TaskGoTo

from fleet.client.fleet_client import FleetClient
from fleet.errors import NoServerError
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState, SentGoal
from fleet.interface.conversions import pose_to_ros
from thymio_base.fast_dds import use_shipped_profile

_SERVER_S = 5.0


class ClientKind(StrEnum):
    """Which client is measured."""

    OURS = "ours"  # fleet.client.fleet_client.FleetClient
    EVENTS = "events"  # rclpy's ActionClient, with an EventsExecutor
    WAITING = "waiting"  # rclpy's ActionClient, with a SingleThreadedExecutor


class Sent(Protocol):
    """A goal that was sent."""

    @property
    def task_id(self) -> str:
        """The goal's task id."""

    @property
    def is_accepted(self) -> bool:
        """Whether its acceptance was received."""

    @property
    def end(self) -> str:
        """Its final state, "" while there is none."""

    @property
    def reason(self) -> str:
        """The reason for its end, if the client reports one."""


class MeasuredClient(Protocol):
    """A client that sends goals; it makes progress only while it spins.

    `send` sends a robot to a pose, or home without one; it raises NoServerError if the robot has no server.
    """

    def send(self, robot_id: int, goal: Pose2D | None) -> Sent:
        """Send a goal."""

    def spin(self, duration_s: float) -> None:
        """Serve callbacks for a while."""

    def close(self) -> None:
        """Leave the graph."""


def create(kind: ClientKind) -> MeasuredClient:
    """Return a client of a kind."""
    return OurClient() if kind is ClientKind.OURS else PlainClient(kind)


class OurClient:
    """The fleet's own client."""

    def __init__(self) -> None:
        use_shipped_profile()
        self._client = FleetClient()
        self.spin, self.close = self._client.spin, self._client.close

    def send(self, robot_id: int, goal: Pose2D | None) -> Sent:
        """Send a goal."""
        sent = self._client.go_home(robot_id) if goal is None else self._client.go_to(robot_id, goal)
        return _OurGoal(sent.task_id, sent)


@dataclass(frozen=True, slots=True)
class _OurGoal:
    task_id: str
    sent: SentGoal

    @property
    def is_accepted(self) -> bool:
        return self.sent.state is GoalState.EXECUTING or (self.sent.state.is_final and self.sent.result is not None)

    @property
    def end(self) -> str:
        return self.sent.state.value if self.sent.state.is_final else ""

    @property
    def reason(self) -> str:
        return str(getattr(self.sent, "reason", ""))


class PlainClient:
    """A client as in rclpy's tutorials: it sends a goal once and expects the answer to arrive."""

    def __init__(self, kind: ClientKind) -> None:
        self._context = rclpy.Context()
        self._context.init()
        self._node = rclpy.create_node(f"plain_client_{uuid.uuid4().hex[:8]}", context=self._context)
        executor = EventsExecutor if kind is ClientKind.EVENTS else SingleThreadedExecutor
        self._executor = executor(context=self._context)
        self._executor.add_node(self._node)
        self._actions: dict[tuple[int, str], ActionClient] = {}

    def send(self, robot_id: int, goal: Pose2D | None) -> Sent:
        """Send a goal."""
        task_id = uuid.uuid4().hex
        if goal is None:
            client = self._action(robot_id, TaskGoHome, "task_go_home")
            return _PlainGoal(client, TaskGoHome.Goal(task_id=task_id))
        stamp_ns = self._node.get_clock().now().nanoseconds
        client = self._action(robot_id, TaskGoTo, "task_go_to")
        return _PlainGoal(client, TaskGoTo.Goal(task_id=task_id, goal_pose=pose_to_ros(goal, stamp_ns, "map")))

    def spin(self, duration_s: float) -> None:
        """Serve callbacks for a while."""
        end_s = time.monotonic() + duration_s
        while (remaining_s := end_s - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=remaining_s)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self._node)
        self._executor.shutdown()
        for client in self._actions.values():
            client.destroy()
        self._node.destroy_node()
        self._context.try_shutdown()

    def _action(self, robot_id: int, kind: Any, name: str) -> ActionClient:
        key = robot_id, name
        is_new = key not in self._actions
        if is_new:
            self._actions[key] = ActionClient(self._node, kind, f"/factory/robot_{robot_id}/{name}")
        client = self._actions[key]
        if not (client.wait_for_server(timeout_sec=_SERVER_S) if is_new else client.server_is_ready()):
            raise NoServerError(f"no server for {name} of robot {robot_id}")
        return client


class _PlainGoal:
    def __init__(self, client: ActionClient, goal: Any) -> None:
        self.task_id: str = goal.task_id
        self.is_accepted = False
        self.end = ""
        self.reason = ""
        client.send_goal_async(goal).add_done_callback(self._on_answer)

    def _on_answer(self, future: Future) -> None:
        handle: ClientGoalHandle = future.result()
        if not handle.accepted:
            self.end = GoalState.REJECTED.value
            return
        self.is_accepted = True
        handle.get_result_async().add_done_callback(self._on_result)

    def _on_result(self, future: Future) -> None:
        self.end = _STATES.get(future.result().status, "UNKNOWN")


_STATES = {
    GoalStatus.STATUS_SUCCEEDED: "SUCCEEDED",
    GoalStatus.STATUS_CANCELED: "CANCELED",
    GoalStatus.STATUS_ABORTED: "ABORTED",
}
