"""Finds out why a goal did not succeed, from its robot's status shortly after the end."""

import time
from collections.abc import Mapping
from typing import Final

from fleet.goals.sent_goal import GoalState, SentGoal

_LATE_S: Final = 2.5  # statuses are published once a second


class EndedGoal:
    """A goal that is over, whose reason may still follow in its robot's status.

    Parameters
    ----------
    goal : the goal that has just ended
    """

    def __init__(self, goal: SentGoal) -> None:
        self.goal: Final = goal
        self._ended_s: Final = time.monotonic()

    @property
    def is_late(self) -> bool:
        """Whether statuses may already be about other goals."""
        return time.monotonic() - self._ended_s > _LATE_S

    def reason(self, values: Mapping[str, str], heard_s: float) -> tuple[str, str]:
        """Return the reason for the end, and its detail, which other servers do not publish; "" if not known yet.

        Parameters
        ----------
        values
            values of its robot's latest status
        heard_s
            reception of that on the monotonic clock: a rejection's reason names no goal, so the status must be newer
        """
        if self.goal.state is GoalState.SUCCEEDED:
            return "", ""
        if self.goal.state is GoalState.REJECTED:
            is_newer = heard_s > self._ended_s
            return (values.get("reason", ""), values.get("reason_detail", "")) if is_newer else ("", "")
        if values.get("last_task") != self.goal.task_id:
            return "", ""
        return values.get("last_result", "").partition(":")[2], values.get("last_result_detail", "")

    def settled_reason(self, values: Mapping[str, str], heard_s: float) -> tuple[str, str] | None:
        """Return the reason once it is known, or no longer worth waiting for."""
        found = self.reason(values, heard_s)
        is_explained = bool(found[0]) or self.goal.state in (GoalState.SUCCEEDED, GoalState.CANCELED)
        return found if is_explained or self.is_late else None
