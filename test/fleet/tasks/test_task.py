from dataclasses import replace
from pathlib import Path

import pytest

from fleet.actuation.wheel_response import Motion, at_once
from fleet.geometry import STILL, Pose2D
from fleet.paths.shapes import shape_path
from fleet.reason import Explanation, Reason
from fleet.tasks.explanations import stopped
from fleet.tasks.leg_planner import LonePlanner
from fleet.tasks.legs import ChargeLeg, DriveLeg
from fleet.tasks.task import Task, TaskRequest, TaskState, follow_path, go_home, go_to, transport
from fleet.tasks.task_kind import TaskKind
from fleet.timetable.step_budget import StepBudget
from harness.fleets import ONE_ROBOT, read

HERE = Pose2D(0.0, 0.0, 0.0)
THERE = Pose2D(1.0, 0.0, 0.0)
TICK_NS = 50_000_000
SECOND = 20  # ticks


def task_of(request: TaskRequest, folder: Path, settings: str = "") -> Task:
    config = read(folder, settings + ONE_ROBOT)
    return Task(request, config.motion, config.tracker, config.tasks, LonePlanner(config.motion, StepBudget(1000)))


def stand(task: Task, pose: Pose2D, ticks: range) -> None:
    for tick in ticks:
        task.step(at_once(Motion(pose, STILL), 0.05), tick * TICK_NS)


def test_drive_to_the_present_pose_succeeds(tmp_path: Path) -> None:
    task = task_of(go_to("a", HERE), tmp_path)
    stand(task, HERE, range(SECOND))
    assert task.state is TaskState.SUCCEEDED
    assert task.progress == 1.0


def test_going_home_is_a_drive_to_the_home_pose() -> None:
    assert list(go_home("a", HERE).places()) == [HERE]


def test_a_transport_loads_at_the_first_pose_and_unloads_at_the_second(tmp_path: Path) -> None:
    task = task_of(transport("a", HERE, THERE, dwell_s=2.0), tmp_path)
    stand(task, HERE, range(SECOND))
    assert not task.loaded
    stand(task, HERE, range(SECOND, 3 * SECOND))
    assert task.loaded
    stand(task, THERE, range(3 * SECOND, 6 * SECOND))
    assert not task.loaded
    assert task.state is TaskState.SUCCEEDED


def test_a_robot_is_stationary_while_it_loads(tmp_path: Path) -> None:
    task = task_of(transport("a", HERE, THERE, dwell_s=2.0), tmp_path)
    stand(task, HERE, range(SECOND))
    assert task.step(at_once(Motion(HERE, STILL), 0.05), SECOND * TICK_NS) == STILL
    assert task.state is TaskState.EXECUTING


def test_canceled_task_ends_only_once_the_wheels_stand_still(tmp_path: Path) -> None:
    task = task_of(go_to("a", THERE), tmp_path)
    stand(task, HERE, range(3))
    task.cancel()
    assert task.step(at_once(Motion(HERE, STILL), 0.05), 3 * TICK_NS) == STILL
    assert task.state is TaskState.CANCELING
    task.stopped()
    assert task.state is TaskState.CANCELED


def test_task_being_canceled_can_still_be_aborted(tmp_path: Path) -> None:
    task = task_of(go_to("a", THERE), tmp_path)
    task.cancel()
    task.abort(Explanation(Reason.ROBOT_LOST, "no link"))
    assert (task.state, task.reason) == (TaskState.ABORTED, Reason.ROBOT_LOST)


@pytest.mark.parametrize("end", [Task.cancel, Task.stopped, lambda task: task.abort(stopped())])
def test_ended_task_keeps_its_outcome(end, tmp_path: Path) -> None:
    task = task_of(go_to("a", HERE), tmp_path)
    stand(task, HERE, range(SECOND))
    end(task)
    assert (task.state, task.reason) == (TaskState.SUCCEEDED, None)


def test_robot_that_makes_no_progress_gives_up(tmp_path: Path) -> None:
    task = task_of(go_to("a", THERE), tmp_path, "tasks: {no_progress_s: 5, deadline_min_s: 100}")
    stand(task, HERE, range(5 * SECOND))
    assert task.state is TaskState.EXECUTING
    stand(task, HERE, range(5 * SECOND, 6 * SECOND))
    assert (task.state, task.reason) == (TaskState.ABORTED, Reason.NO_PROGRESS)


