"""An action server of plain services that loses or repeats answers, forgets goals or falls silent, as scripted."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.qos import qos_profile_action_status_default
from rclpy.service import Service
from ricaip_interfaces.action import TaskGoHome

from harness.ros.program import Program

NAME = "/factory/robot_1/task_go_home"


@dataclass
class Script:
    """How the server treats requests.

    Parameters
    ----------
    is_accepting : accept goals
    lost_goal_answers, lost_results, lost_cancel_answers : how many answers are lost from now on
    is_repeating : send each answer twice
    is_silent : send no answers
    lists_goals : publish statuses
    rejects_known : reject a goal with a known id, as rclpy's server does, instead of accepting it again
    """

    is_accepting: bool = True
    lost_goal_answers: int = 0
    lost_results: int = 0
    lost_cancel_answers: int = 0
    is_repeating: bool = False
    is_silent: bool = False
    lists_goals: bool = False
    rejects_known: bool = False


@dataclass
class Goal:
    """A goal of the server, and the pending requests for its result."""

    task_id: str = ""
    status: int = GoalStatus.STATUS_EXECUTING
    waiting: list[Any] = field(default_factory=list)


class ScriptedServer:
    """Serves `task_go_home` of robot 1; goals end when a test ends them."""

    def __init__(self, program: Program, script: Script) -> None:
        self.script = script
        self.goals: dict[bytes, Goal] = {}
        self.requests: list[str] = []  # the requests received
        node, impl = program.node, TaskGoHome.Impl
        self._goal = node.create_service(impl.SendGoalService, f"{NAME}/_action/send_goal", self._no_answer)
        self._result = node.create_service(impl.GetResultService, f"{NAME}/_action/get_result", self._no_answer)
        self._cancel = node.create_service(CancelGoal, f"{NAME}/_action/cancel_goal", self._no_answer)
        self._feedback = node.create_publisher(impl.FeedbackMessage, f"{NAME}/_action/feedback", 10)
        self._statuses = node.create_publisher(
            GoalStatusArray, f"{NAME}/_action/status", qos_profile_action_status_default
        )

    def serve(self) -> None:
        """Take all pending requests, and answer them as scripted."""
        for service, answer in (
            (self._goal, self._on_goal),
            (self._result, self._on_result),
            (self._cancel, self._on_cancel),
        ):
            while (received := _next_request(service)) is not None:
                if not self.script.is_silent:
                    answer(*received)

    def publish_feedback(self) -> None:
        """Publish feedback of all goals."""
        for goal_id in self.goals:
            message = TaskGoHome.Impl.FeedbackMessage()
            message.goal_id.uuid = list(goal_id)
            self._feedback.publish(message)

    def end(self, status: int = GoalStatus.STATUS_SUCCEEDED) -> None:
        """End all goals, and answer the pending requests for their results."""
        for goal in self.goals.values():
            goal.status = status
            waiting, goal.waiting = goal.waiting, []
            for header in waiting:
                self._send_result(goal, header)

    def restart(self) -> None:
        """Forget all goals, like a restarted server."""
        self.goals.clear()

    def _on_goal(self, request: Any, header: Any) -> None:
        goal_id = bytes(request.goal_id.uuid)
        self.requests.append("goal")
        is_accepted = self.script.is_accepting and not (self.script.rejects_known and goal_id in self.goals)
        if is_accepted:
            self.goals.setdefault(goal_id, Goal(request.goal.task_id))
        if self.script.lists_goals:
            self._publish_statuses()
        if self.script.lost_goal_answers > 0:
            self.script.lost_goal_answers -= 1
            return
        self._answer(self._goal, TaskGoHome.Impl.SendGoalService.Response(accepted=is_accepted), header)

    def _on_result(self, request: Any, header: Any) -> None:
        goal = self.goals.get(bytes(request.goal_id.uuid))
        if goal is None:
            unknown = TaskGoHome.Impl.GetResultService.Response(status=GoalStatus.STATUS_UNKNOWN)
            self._answer(self._result, unknown, header)
            return
        self.requests.append("result")
        if goal.status == GoalStatus.STATUS_EXECUTING:
            goal.waiting.append(header)
        else:
            self._send_result(goal, header)

    def _on_cancel(self, request: Any, header: Any) -> None:
        self.requests.append("cancel")
        goal = self.goals.get(bytes(request.goal_info.goal_id.uuid))
        if self.script.lost_cancel_answers > 0:
            self.script.lost_cancel_answers -= 1
            return
        response = CancelGoal.Response(return_code=CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID)
        if goal is not None:
            response = CancelGoal.Response(goals_canceling=[GoalInfo(goal_id=request.goal_info.goal_id)])
        self._answer(self._cancel, response, header)
        if goal is not None:
            self.end(GoalStatus.STATUS_CANCELED)

    def _send_result(self, goal: Goal, header: Any) -> None:
        if self.script.lost_results > 0:
            self.script.lost_results -= 1
            return
        result = TaskGoHome.Result(success=goal.status == GoalStatus.STATUS_SUCCEEDED)
        self._answer(self._result, TaskGoHome.Impl.GetResultService.Response(status=goal.status, result=result), header)

    def _answer(self, service: Service, response: Any, header: Any) -> None:
        for _ in range(2 if self.script.is_repeating else 1):
            service.send_response(response, header)

    def _publish_statuses(self) -> None:
        message = GoalStatusArray()
        for goal_id, goal in self.goals.items():
            status = GoalStatus(status=goal.status)
            status.goal_info.goal_id.uuid = list(goal_id)
            message.status_list.append(status)
        self._statuses.publish(message)

    @staticmethod
    def _no_answer(_: Any, __: Any) -> None:
        """Stand in for a callback: `serve` takes the requests, so that an answer can be withheld."""


def _next_request(service: Service) -> tuple[Any, Any] | None:
    """Return a request and its header; None if none is pending."""
    with service.handle:
        received = service.handle.service_take_request(service.srv_type.Request)
    return None if received is None or received[0] is None else received


@contextmanager
def scripted_server(script: Script) -> Iterator[ScriptedServer]:
    """Yield a server whose node has no executor; closes it afterwards."""
    program = Program("scripted_server")
    try:
        yield ScriptedServer(program, script)
    finally:
        program.close()
