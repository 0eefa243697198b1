"""Which requests a goal makes, and how it ends, as time passes and answers arrive or do not."""

from dataclasses import dataclass, field

import pytest

from fleet.goals.sent_goal import CancelAnswer, GoalState, Patience, Request, SentGoal
from fleet.tasks.task_kind import TaskKind

STEP_S = 0.1
PATIENCE = Patience(answer_s=1.5, sends=5, feedback_s=4.0, server_s=15.0)


@dataclass
class Result:
    """A result as the customer's actions have it."""

    success: bool = True


@dataclass
class ResultWithReason(Result):
    """A result as follow_path has it."""

    reason: str = ""


@dataclass
class Sent:
    """A goal, the time, and the requests that the goal has made so far."""

    goal: SentGoal = field(
        default_factory=lambda: SentGoal(
            1, TaskKind.GO_TO, "task", server="/factory/robot_1/task_go_to", patience=PATIENCE
        )
    )
    now_s: float = 100.0
    requests: list[Request] = field(default_factory=list)

    def poll(self) -> list[Request]:
        """Return the requests that are due now."""
        due = self.goal.due(self.now_s)
        self.requests += due
        return due

    def wait(self, duration_s: float) -> list[Request]:
        """Let time pass in small steps; return the requests that became due."""
        before = len(self.requests)
        for _ in range(round(duration_s / STEP_S)):
            self.now_s += STEP_S
            self.poll()
        return self.requests[before:]


@pytest.fixture
def sent() -> Sent:
    subject = Sent()
    subject.poll()
    return subject


@pytest.fixture
def executing(sent: Sent) -> Sent:
    sent.goal.on_goal_answer(True, sent.now_s)
    sent.poll()
    return sent


def test_the_goal_is_sent_first() -> None:
    assert Sent().poll() == [Request.GOAL]


def test_goals_have_ids_of_their_own() -> None:
    assert len({Sent().goal.goal_id for _ in range(10)}) == 10


def test_a_goal_without_an_answer_is_sent_again(sent: Sent) -> None:
    assert (sent.wait(1.3), sent.wait(0.4)) == ([], [Request.GOAL])


def test_a_goal_is_sent_five_times_at_most(sent: Sent) -> None:
    sent.wait(14.0)
    assert (sent.requests, sent.goal.state) == ([Request.GOAL] * 5, GoalState.SENT)


def test_a_goal_whose_server_is_silent_is_aborted_with_that_reason_and_revoked(sent: Sent) -> None:
    sent.wait(15.2)
    assert sent.goal.state is GoalState.ABORTED
    assert sent.goal.reason == "/factory/robot_1/task_go_to has been silent for 15 s"
    assert sent.goal.duration_s == pytest.approx(15.0, abs=0.2)
    assert sent.requests[-1] is Request.CANCEL
    assert sent.wait(20.0) == []


def test_time_without_polling_does_not_count_as_server_silence(sent: Sent) -> None:
    sent.now_s += 60.0
    assert (sent.poll(), sent.goal.state) == ([], GoalState.SENT)


def test_accepted_goal_requests_its_result(sent: Sent) -> None:
    sent.goal.on_goal_answer(True, sent.now_s)
    assert (sent.goal.state, sent.poll()) == (GoalState.EXECUTING, [Request.RESULT])


def test_goal_listed_by_the_server_counts_as_accepted(sent: Sent) -> None:
    sent.wait(1.0)
    sent.goal.on_status(False, sent.now_s)
    assert sent.goal.state is GoalState.EXECUTING
    assert sent.wait(1.0) == [Request.RESULT]


def test_goal_with_feedback_counts_as_accepted(sent: Sent) -> None:
    sent.goal.on_feedback("half way", sent.now_s)
    assert (sent.goal.state, sent.goal.feedback) == (GoalState.EXECUTING, "half way")