def test_task_that_takes_far_longer_than_planned_is_aborted(tmp_path: Path) -> None:
    task = task_of(go_to("a", THERE), tmp_path, "tasks: {deadline_min_s: 1, deadline_factor: 1}")
    stand(task, HERE, range(20 * SECOND))
    assert (task.state, task.reason) == (TaskState.ABORTED, Reason.DEADLINE)


def test_deadline_keeps_running_while_the_robot_cannot_drive(tmp_path: Path) -> None:
    task = task_of(go_to("a", THERE), tmp_path, "tasks: {deadline_min_s: 1, deadline_factor: 1}")
    for tick in range(20 * SECOND):
        task.hold(tick * TICK_NS)
    assert (task.state, task.reason) == (TaskState.ABORTED, Reason.DEADLINE)


def test_dwell_time_does_not_run_while_the_robot_is_held(tmp_path: Path) -> None:
    task = task_of(transport("a", HERE, THERE, dwell_s=2.0), tmp_path)
    stand(task, HERE, range(SECOND))
    for tick in range(SECOND, 10 * SECOND):
        task.hold(tick * TICK_NS)
    task.step(at_once(Motion(HERE, STILL), 0.05), 10 * SECOND * TICK_NS)
    assert not task.loaded


def test_progress_and_remaining_time_follow_the_task(tmp_path: Path) -> None:
    task = task_of(transport("a", HERE, THERE, dwell_s=2.0), tmp_path)
    stand(task, HERE, range(1))
    planned_s = task.eta_s
    assert planned_s > 4.0 + 1.0 / 0.14
    stand(task, HERE, range(1, 2 * SECOND))
    assert task.eta_s == pytest.approx(planned_s - 2.0, abs=0.5)
    assert task.progress == pytest.approx(2.0 / planned_s, abs=0.05)


def test_a_way_is_planned_when_the_robot_drives_and_needed_for_no_dwell(tmp_path: Path) -> None:
    task = task_of(transport("a", HERE, THERE, dwell_s=2.0), tmp_path)
    assert not task.has_way
    stand(task, HERE, range(1))
    assert task.has_way
    stand(task, HERE, range(1, SECOND))
    assert task.leg == 1
    assert task.has_way


def test_priority_of_a_request_is_a_digit() -> None:
    with pytest.raises(ValueError, match="priority 10 of task 'a' is not from 0 to 9"):
        replace(go_to("a", Pose2D(1.0, 0.0, 0.0)), priority=10)


def test_report_of_a_task_has_its_legs_and_where_it_leads(tmp_path: Path) -> None:
    task = task_of(transport("a", THERE, Pose2D(2.0, 0.0, 0.0), dwell_s=2.0), tmp_path)
    stand(task, HERE, range(3))
    report = task.report()
    assert (report.task_id, report.kind, report.state, report.leg) == ("a", "task_transport", "executing", 0)
    assert [leg.kind.value for leg in report.legs] == ["drive", "dwell", "drive", "dwell"]
    assert report.plan_m[0] == pytest.approx((0.0, 0.0), abs=0.02)
    assert [x_m for x_m, _ in report.plan_m[-2:]] == pytest.approx([1.0, 2.0])


def test_report_of_a_path_in_laps_leaves_out_the_lap(tmp_path: Path) -> None:
    circle = shape_path("circle", 0.12)
    following = read(tmp_path, ONE_ROBOT).following
    task = task_of(follow_path("a", circle, following, laps=2, name="circle"), tmp_path)
    assert (task.words, task.report().words) == ("follow circle 1/2", "follow circle")


def test_version_of_a_task_changes_with_its_leg_its_plan_and_its_state(tmp_path: Path) -> None:
    task = task_of(transport("a", HERE, THERE, dwell_s=2.0), tmp_path)
    versions = [task.version]
    stand(task, HERE, range(2))
    versions.append(task.version)  # it has planned
    stand(task, HERE, range(2, SECOND))
    versions.append(task.version)  # it loads
    task.cancel()
    versions.append(task.version)
    task.stopped()
    versions.append(task.version)
    assert len(set(versions)) == len(versions)


