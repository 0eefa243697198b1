"""How the demonstration judges a task."""

from pathlib import Path

import pytest

from fleet.client.sent_goal import GoalState, SentGoal
from fleet.commands.demo.demo_command import leave_folder
from fleet.commands.demo.performance import Performance, RobotRecord
from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind

GOAL = Pose2D(1.0, 1.0, 0.0)


class Result:
    """A successful result."""

    success = True


@pytest.fixture
def sent() -> SentGoal:
    goal = SentGoal(1, TaskKind.GO_TO, "task", "/factory/robot_1/task_go_to")
    goal.due(0.0)
    return goal


def test_task_that_ends_at_its_goal_has_no_fault(sent: SentGoal) -> None:
    sent.on_result(GoalState.SUCCEEDED, Result(), 1.0)
    assert Performance(GOAL, sent, Pose2D(1.01, 1.0, 0.05)).fault == ""


@pytest.mark.parametrize("truth", [Pose2D(1.04, 1.0, 0.0), Pose2D(1.0, 1.0, 0.2)])
def test_task_that_succeeds_away_from_its_goal_has_a_fault(sent: SentGoal, truth: Pose2D) -> None:
    sent.on_result(GoalState.SUCCEEDED, Result(), 1.0)
    assert Performance(GOAL, sent, truth).fault == "not where it should be"


def test_fault_of_a_rejected_task_is_the_rejection_reason(sent: SentGoal) -> None:
    sent.on_goal_answer(False, 1.0)
    sent.explain("BUSY")
    assert Performance(GOAL, sent, GOAL).fault == "BUSY"


def test_unfinished_task_has_a_fault_but_no_errors(sent: SentGoal) -> None:
    performance = Performance(GOAL, sent)
    assert (performance.fault, performance.position_error_m, performance.heading_error_rad) == ("no end", None, None)


def test_folder_of_a_successful_demo_is_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "driver.log").write_text("a line")
    leave_folder(folder, is_kept=False)
    assert (list(tmp_path.iterdir()), capsys.readouterr().err) == ([], "")


def test_folder_of_a_failed_demo_is_kept_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leave_folder(tmp_path, is_kept=True)
    assert capsys.readouterr().err == f"configuration and logs are kept in {tmp_path}\n"
    assert tmp_path.exists()


def test_robot_that_touched_something_is_not_good_even_if_it_arrived(sent: SentGoal) -> None:
    sent.on_result(GoalState.SUCCEEDED, Result(), 1.0)
    record = RobotRecord(1, 1, [Performance(GOAL, sent, GOAL)], contacts=1)
    assert (record.done_count, record.is_good) == (1, False)


def test_robot_with_unsent_tasks_is_not_good(sent: SentGoal) -> None:
    sent.on_result(GoalState.SUCCEEDED, Result(), 1.0)
    assert not RobotRecord(1, 2, [Performance(GOAL, sent, GOAL)], contacts=0).is_good


def test_contacts_that_are_not_known_are_not_good() -> None:
    assert not RobotRecord(1, 0).is_good


def test_worst_errors_of_a_robot_are_those_of_all_its_tasks(sent: SentGoal) -> None:
    truths = (Pose2D(1.01, 1.0, 0.0), Pose2D(1.0, 1.0, -0.05))
    record = RobotRecord(1, 2, [Performance(GOAL, sent, truth) for truth in truths])
    assert (record.worst_position_m, record.worst_heading_rad) == (pytest.approx(0.01), pytest.approx(0.05))
