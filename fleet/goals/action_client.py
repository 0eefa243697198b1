"""A client of one action that repeats its request when an answer is lost.

It implements the action protocol with plain service clients: rclpy's ActionClient raises within the executor when a
goal is accepted twice, which repeated requests can cause.
"""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any, assert_never

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_action_status_default
from rclpy.task import Future

from fleet.goals.sent_goal import CancelAnswer, GoalState, Request, SentGoal

_FEEDBACK_QOS = QoSProfile(depth=10)
_ENDS = {
    GoalStatus.STATUS_SUCCEEDED: GoalState.SUCCEEDED,
    GoalStatus.STATUS_CANCELED: GoalState.CANCELED,
    GoalStatus.STATUS_ABORTED: GoalState.ABORTED,
}


class TaskActionClient:
    """Sends goals to one action server and follows them to their ends.

    Its entities are destroyed with its node. After creating a client, wait until the executor has run a task: earlier
    answers may never be announced.

    Parameters
    ----------
    node : owns the clients and the subscriptions
    action_type : the ROS type
    name : the action's name
    clock : returns the current time [s]
    is_listening : whether to subscribe to feedback and status, which confirm goals; without them, or `on_feedback`,
        the server is asked every few seconds whether it is alive
    """

    def __init__(
        self, node: Node, action_type: Any, name: str, clock: Callable[[], float], *, is_listening: bool = True
    ) -> None:
        self.name = name
        self._type = action_type
        self._clock = clock
        self._goals: dict[bytes, SentGoal] = {}  # those that are not over
        self._messages: dict[bytes, Any] = {}  # their goal messages, to send them again
        impl = action_type.Impl
        self._goal_client = node.create_client(impl.SendGoalService, f"{name}/_action/send_goal")
        self._result_client = node.create_client(impl.GetResultService, f"{name}/_action/get_result")
        self._cancel_client = node.create_client(CancelGoal, f"{name}/_action/cancel_goal")
        if is_listening:
            node.create_subscription(impl.FeedbackMessage, f"{name}/_action/feedback", self.on_feedback, _FEEDBACK_QOS)
            node.create_subscription(
                GoalStatusArray, f"{name}/_action/status", self._on_statuses, qos_profile_action_status_default
            )

    def is_ready(self) -> bool:
        """Whether the action has a server."""
        clients = (self._goal_client, self._result_client, self._cancel_client)
        return all(client.service_is_ready() for client in clients)

    def send(self, goal: SentGoal, message: Any) -> None:
        """Send a goal, and repeat it while there is no answer."""
        self._goals[goal.goal_id] = goal
        self._messages[goal.goal_id] = message
        self._advance(goal)

    def advance(self) -> None:
        """Send requests that are due, and forget finished goals; call it repeatedly."""
        for goal in list(self._goals.values()):
            self._advance(goal)

    def fetch_result(self, goal: SentGoal) -> Future:
        """Request the result of a goal again."""
        return self._request_result(goal.goal_id)

    def on_feedback(self, message: Any) -> None:
        """Process feedback of any goal."""
        goal = self._goals.get(bytes(message.goal_id.uuid))
        if goal is not None:
            goal.on_feedback(message.feedback, self._clock())

    def _advance(self, goal: SentGoal) -> None:
        for request in goal.due(self._clock()):
            self._send_request(goal, request)
        if goal.state.is_final:
            self._goals.pop(goal.goal_id, None)
            self._messages.pop(goal.goal_id, None)

    def _send_request(self, goal: SentGoal, request: Request) -> None:
        match request:
            case Request.GOAL:
                message = self._type.Impl.SendGoalService.Request(goal=self._messages[goal.goal_id])
                message.goal_id.uuid = list(goal.goal_id)
                self._goal_client.call_async(message).add_done_callback(partial(self._on_goal_answer, goal))
            case Request.RESULT:
                self._request_result(goal.goal_id).add_done_callback(partial(self._on_result, goal))
            case Request.PROBE:
                self._request_result(uuid.uuid4().bytes).add_done_callback(lambda _: goal.on_probe_answer())
            case Request.CANCEL:
                message = CancelGoal.Request()
                message.goal_info.goal_id.uuid = list(goal.goal_id)
                self._cancel_client.call_async(message).add_done_callback(partial(self._on_cancel_answer, goal))
            case _:
                assert_never(request)

    def _request_result(self, goal_id: bytes) -> Future:
        message = self._type.Impl.GetResultService.Request()
        message.goal_id.uuid = list(goal_id)
        return self._result_client.call_async(message)

    def _on_goal_answer(self, goal: SentGoal, future: Future) -> None:
        goal.on_goal_answer(bool(future.result().accepted), self._clock())
        self._advance(goal)

    def _on_result(self, goal: SentGoal, future: Future) -> None:
        response = future.result()
        is_unknown = response.status == GoalStatus.STATUS_UNKNOWN
        end = None if is_unknown else _ENDS.get(response.status, GoalState.ABORTED)
        goal.on_result(end, response.result, self._clock())
        self._advance(goal)

    def _on_cancel_answer(self, goal: SentGoal, future: Future) -> None:
        response = future.result()
        is_canceling = any(bytes(info.goal_id.uuid) == goal.goal_id for info in response.goals_canceling)
        is_unknown = response.return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID
        refusal = CancelAnswer.UNKNOWN if is_unknown else CancelAnswer.REFUSED
        goal.on_cancel_answer(CancelAnswer.CANCELING if is_canceling else refusal, self._clock())
        self._advance(goal)

    def _on_statuses(self, message: GoalStatusArray) -> None:
        for status in message.status_list:
            goal = self._goals.get(bytes(status.goal_info.goal_id.uuid))
            if goal is not None:
                goal.on_status(status.status in _ENDS, self._clock())
