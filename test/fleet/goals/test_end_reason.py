import math

import pytest

from fleet.goals.end_reason import EndedGoal
from fleet.goals.sent_goal import PATIENCE, GoalState, SentGoal
from fleet.tasks.task_kind import TaskKind

ABORTED = {"last_task": "mine", "last_result": "ABORTED:STOPPED", "last_result_detail": "by /fleet/stop"}
REJECTED = {"reason": "BUSY", "reason_detail": "it performs 'other'", "last_task": "other"}


def ended(state: GoalState) -> SentGoal:
    goal = SentGoal(1, TaskKind.GO_TO, "mine", "/factory/robot_1/task_go_to", PATIENCE)
    goal.state = state
    return goal


@pytest.mark.parametrize(
    ("state", "values", "is_newer", "expected"),
    [
        (GoalState.ABORTED, ABORTED, False, ("STOPPED", "by /fleet/stop")),
        (GoalState.ABORTED, {**ABORTED, "last_task": "other"}, True, ("", "")),
        (GoalState.ABORTED, {}, True, ("", "")),
        (GoalState.CANCELED, {"last_task": "mine", "last_result": "CANCELED"}, True, ("", "")),
        (GoalState.REJECTED, REJECTED, True, ("BUSY", "it performs 'other'")),
        (GoalState.REJECTED, REJECTED, False, ("", "")),
        (GoalState.SUCCEEDED, ABORTED, True, ("", "")),
    ],
)
def test_status_gives_the_reason(
    state: GoalState, values: dict[str, str], is_newer: bool, expected: tuple[str, str]
) -> None:
    heard_s = math.inf if is_newer else -math.inf
    assert EndedGoal(ended(state)).reason(values, heard_s) == expected
