"""Why a goal did not succeed, as its robot's status says."""

from collections.abc import Mapping

from fleet.goals.sent_goal import GoalState, SentGoal


def end_reason(goal: SentGoal, values: Mapping[str, str], *, is_newer: bool) -> tuple[str, str]:
    """Return the reason for a goal's end and its detail, which other servers do not publish; "" if not known yet.

    Parameters
    ----------
    goal
        a goal that is over
    values
        of its robot's latest status
    is_newer
        whether that was published after the end: the reason of a rejection names no goal
    """
    if goal.state is GoalState.SUCCEEDED:
        return "", ""
    if goal.state is GoalState.REJECTED:
        return (values.get("reason", ""), values.get("reason_detail", "")) if is_newer else ("", "")
    if values.get("last_task") != goal.task_id:
        return "", ""
    return values.get("last_result", "").partition(":")[2], values.get("last_result_detail", "")