def test_version_of_a_task_does_not_change_with_its_progress(tmp_path: Path) -> None:
    task = task_of(go_to("a", THERE), tmp_path)
    stand(task, HERE, range(2))
    version = task.version
    stand(task, Pose2D(0.01, 0.0, 0.0), range(2, 4))
    assert task.version == version


def test_report_of_an_aborted_task_has_the_reason_and_no_plan(tmp_path: Path) -> None:
    task = task_of(go_to("a", THERE), tmp_path)
    stand(task, HERE, range(3))
    task.abort(stopped())
    report = task.report()
    assert (report.state, report.reason, report.plan_m) == ("ABORTED", "STOPPED", ())
    assert "resume" in report.detail


TWO_TRIES = TaskRequest("a", TaskKind.GO_TO, (ChargeLeg(2.0, 2, 2), DriveLeg(THERE), ChargeLeg(2.0, 0, 2)))


def wait_in_charger(task: Task, pose: Pose2D, ticks: range, *, is_charged: bool) -> None:
    """Stand, with a voltage in every tick."""
    for tick in ticks:
        task.note_charge(is_charged, tick * TICK_NS)
        stand(task, pose, range(tick, tick + 1))


def test_robot_that_is_charged_needs_no_further_tries(tmp_path: Path) -> None:
    task = task_of(TWO_TRIES, tmp_path)
    wait_in_charger(task, HERE, range(1, 3), is_charged=True)
    assert (task.state, task.leg) == (TaskState.SUCCEEDED, 2)


def test_charge_counts_from_the_arrival_in_the_charger(tmp_path: Path) -> None:
    task = task_of(TWO_TRIES, tmp_path)
    task.note_charge(True, TICK_NS)
    stand(task, HERE, range(1, SECOND))
    assert task.state is TaskState.EXECUTING


def test_robot_that_is_not_charged_tries_again(tmp_path: Path) -> None:
    task = task_of(TWO_TRIES, tmp_path)
    wait_in_charger(task, HERE, range(1, 3 * SECOND), is_charged=False)
    assert (task.state, task.leg) == (TaskState.EXECUTING, 1)
    stand(task, THERE, range(3 * SECOND, 4 * SECOND))
    wait_in_charger(task, THERE, range(4 * SECOND, 5 * SECOND), is_charged=True)
    assert task.state is TaskState.SUCCEEDED


def test_robot_that_is_not_charged_in_any_try_gives_up(tmp_path: Path) -> None:
    task = task_of(TWO_TRIES, tmp_path)
    wait_in_charger(task, HERE, range(1, 3 * SECOND), is_charged=False)
    wait_in_charger(task, THERE, range(3 * SECOND, 7 * SECOND), is_charged=False)
    assert str(task.explanation) == (
        "NOT_CHARGING: not charged within 2 s, 2 times; check that the charger is on, and where the station is"
    )


def test_robot_that_reports_no_voltage_does_not_try_again(tmp_path: Path) -> None:
    task = task_of(TWO_TRIES, tmp_path)
    stand(task, HERE, range(3 * SECOND))
    assert str(task.explanation) == (
        "NOT_CHARGING: the robot reported no voltage for 2 s, so charging is not confirmed; check its link"
    )


def test_waiting_for_a_charger_pauses_while_the_robot_is_held(tmp_path: Path) -> None:
    task = task_of(TWO_TRIES, tmp_path)
    wait_in_charger(task, HERE, range(1, SECOND), is_charged=False)
    for tick in range(SECOND, 10 * SECOND):
        task.hold(tick * TICK_NS)
    wait_in_charger(task, HERE, range(10 * SECOND, 10 * SECOND + 2), is_charged=False)
    assert (task.state, task.leg) == (TaskState.EXECUTING, 0)


def test_planned_time_excludes_further_tries(tmp_path: Path) -> None:
    task = task_of(TWO_TRIES, tmp_path)
    stand(task, HERE, range(1))
    assert task.eta_s == 2.0


def test_further_tries_extend_the_deadline(tmp_path: Path) -> None:
    task = task_of(TWO_TRIES, tmp_path, "tasks: {deadline_min_s: 1, deadline_factor: 1.1}")
    wait_in_charger(task, HERE, range(1, 3 * SECOND), is_charged=False)
    assert task.state is TaskState.EXECUTING