def test_a_rejected_goal_is_over(sent: Sent) -> None:
    sent.goal.on_goal_answer(False, sent.now_s)
    assert sent.goal.state is GoalState.REJECTED
    assert sent.goal.reason == "/factory/robot_1/task_go_to rejected the goal"
    assert sent.wait(20.0) == []


def test_a_second_acceptance_is_ignored(executing: Sent) -> None:
    executing.goal.on_goal_answer(True, executing.now_s)
    assert (executing.poll(), executing.goal.state) == ([], GoalState.EXECUTING)


def test_a_rejection_after_an_acceptance_is_ignored(executing: Sent) -> None:
    executing.goal.on_goal_answer(False, executing.now_s)
    assert executing.goal.state is GoalState.EXECUTING


def test_rejection_of_a_goal_sent_twice_is_verified_with_the_server(sent: Sent) -> None:
    sent.wait(1.6)
    sent.goal.on_goal_answer(False, sent.now_s)
    assert (sent.poll(), sent.goal.state) == ([Request.RESULT], GoalState.SENT)


def test_goal_sent_twice_and_unknown_to_the_server_was_rejected(sent: Sent) -> None:
    sent.wait(1.6)
    sent.goal.on_goal_answer(False, sent.now_s)
    sent.poll()
    sent.goal.on_result(None, None, sent.now_s)
    assert sent.goal.state is GoalState.REJECTED


def test_goal_sent_twice_continues_when_the_server_knows_it_despite_a_rejection(sent: Sent) -> None:
    sent.wait(1.6)
    sent.goal.on_goal_answer(False, sent.now_s)
    sent.goal.on_status(False, sent.now_s)
    assert sent.goal.state is GoalState.EXECUTING


@pytest.mark.parametrize("end", [GoalState.SUCCEEDED, GoalState.CANCELED, GoalState.ABORTED])
def test_the_result_ends_the_goal(executing: Sent, end: GoalState) -> None:
    executing.wait(2.0)
    executing.goal.on_result(end, Result(end is GoalState.SUCCEEDED), executing.now_s)
    assert (executing.goal.state, executing.goal.success) == (end, end is GoalState.SUCCEEDED)
    assert bool(executing.goal.reason) == (end is not GoalState.SUCCEEDED)
    assert executing.goal.duration_s == pytest.approx(2.0)
    assert executing.wait(20.0) == []


def test_a_second_result_is_ignored(executing: Sent) -> None:
    executing.goal.on_result(GoalState.SUCCEEDED, Result(), executing.now_s)
    executing.goal.on_result(None, None, executing.now_s)
    executing.goal.on_result(GoalState.ABORTED, Result(False), executing.now_s)
    assert (executing.goal.state, executing.goal.success) == (GoalState.SUCCEEDED, True)


def test_reason_comes_from_the_result_if_it_has_one(executing: Sent) -> None:
    executing.goal.on_result(GoalState.ABORTED, ResultWithReason(False, "STOPPED"), executing.now_s)
    assert executing.goal.reason == "STOPPED"


def test_succeeded_status_with_an_unsuccessful_result_is_not_a_success(executing: Sent) -> None:
    executing.goal.on_result(GoalState.SUCCEEDED, Result(False), executing.now_s)
    assert not executing.goal.success
    assert executing.goal.reason == "/factory/robot_1/task_go_to reports SUCCEEDED, but no success"


def test_without_feedback_the_result_is_requested_again_and_the_server_probed(executing: Sent) -> None:
    assert (executing.wait(3.8), executing.wait(0.4)) == ([], [Request.RESULT, Request.PROBE])


def test_with_feedback_no_request_is_repeated(executing: Sent) -> None:
    for _ in range(30):
        executing.wait(1.0)
        executing.goal.on_feedback("on its way", executing.now_s)
    assert executing.requests == [Request.GOAL, Request.RESULT]


