"""Our client with servers that lose answers, repeat them, forget goals, or send nothing."""

from collections.abc import Callable, Iterator

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.qos import DurabilityPolicy, QoSProfile
from ricaip_interfaces.action import TaskGoHome
from std_srvs.srv import Trigger

from fleet.client.cancellation import cancel_goals
from fleet.client.fleet_client import FleetClient
from fleet.client.served_fleet import ServedFleet
from fleet.errors import NoServerError
from fleet.goals.sent_goal import GoalState, Patience, SentGoal
from harness.ros.program import program
from harness.ros.scripted_server import NAME, Script, ScriptedServer, scripted_server

DEADLINE_S = 40.0
PATIENCE = Patience(answer_s=0.5, feedback_s=1.0, server_s=4.0)


class Conversation:
    """A client and a server, served in turns."""

    def __init__(self, client: FleetClient, server: ScriptedServer) -> None:
        self.client = client
        self.server = server

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Serve both until a condition holds; fail otherwise."""
        assert self.client.spin_until(lambda: self.server.serve() or condition(), DEADLINE_S), f"in vain: {what}"

    def send(self) -> SentGoal:
        """Let the client send a goal; return it."""
        return self.client.go_home(1)

    def is_waiting(self) -> bool:
        """Return whether the client waits for a result."""
        return any(goal.waiting for goal in self.server.goals.values())


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def talk(script: Script) -> Iterator[Conversation]:
    client = FleetClient(patience=PATIENCE)
    try:
        with scripted_server(script) as server:
            yield Conversation(client, server)
    finally:
        client.close()


def finish(talk: Conversation, goal: SentGoal) -> None:
    talk.until(lambda: goal.state.is_final or talk.is_waiting(), "the request for a result")
    talk.server.end()
    talk.until(lambda: goal.state.is_final, "the end")


@pytest.mark.parametrize("is_repeating", [False, True])
def test_a_goal_succeeds(talk: Conversation, script: Script, is_repeating: bool) -> None:
    script.is_repeating = is_repeating
    goals = [talk.send() for _ in range(5)]
    for goal in goals:
        finish(talk, goal)
    assert [goal.state for goal in goals] == [GoalState.SUCCEEDED] * 5
    assert talk.server.requests.count("goal") == 5


@pytest.mark.parametrize("rejects_known", [False, True])
def test_lost_acceptance_is_requested_again(talk: Conversation, script: Script, rejects_known: bool) -> None:
    script.lost_goal_answers, script.rejects_known = 2, rejects_known
    goal = talk.send()
    finish(talk, goal)
    assert goal.state is GoalState.SUCCEEDED
    assert len(talk.server.goals) == 1


def test_a_listed_goal_needs_no_acceptance(talk: Conversation, script: Script) -> None:
    script.lost_goal_answers, script.lists_goals = 10, True
    goal = talk.send()
    talk.until(lambda: goal.state is GoalState.EXECUTING, "the goal to be listed")
    assert script.lost_goal_answers == 9
    finish(talk, goal)
    assert goal.state is GoalState.SUCCEEDED


def test_a_rejected_goal_is_over(talk: Conversation, script: Script) -> None:
    script.is_accepting = False
    goal = talk.send()
    talk.until(lambda: goal.state.is_final, "the rejection")
    assert (goal.state, goal.reason) == (GoalState.REJECTED, f"{NAME} rejected the goal")


def test_lost_rejection_is_detected(talk: Conversation, script: Script) -> None:
    script.is_accepting, script.lost_goal_answers = False, 1
    goal = talk.send()
    talk.until(lambda: goal.state.is_final, "the rejection")
    assert goal.state is GoalState.REJECTED


def test_lost_result_is_requested_again(talk: Conversation, script: Script) -> None:
    script.lost_results = 1
    goal = talk.send()
    finish(talk, goal)
    assert (goal.state, goal.success) == (GoalState.SUCCEEDED, True)


def test_a_goal_that_the_server_forgets_is_aborted_with_that_reason(talk: Conversation) -> None:
    goal = talk.send()
    talk.until(talk.is_waiting, "the request for a result")
    talk.server.restart()
    talk.until(lambda: goal.state.is_final, "the end")
    assert goal.state is GoalState.ABORTED
    assert "it was probably restarted" in goal.reason


def test_goal_of_a_silent_server_is_aborted_with_that_reason(talk: Conversation, script: Script) -> None:
    script.is_silent = True
    goal = talk.send()
    talk.until(lambda: goal.state.is_final, "the end")
    assert (goal.state, goal.reason) == (GoalState.ABORTED, f"{NAME} has been silent for 4 s")


def test_a_server_without_feedback_keeps_its_goal(talk: Conversation) -> None:
    goal = talk.send()
    talk.until(lambda: talk.server.requests.count("result") == 6, "the result to be requested six times")
    assert goal.state is GoalState.EXECUTING
    finish(talk, goal)
    assert goal.state is GoalState.SUCCEEDED


def test_feedback_reaches_its_goal(talk: Conversation) -> None:
    goal = talk.send()
    talk.until(lambda: goal.state is GoalState.EXECUTING, "the acceptance")
    talk.until(lambda: talk.server.publish_feedback() or goal.feedback is not None, "feedback")
    assert goal.feedback == TaskGoHome.Feedback()


def test_goal_is_canceled_even_if_the_answer_is_lost(talk: Conversation, script: Script) -> None:
    script.lost_cancel_answers = 1
    goal = talk.send()
    goal.cancel()
    talk.until(lambda: goal.state.is_final, "the end")
    assert goal.state is GoalState.CANCELED
    assert talk.server.requests.count("cancel") == 2


def test_a_server_that_aborts_is_named(talk: Conversation) -> None:
    goal = talk.send()
    talk.until(talk.is_waiting, "the request for a result")
    talk.server.end(GoalStatus.STATUS_ABORTED)
    talk.until(lambda: goal.state.is_final, "the end")
    assert (goal.state, goal.success, goal.reason) == (GoalState.ABORTED, False, f"{NAME} aborted the goal")


def cancel_clients(node) -> int:
    """Return the number of clients that could cancel goals of an action, as counted by its driver."""
    return node.count_clients(f"{NAME}/_action/cancel_goal")


def test_canceling_all_and_closing_leave_no_clients_on_the_graph() -> None:
    with program("driver") as driver:
        client = FleetClient()
        try:
            with pytest.raises(NoServerError, match="no server for /factory/robot_1/task_go_to"):
                cancel_goals(client.graph, ServedFleet(client.graph), 1, 0.5)
            driver.spin_until(lambda: cancel_clients(driver.node) == 0, "no client to be left by canceling")
            with scripted_server(Script()):
                client.go_home(1)
                driver.spin_until(lambda: cancel_clients(driver.node) == 1, "the client that has sent a goal")
        finally:
            client.close()
        driver.spin_until(lambda: cancel_clients(driver.node) == 0, "no client to be left by closing")


def test_unanswered_service_is_called_again_and_then_named() -> None:
    requests: list[int] = []
    client = FleetClient()
    try:
        with program("server") as server:
            service = server.node.create_service(Trigger, "/fleet/stop", lambda _, __: None)

            def count() -> bool:
                with service.handle:
                    taken = service.handle.service_take_request(Trigger.Request)
                requests.extend([1] if taken is not None and taken[0] is not None else [])
                return len(requests) > 1

            with pytest.raises(NoServerError, match="/fleet/stop does not answer within 2 s"):
                client.graph.call(Trigger, "/fleet/stop", Trigger.Request(), 2.0)
            assert client.spin_until(count, DEADLINE_S)
            assert len(requests) == 2
    finally:
        client.close()


@pytest.fixture
def watcher() -> Iterator[FleetClient]:
    client = FleetClient()
    client.watch(1)
    yield client
    client.close()


def status(battery: str) -> DiagnosticStatus:
    return DiagnosticStatus(values=[KeyValue(key="battery", value=battery)])


@pytest.mark.parametrize("durability", [DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL])
def test_statuses_are_received_with_any_durability(watcher: FleetClient, durability: DurabilityPolicy) -> None:
    with program("customer") as customer:
        publisher = customer.node.create_publisher(
            DiagnosticStatus, "/factory/robot_1/status", QoSProfile(depth=1, durability=durability)
        )
        assert watcher.spin_until(
            lambda: publisher.publish(status("ok")) or watcher.value(1, "battery") == "ok", DEADLINE_S
        )


def test_statuses_are_received_after_the_servers_durability_changes(watcher: FleetClient) -> None:
    for durability, battery in (
        (DurabilityPolicy.VOLATILE, "ok"),
        (DurabilityPolicy.TRANSIENT_LOCAL, "low"),
        (DurabilityPolicy.VOLATILE, "critical"),
    ):
        with program("customer") as customer:
            publisher = customer.node.create_publisher(
                DiagnosticStatus, "/factory/robot_1/status", QoSProfile(depth=1, durability=durability)
            )
            assert watcher.spin_until(
                lambda publisher=publisher, battery=battery: (
                    publisher.publish(status(battery)) or watcher.value(1, "battery") == battery
                ),
                DEADLINE_S,
            ), battery


def test_earlier_status_is_received_if_it_is_latched() -> None:
    with program("customer") as customer:
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        customer.node.create_publisher(DiagnosticStatus, "/factory/robot_1/status", latched).publish(status("low"))
        client = FleetClient()
        try:
            client.watch(1)
            assert client.spin_until(lambda: client.value(1, "battery") == "low", DEADLINE_S)
        finally:
            client.close()
