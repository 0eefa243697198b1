import math

import pytest

from fleet.interface.progress_messages import feedback_to_ros, result_to_ros
from fleet.interface.work_messages import ACTION_TYPES
from fleet.reason import Reason
from fleet.robots.robot_status import RobotStatus, TaskOutcome
from fleet.tasks.deviation import CrossTrack
from fleet.tasks.task import TaskState
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KINDS


def no_status() -> RobotStatus:
    pytest.fail("a status was made that no feedback needs")


@pytest.mark.parametrize("kind", TaskKind)
def test_result_of_every_kind_says_whether_the_task_succeeded(kind: TaskKind) -> None:
    results = [result_to_ros(TaskOutcome(1, "a", kind, state, None), 1.0) for state in TaskState]
    assert {type(result) for result in results} == {ACTION_TYPES[kind].Result}
    assert [result.success for result in results] == [state is TaskState.SUCCEEDED for state in TaskState]


@pytest.mark.parametrize("kind", [kind for kind, facts in KINDS.items() if facts.is_ours])
def test_result_of_our_kinds_has_the_reason_and_the_time(kind: TaskKind) -> None:
    result = result_to_ros(TaskOutcome(1, "a", kind, TaskState.ABORTED, Reason.NO_PROGRESS), 12.5)
    assert (result.success, result.reason, result.duration_s) == (False, "NO_PROGRESS", 12.5)


@pytest.mark.parametrize("kind", [kind for kind, facts in KINDS.items() if not facts.is_ours])
def test_feedback_of_the_customers_kinds_is_empty_and_costs_no_status(kind: TaskKind) -> None:
    assert feedback_to_ros(kind, no_status) == ACTION_TYPES[kind].Feedback()


def test_result_reports_the_measured_cross_track_errors() -> None:
    cross_track = CrossTrack(0.004, 0.002)
    outcome = TaskOutcome(1, "a", TaskKind.FOLLOW_PATH, TaskState.ABORTED, Reason.NO_PROGRESS, cross_track)
    result = result_to_ros(outcome, 12.5)
    assert (result.max_cross_track_m, result.rms_cross_track_m) == (0.004, 0.002)


def test_result_of_a_robot_that_did_not_drive_has_no_errors() -> None:
    result = result_to_ros(TaskOutcome(1, "a", TaskKind.FOLLOW_PATH, TaskState.CANCELED, None), 0.1)
    assert math.isnan(result.max_cross_track_m)
    assert math.isnan(result.rms_cross_track_m)