def test_live_server_without_feedback_keeps_its_goal(executing: Sent) -> None:
    for _ in range(60):
        if Request.PROBE in executing.wait(1.0):
            executing.goal.on_probe_answer()
    assert executing.goal.state is GoalState.EXECUTING


def test_an_executing_goal_whose_server_falls_silent_is_aborted_with_that_reason(executing: Sent) -> None:
    executing.goal.on_feedback("on its way", executing.now_s)
    executing.wait(15.2)
    assert executing.goal.state is GoalState.ABORTED
    assert "has been silent for 15 s" in executing.goal.reason


def test_a_goal_that_the_server_has_forgotten_is_aborted_with_that_reason(executing: Sent) -> None:
    executing.wait(4.1)
    executing.goal.on_result(None, None, executing.now_s)
    assert executing.goal.state is GoalState.ABORTED
    assert "no longer knows the goal; it was probably restarted" in executing.goal.reason


def test_result_of_a_goal_listed_as_ended_is_soon_requested_again(executing: Sent) -> None:
    executing.goal.on_status(True, executing.now_s)
    assert (executing.wait(1.3), executing.wait(0.4)) == ([], [Request.RESULT, Request.PROBE])


def test_a_cancel_waits_for_the_acceptance(sent: Sent) -> None:
    sent.goal.cancel()
    assert sent.wait(1.0) == []
    sent.goal.on_goal_answer(True, sent.now_s)
    assert sent.poll() == [Request.RESULT, Request.CANCEL]


def test_unanswered_cancel_is_sent_five_times_at_most(executing: Sent) -> None:
    executing.goal.cancel()
    for _ in range(10):
        executing.wait(1.0)
        executing.goal.on_feedback("on its way", executing.now_s)
    assert executing.requests.count(Request.CANCEL) == 5


@pytest.mark.parametrize("answer", list(CancelAnswer))
def test_answered_cancel_is_not_repeated(executing: Sent, answer: CancelAnswer) -> None:
    executing.goal.cancel()
    assert executing.poll() == [Request.CANCEL]
    executing.goal.on_cancel_answer(answer, executing.now_s)
    assert Request.CANCEL not in executing.wait(5.0)
    assert executing.goal.state is GoalState.EXECUTING


def test_goal_to_be_canceled_is_not_sent_again(sent: Sent) -> None:
    sent.goal.cancel()
    assert sent.wait(1.6) == [Request.CANCEL]


def test_goal_canceled_before_the_server_received_it_is_over(sent: Sent) -> None:
    sent.goal.cancel()
    sent.wait(1.6)
    sent.goal.on_cancel_answer(CancelAnswer.UNKNOWN, sent.now_s)
    assert (sent.goal.state, sent.goal.success) == (GoalState.CANCELED, False)
    assert sent.goal.reason == "canceled before /factory/robot_1/task_go_to received it"


def test_cancel_answer_counts_as_acceptance_of_an_unanswered_goal(sent: Sent) -> None:
    sent.goal.cancel()
    sent.wait(1.6)
    sent.goal.on_cancel_answer(CancelAnswer.CANCELING, sent.now_s)
    assert (sent.goal.state, sent.poll()) == (GoalState.EXECUTING, [Request.RESULT])


def test_goal_accepted_after_it_was_given_up_is_revoked(sent: Sent) -> None:
    sent.wait(15.2)
    sent.goal.on_goal_answer(True, sent.now_s)
    assert sent.goal.state is GoalState.ABORTED
    assert sent.poll() == [Request.CANCEL]


def test_goal_accepted_after_its_result_is_not_revoked(executing: Sent) -> None:
    executing.goal.on_result(GoalState.SUCCEEDED, Result(), executing.now_s)
    executing.goal.on_goal_answer(True, executing.now_s)
    assert executing.poll() == []


def test_reason_from_the_robots_status_replaces_the_text(sent: Sent) -> None:
    sent.goal.on_goal_answer(False, sent.now_s)
    sent.goal.explain("BUSY")
    assert sent.goal.reason == "BUSY"
