"""A goal as its client sees it: sent, accepted or rejected, executing, over.

It is independent of ROS: answers are passed in, and the next requests follow from the time.
"""

import uuid
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from fleet.tasks.task_kind import TaskKind

_LONGEST_STEP_S: Final = 0.5  # a client that does not spin receives nothing: longer gaps are not the server's silence


class GoalState(Enum):
    """The state of a goal, as the client sees it."""

    SENT = "sent"  # the server has not answered
    REJECTED = "REJECTED"  # the server did not accept it
    EXECUTING = "executing"  # the robot performs it
    SUCCEEDED = "SUCCEEDED"
    CANCELED = "CANCELED"
    ABORTED = "ABORTED"

    @property
    def is_final(self) -> bool:
        """Whether the goal is over."""
        return self not in (GoalState.SENT, GoalState.EXECUTING)


class Request(Enum):
    """A request to an action server."""

    GOAL = "goal"  # to accept the goal
    RESULT = "result"  # for the goal's result; the server answers when the goal ends
    CANCEL = "cancel"  # to cancel the goal
    PROBE = "probe"  # for the result of a goal that was never sent; a server that is alive answers at once


class CancelAnswer(Enum):
    """A server's answer to a cancel request."""

    CANCELING = "canceling"
    REFUSED = "refused"  # the goal continues, or is over
    UNKNOWN = "unknown"  # the server has no such goal


@dataclass(frozen=True, slots=True)
class Patience:
    """Time limits of a client's waits for the server.

    Parameters
    ----------
    answer_s : time without an answer to a goal or a cancel request, after which it is sent again
    sends : largest number of sends of the same request
    feedback_s : time without feedback of an executing goal, after which its result is requested again
    server_s : time without any sign of life of the server, after which the goal is abandoned
    """

    answer_s: float = 1.5
    sends: int = 5
    feedback_s: float = 4.0
    server_s: float = 15.0


PATIENCE: Final = Patience()


