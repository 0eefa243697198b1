"""A goal as the client sees it: sent, accepted or rejected, executing, over."""

import time
from enum import Enum
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.task import Future

from fleet.errors import NoServerError
from fleet.tasks import TaskKind


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
    """A goal that is sent to a robot; `state` follows it while the client spins.

    `feedback` and `result` are the action's latest messages, None before there is one.
    """

    def __init__(self, robot_id: int, kind: TaskKind, task_id: str) -> None:
        self.robot_id = robot_id
        self.kind = kind
        self.task_id = task_id
        self.state = GoalState.SENT
        self.success = False
        self.feedback: Any = None
        self.result: Any = None
        self.duration_s = 0.0
        self._sent_s = time.monotonic()
        self._handle: ClientGoalHandle | None = None
        self._cancel_wanted = False

    def send(self, client: ActionClient, goal: Any) -> None:
        """Send it, once."""
        client.send_goal_async(goal, feedback_callback=self._on_feedback).add_done_callback(self._on_response)

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

    def _on_feedback(self, message: Any) -> None:
        self.feedback = message.feedback

    def _on_result(self, future: Future) -> None:
        response = future.result()
        self.result = response.result
        self.success = bool(response.result.success)
        self._end(_FINAL_STATES.get(response.status, GoalState.ABORTED))

    def _end(self, state: GoalState) -> None:
        self.state = state
        self.duration_s = time.monotonic() - self._sent_s
