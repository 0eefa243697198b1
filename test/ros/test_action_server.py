"""One action with stock clients: goals with late decisions, repeated goals, cancels and result requests."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient, get_action_server_names_and_types_by_node
from rclpy.qos import qos_profile_action_status_default
from ricaip_interfaces.action import TaskGoHome

from harness.ros.program import Program, program
from thymio_base.instant import Instant
from thymio_base.ros.action_server import GoalRequest, ServedGoal, TaskActionServer
from thymio_base.ros.answers import Answers

ACTION = "/factory/robot_1/task_go_home"
SECOND = 1_000_000_000
Impl = TaskGoHome.Impl
UUID = type(GoalInfo().goal_id)
RESULT = TaskGoHome.Result(success=True)


class Action:
    """An action server, and a client of it in a separate context."""

    def __init__(self, running: Program, asking: Program) -> None:
        self.now_ns = SECOND
        self.requests: list[GoalRequest] = []
        self.canceled: list[ServedGoal] = []
        self.conflicts: list[tuple[str, str]] = []
        self.can_cancel = True
        self.server = TaskActionServer(
            running.node,
            TaskGoHome,
            ACTION,
            on_goal=self.requests.append,
            on_cancel=self._on_cancel,
            on_conflict=lambda goal, why: self.conflicts.append((goal.task_id, why)),
            clock=lambda: Instant(self.now_ns, self.now_ns),
            answers=Answers(lambda: self.now_ns),
            result_timeout_s=900.0,
        )
        self._running = running
        self.asking = asking
        self.client = ActionClient(asking.node, TaskGoHome, ACTION)
        self.sends = asking.node.create_client(Impl.SendGoalService, f"{ACTION}/_action/send_goal")
        self.fetches = asking.node.create_client(Impl.GetResultService, f"{ACTION}/_action/get_result")
        self.cancels = asking.node.create_client(CancelGoal, f"{ACTION}/_action/cancel_goal")
        assert self.client.wait_for_server(timeout_sec=20.0)
        for client in (self.sends, self.fetches, self.cancels):
            assert client.wait_for_service(timeout_sec=20.0)

    def _on_cancel(self, goal: ServedGoal) -> bool:
        self.canceled.append(goal)
        return self.can_cancel

    def spin_until(self, condition: Any, what: str) -> None:
        """Serve both sides until a condition holds."""

        def is_so() -> bool:
            self._running.spin_once()
            return bool(condition())

        self.asking.spin_until(is_so, what)

    def answer(self, future: Any) -> Any:
        self.spin_until(future.done, "an answer")
        return future.result()

    def send(self, name: Any = None, task_id: str = "a") -> Any:
        """Send a goal as raw request; return the future of the answer."""
        request = Impl.SendGoalService.Request(goal_id=name or new_id(), goal=TaskGoHome.Goal(task_id=task_id))
        return self.sends.call_async(request)

    def request(self, count: int = 1) -> GoalRequest:
        self.spin_until(lambda: len(self.requests) >= count, "a goal")
        return self.requests[count - 1]

    def accepted(self, name: Any = None) -> ServedGoal:
        """Return a goal that was sent and accepted."""
        count = len(self.requests) + 1
        future = self.send(name)
        served = self.request(count).accept()
        assert self.answer(future).accepted
        return served

    def result(self, name: Any) -> Any:
        return self.answer(self.fetches.call_async(Impl.GetResultService.Request(goal_id=name)))

    def cancel(self, name: Any = None, stamp_ns: int = 0) -> CancelGoal.Response:
        info = GoalInfo(goal_id=name or UUID())
        info.stamp.sec, info.stamp.nanosec = divmod(stamp_ns, SECOND)
        return self.answer(self.cancels.call_async(CancelGoal.Request(goal_info=info)))


def new_id() -> Any:
    return UUID(uuid=list(uuid.uuid4().bytes))


@pytest.fixture
def action() -> Iterator[Action]:
    with program("server") as running, program("client") as asking:
        yield Action(running, asking)


def test_stock_client_receives_acceptance_feedback_and_result(action: Action) -> None:
    received: list[Any] = []
    future = action.client.send_goal_async(TaskGoHome.Goal(task_id="a"), feedback_callback=received.append)
    goal = action.request().accept()
    handle = action.answer(future)
    assert handle.accepted
    action.server.publish_feedback(goal, TaskGoHome.Feedback())
    result = handle.get_result_async()
    action.spin_until(lambda: received, "the feedback")
    action.server.end(goal, GoalStatus.STATUS_SUCCEEDED, RESULT)
    assert (action.answer(result).status, result.result().result.success) == (GoalStatus.STATUS_SUCCEEDED, True)


def test_stock_client_receives_the_rejection_of_its_goal(action: Action) -> None:
    future = action.client.send_goal_async(TaskGoHome.Goal(task_id="a"))
    action.request().reject()
    assert not action.answer(future).accepted


def test_repeated_goal_is_decided_once_and_answered_every_time(action: Action) -> None:
    name = new_id()
    first, second = action.send(name), action.send(name)
    action.request().accept()
    assert (action.answer(first).accepted, action.answer(second).accepted) == (True, True)
    third = action.answer(action.send(name))
    assert (third.accepted, third.stamp) == (True, first.result().stamp)
    assert len(action.requests) == 1


def test_ended_goal_is_still_known(action: Action) -> None:
    name = new_id()
    action.server.end(action.accepted(name), GoalStatus.STATUS_ABORTED, TaskGoHome.Result())
    assert action.answer(action.send(name)).accepted
    assert action.result(name).status == GoalStatus.STATUS_ABORTED


def test_another_goal_under_a_known_uuid_is_rejected_with_the_reason(action: Action) -> None:
    name = new_id()
    first = action.send(name)
    while_undecided = action.send(name, "b")
    served = action.request().accept()
    while_open = action.send(name, "c")
    assert [action.answer(future).accepted for future in (first, while_undecided, while_open)] == [True, False, False]
    action.server.end(served, GoalStatus.STATUS_SUCCEEDED, RESULT)
    assert not action.answer(action.send(name, "d")).accepted
    assert action.answer(action.send(name)).accepted
    why = f"its goal UUID {bytes(name.uuid).hex()} is that of another goal; choose a new UUID for each goal"
    assert action.conflicts == [(task_id, why) for task_id in "bcd"]
    assert len(action.requests) == 1


def test_result_requests_made_before_the_end_are_answered_at_the_end(action: Action) -> None:
    name = new_id()
    goal = action.accepted(name)
    futures = [action.fetches.call_async(Impl.GetResultService.Request(goal_id=name)) for _ in range(3)]
    action.spin_until(lambda: len(goal.waiting) == len(futures), "the requests")
    action.server.end(goal, GoalStatus.STATUS_SUCCEEDED, RESULT)
    assert [action.answer(future).status for future in futures] == [GoalStatus.STATUS_SUCCEEDED] * 3


def test_result_of_a_goal_never_accepted_is_unknown(action: Action) -> None:
    assert action.result(new_id()).status == GoalStatus.STATUS_UNKNOWN


def test_results_are_forgotten_after_their_lifetime(action: Action) -> None:
    name = new_id()
    action.server.end(action.accepted(name), GoalStatus.STATUS_SUCCEEDED, RESULT)
    action.now_ns += 901 * SECOND
    action.accepted()
    assert action.result(name).status == GoalStatus.STATUS_UNKNOWN


def test_goal_can_be_canceled_repeatedly_by_its_id(action: Action) -> None:
    name = new_id()
    action.accepted(name)
    responses = [action.cancel(name) for _ in range(2)]
    assert [response.return_code for response in responses] == [CancelGoal.Response.ERROR_NONE] * 2
    assert [len(response.goals_canceling) for response in responses] == [1, 1]
    assert len(action.canceled) == 1


def test_cancel_without_id_and_stamp_cancels_all_goals(action: Action) -> None:
    for _ in range(2):
        action.accepted()
    assert len(action.cancel().goals_canceling) == 2


def test_cancel_with_a_stamp_before_1970_cancels_nothing(action: Action) -> None:
    assert action.cancel(stamp_ns=-SECOND).goals_canceling == []


def test_cancel_with_a_stamp_cancels_the_goals_accepted_until_then(action: Action) -> None:
    early = action.accepted()
    until_ns = action.now_ns
    action.now_ns += SECOND
    action.accepted()
    response = action.cancel(stamp_ns=until_ns)
    assert [info.goal_id for info in response.goals_canceling] == [early.goal_id]


def test_goal_that_can_no_longer_be_canceled_is_answered_as_terminated(action: Action) -> None:
    name = new_id()
    goal = action.accepted(name)
    action.can_cancel = False
    assert action.cancel(name).return_code == CancelGoal.Response.ERROR_GOAL_TERMINATED
    action.server.end(goal, GoalStatus.STATUS_SUCCEEDED, RESULT)
    assert action.cancel(name).return_code == CancelGoal.Response.ERROR_GOAL_TERMINATED


def test_unknown_goal_cannot_be_canceled(action: Action) -> None:
    assert action.cancel(new_id()).return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID


def test_status_topic_lists_open_goals_and_the_last_ended_ones(action: Action) -> None:
    received: list[GoalStatusArray] = []
    for _ in range(25):
        action.server.end(action.accepted(), GoalStatus.STATUS_SUCCEEDED, RESULT)
    action.accepted()
    action.asking.node.create_subscription(
        GoalStatusArray, f"{ACTION}/_action/status", received.append, qos_profile_action_status_default
    )
    action.spin_until(lambda: received, "the status")
    statuses = [status.status for status in received[-1].status_list]
    assert statuses == [GoalStatus.STATUS_SUCCEEDED] * 20 + [GoalStatus.STATUS_EXECUTING]


def test_action_is_listed_in_the_graph(action: Action) -> None:
    node = action.asking.node
    action.asking.spin_until(lambda: ("server", "/") in node.get_node_names_and_namespaces(), "the server's node")
    action.asking.spin_until(
        lambda: (
            (ACTION, ["ricaip_interfaces/action/TaskGoHome"])
            in get_action_server_names_and_types_by_node(node, "server", "/")
        ),
        "the action on the graph",
    )
