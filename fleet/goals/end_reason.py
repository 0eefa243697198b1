"""Why a goal did not succeed, as its robot's status says, a moment after the end."""

import time
from collections.abc import Mapping
from typing import Final

from fleet.goals.sent_goal import GoalState, SentGoal

_LATE_S: Final = 2.5  # statuses are published once a second


class EndedGoal:
    """A goal that is over, whose robot's status may still give the reason.

    Parameters
    ----------
    goal : that has just ended
    """

    def __init__(self, goal: SentGoal) -> None:
        self.goal: Final = goal
        self._ended_s: Final = time.monotonic()

    @property
    def is_late(self) -> bool:
        """Whether statuses may be about other goals by now."""
        return time.monotonic() - self._ended_s > _LATE_S

    def reason(self, values: Mapping[str, str], heard_s: float) -> tuple[str, str]:
        """Return the reason for the end and its detail, which other servers do not publish; "" if not known yet.

        Parameters
        ----------
        values
            of its robot's latest status
        heard_s
            when that arrived, on the monotonic clock: the reason of a rejection names no goal, so it must be newer
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
        """Return the reason once it is known, or need not be waited for any longer."""
        found = self.reason(values, heard_s)
        is_explained = bool(found[0]) or self.goal.state in (GoalState.SUCCEEDED, GoalState.CANCELED)
        return found if is_explained or self.is_late else None