class SentGoal:
    """A goal that is sent to a robot; `state` is updated while the client spins.

    `feedback` and `result` are the action's latest messages, None before the first; `reason` says in words why a
    finished goal did not succeed.

    Parameters
    ----------
    robot_id, kind, task_id : the robot, the kind of task, and the client's id for it
    server : the name of the action, as it appears in reasons
    patience : time limits of waits for answers
    """

    def __init__(
        self,
        robot_id: int,
        kind: TaskKind,
        task_id: str,
        server: str,
        patience: Patience = PATIENCE,
    ) -> None:
        self.robot_id = robot_id
        self.kind = kind
        self.task_id = task_id
        self.goal_id = uuid.uuid4().bytes
        self.state = GoalState.SENT
        self.success = False
        self.feedback: Any = None
        self.result: Any = None
        self.reason = ""
        self.duration_s = 0.0
        self.sends = 0  # number of sends of the goal itself
        self._server = server
        self._patience = patience
        self._sent_s: float | None = None
        self._polled_s: float | None = None  # when `due` was called last
        self._silent_s = 0.0  # since the server's last sign of life
        self._waited_s = 0.0  # since the goal or its result was requested, or feedback arrived
        self._is_result_requested = False
        self._is_refused = False  # one of several sends was rejected: the server may have accepted another one
        self._cancel_waited_s = 0.0
        self._cancel_sends = 0
        self._is_cancel_requested = False
        self._is_cancel_answered = False
        self._must_revoke = False  # over for the client, and perhaps not for the server

    def cancel(self) -> None:
        """Cancel the goal as soon as the server has accepted it."""
        self._is_cancel_requested = True

    def explain(self, reason: str) -> None:
        """Note the reason for a failure that the robot's status gives."""
        self.reason = reason

    def due(self, now_s: float) -> list[Request]:
        """Return the requests to send now; end the goal if the server has been silent for too long."""
        if self.state.is_final:
            return self._revocation()
        self._pass_time(now_s)
        if self._silent_s >= self._patience.server_s:
            self._give_up(now_s)
            return self._revocation()
        requests = self._due_of_sent() if self.state is GoalState.SENT else self._due_of_executing()
        return requests + self._due_of_cancel()

    def on_goal_answer(self, is_accepted: bool, now_s: float) -> None:
        """Process the answer to one of the requests that sent the goal."""
        self._silent_s = 0.0
        if is_accepted:
            self._on_confirmed(now_s)
        elif self.state is GoalState.SENT and self.sends > 1:
            self._is_refused, self._waited_s = True, self._patience.answer_s
        elif self.state is GoalState.SENT:
            self._end(GoalState.REJECTED, now_s, f"{self._server} rejected the goal")

    def on_status(self, is_over: bool, now_s: float) -> None:
        """Note that the server lists the goal, as running or over."""
        if self.state.is_final:
            return
        self._on_confirmed(now_s)
        if is_over and self._is_result_requested:  # the result is on its way, or was lost
            self._waited_s = self._patience.feedback_s - self._patience.answer_s

    def on_feedback(self, feedback: Any, now_s: float) -> None:
        """Process feedback, which also shows that the server has the goal."""
        if not self.state.is_final:
            self.feedback = feedback
            self._on_confirmed(now_s)

    def on_result(self, end: GoalState | None, result: Any, now_s: float) -> None:
        """Process the result; `end` is None if the server does not know the goal."""
        if self.state.is_final:
            return
        if end is None:
            self._on_unknown(now_s)
            return
        self.result = result
        self.success = bool(result.success) and end is GoalState.SUCCEEDED
        self._end(end, now_s, self._reason_of(end, result))

    def on_cancel_answer(self, answer: CancelAnswer, now_s: float) -> None:
        """Process the answer to a cancel request."""
        self._silent_s = 0.0
        self._is_cancel_answered = True
        if self.state is GoalState.SENT and answer is CancelAnswer.CANCELING:
            self._on_confirmed(now_s)
        elif self.state is GoalState.SENT and answer is CancelAnswer.UNKNOWN:
            self._end(GoalState.CANCELED, now_s, f"canceled before {self._server} received it")

    def on_probe_answer(self) -> None:
        """Note that the server is alive."""
        self._silent_s = 0.0

    def _pass_time(self, now_s: float) -> None:
        step_s = 0.0 if self._polled_s is None else min(now_s - self._polled_s, _LONGEST_STEP_S)
        self._polled_s = now_s
        self._silent_s += step_s
        self._waited_s += step_s
        self._cancel_waited_s += step_s

    def _due_of_sent(self) -> list[Request]:
        if self._sent_s is None:
            self._sent_s = self._polled_s
        elif self._waited_s < self._patience.answer_s:
            return []
        self._waited_s = 0.0
        if self._is_refused:
            return [Request.RESULT]
        if self.sends == self._patience.sends or (self._is_cancel_requested and self.sends > 0):
            return []
        self.sends += 1
        return [Request.GOAL]

    def _due_of_executing(self) -> list[Request]:
        if self._is_result_requested and self._waited_s < self._patience.feedback_s:
            return []
        is_first, self._is_result_requested, self._waited_s = not self._is_result_requested, True, 0.0
        return [Request.RESULT] if is_first else [Request.RESULT, Request.PROBE]

    def _due_of_cancel(self) -> list[Request]:
        """Return a cancel request if it is due: once the goal has an answer, or should have one."""
        has_answer = self.state is GoalState.EXECUTING or self._silent_s >= self._patience.answer_s
        is_open = (
            self._is_cancel_requested and not self._is_cancel_answered and self._cancel_sends < self._patience.sends
        )
        is_first = self._cancel_sends == 0
        if not (is_open and has_answer and (is_first or self._cancel_waited_s >= self._patience.answer_s)):
            return []
        self._cancel_sends, self._cancel_waited_s = self._cancel_sends + 1, 0.0
        return [Request.CANCEL]

    def _revocation(self) -> list[Request]:
        if not self._must_revoke:
            return []
        self._must_revoke = False
        return [Request.CANCEL]

    def _on_confirmed(self, now_s: float) -> None:
        """Note that the server has the goal; a goal that is over for the client must not be executed."""
        self._silent_s = self._waited_s = 0.0
        if self.state is GoalState.SENT:
            self.state = GoalState.EXECUTING
            self._polled_s = now_s
        elif self.state.is_final and self.result is None:
            self._must_revoke = True

    def _on_unknown(self, now_s: float) -> None:
        if self.state is GoalState.SENT:
            self._end(GoalState.REJECTED, now_s, f"{self._server} rejected the goal")
        else:
            text = f"{self._server} no longer knows the goal; it was probably restarted"
            self._end(GoalState.ABORTED, now_s, text)

    def _give_up(self, now_s: float) -> None:
        self._must_revoke = True
        self._end(GoalState.ABORTED, now_s, f"{self._server} has been silent for {self._patience.server_s:g} s")

    def _reason_of(self, end: GoalState, result: Any) -> str:
        if end is GoalState.SUCCEEDED:
            return "" if result.success else f"{self._server} reports SUCCEEDED, but no success"
        reason = str(getattr(result, "reason", ""))  # results of follow_path have a reason
        return reason or ("canceled" if end is GoalState.CANCELED else f"{self._server} aborted the goal")

    def _end(self, state: GoalState, now_s: float, reason: str) -> None:
        self.state = state
        self.reason = reason
        self.duration_s = now_s - (now_s if self._sent_s is None else self._sent_s)
