"""Jobs are performed in a good order, survive what happens to robots and drivers, and end exactly once."""

import re
from pathlib import Path
from typing import Any

import pytest

from fleet.dispatch.records.job import Duty, Job, JobState
from fleet.reason import Explanation, Reason
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import PathWish, Work
from harness.dispatch.dispatched_fleet import TICK_S, DispatchedFleet, carry, fleet_of, go
from thymio_base.parts import finished


@pytest.fixture
def fleet(tmp_path: Path) -> DispatchedFleet:
    return DispatchedFleet(fleet_of(tmp_path, 3))


def test_jobs_go_to_the_nearest_robots_and_succeed(fleet: DispatchedFleet) -> None:
    fleet.submit(go("far", 1.5), go("near", 0.5), go("middle", 1.0))
    fleet.run(0.2)
    assert [fleet.report(job_id).robot_id for job_id in ("near", "middle", "far")] == [1, 2, 3]
    fleet.run_until_over()
    assert [report.state for report in fleet.reports()] == [JobState.SUCCEEDED] * 3


@pytest.mark.slow
def test_jobs_beyond_the_robots_are_queued_and_assigned_later(fleet: DispatchedFleet) -> None:
    fleet.submit(*(carry(f"job {number}", 1.0 + 0.5 * number, 7.0 + 0.5 * number) for number in range(8)))
    fleet.run(0.5)
    states = [fleet.state(f"job {number}") for number in range(8)]
    assert states.count(JobState.EXECUTING) == 3
    assert states.count(JobState.ASSIGNED) == 3
    assert states.count(JobState.QUEUED) == 2
    fleet.run_until_over()


def test_a_submission_is_accepted_as_a_whole_or_not_at_all(fleet: DispatchedFleet) -> None:
    answers = fleet.dispatcher.submit([go("good", 1.0), go("outside", 50.0), go("ghost", 1.0, robots=(9,))], fleet.now)
    reasons = [None if answer is None else answer.reason for answer in answers]
    assert reasons == [None, Reason.OUT_OF_ARENA, Reason.BAD_JOB]
    assert fleet.dispatcher.report("good", fleet.now) is None


def test_the_same_submission_again_is_one_job_also_after_its_end_and_a_restart(fleet: DispatchedFleet) -> None:
    for _ in range(3):
        fleet.submit(go("once", 1.0))
    fleet.run_until_over()
    fleet.restart()
    fleet.submit(go("once", 1.0))
    assert fleet.state("once") is JobState.SUCCEEDED
    other = fleet.dispatcher.submit([go("once", 1.2)], fleet.now)[0]
    assert other is not None
    assert other.reason is Reason.DUPLICATE_ID
    assert sum(len(robot.given) for robot in fleet.robots.robots.values()) == 1


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"robots": (2,)}, "robots"),
        ({"priority": 6}, "priority"),
        ({"not_before_ns": 1}, "not_before"),
        ({"deadline_ns": 10**18}, "deadline"),
        ({"deadline_ns": 10**18, "is_aborted_late": True}, "deadline, abort_when_late"),
        ({"after_any_end": True}, "after_any_end"),
        ({"attempts": 2}, "attempts"),
        ({"may_be_interrupted": False}, "may_be_interrupted"),
    ],
)
def test_a_known_job_id_with_other_terms_is_rejected(
    fleet: DispatchedFleet, changes: dict[str, Any], named: str
) -> None:
    fleet.submit(go("mes-1", 1.0))
    other = fleet.dispatcher.submit([go("mes-1", 1.0, **changes)], fleet.now)[0]
    assert other is not None
    assert other.reason is Reason.DUPLICATE_ID
    assert f"with other {named};" in other.detail


def test_a_job_that_was_changed_since_is_still_known_as_it_was_submitted(fleet: DispatchedFleet) -> None:
    fleet.submit(go("mes-1", 1.0))
    assert fleet.dispatcher.change("mes-1", fleet.now, priority=9) is None
    assert fleet.dispatcher.change("mes-1", fleet.now, robots=(2,)) is None
    fleet.restart()
    fleet.submit(go("mes-1", 1.0))
    other = fleet.dispatcher.submit([go("mes-1", 1.0, priority=9, robots=(2,))], fleet.now)[0]
    assert other is not None
    assert other.reason is Reason.DUPLICATE_ID


def test_a_job_for_one_robot_waits_for_that_robot(fleet: DispatchedFleet) -> None:
    fleet.submit(go("first", 3.0, robots=(2,)), go("second", 3.5, robots=(2,)))
    fleet.run(1.0)
    assert (fleet.state("first"), fleet.state("second")) == (JobState.EXECUTING, JobState.ASSIGNED)
    fleet.run_until_over()
    assert fleet.robots.robots[2].given == ["first", "second"]


def test_jobs_wait_for_others_and_for_their_time(fleet: DispatchedFleet) -> None:
    later = go("later", 1.0, not_before_ns=fleet.now.ros_ns + 10_000_000_000)
    fleet.submit(go("one", 2.0), go("two", 2.0, after=("one",)), later)
    fleet.run(1.0)
    assert [fleet.state(job_id) for job_id in ("one", "two", "later")] == [
        JobState.EXECUTING,
        JobState.WAITING,
        JobState.WAITING,
    ]
    fleet.run(9.5)
    assert fleet.state("later") is JobState.EXECUTING
    fleet.run_until_over()
    assert fleet.report("one").ended_ns < fleet.report("two").ended_ns


def test_a_failed_job_ends_those_that_depend_on_it_but_not_those_that_only_come_after(fleet: DispatchedFleet) -> None:
    fleet.submit(
        go("base", 1.0, attempts=1),
        go("on it", 1.0, after=("base",)),
        go("on that", 1.0, after=("on it",)),
        go("anyway", 1.0, after=("base",), after_any_end=True),
    )
    fleet.run(0.2)
    fleet.abort(fleet.report("base").robot_id, Reason.NO_PROGRESS)
    fleet.run_until_over()
    reasons = {report.job_id: report.reason for report in fleet.reports()}
    assert reasons == {"base": "NO_PROGRESS", "on it": "DEPENDENCY", "on that": "DEPENDENCY", "anyway": ""}
    assert fleet.state("anyway") is JobState.SUCCEEDED


def test_jobs_that_wait_for_each_other_are_refused(fleet: DispatchedFleet) -> None:
    ring = [go("a", 1.0, after=("b",)), go("b", 1.0, after=("c",)), go("c", 1.0, after=("a",))]
    assert all(
        answer is not None and answer.reason is Reason.BAD_JOB for answer in fleet.dispatcher.submit(ring, fleet.now)
    )


def test_another_robot_tries_when_one_fails(fleet: DispatchedFleet) -> None:
    fleet.submit(go("job", 0.5))
    fleet.run(0.2)
    fleet.abort(1, Reason.NO_PROGRESS)
    fleet.run(0.5)
    report = fleet.report("job")
    assert report.state is JobState.EXECUTING
    assert report.robot_id != 1
    fleet.run_until_over()
    assert fleet.state("job") is JobState.SUCCEEDED
    assert fleet.robots.robots[report.robot_id].given == ["job#2"]


def test_when_all_attempts_have_failed_the_job_says_who_failed_and_why(fleet: DispatchedFleet) -> None:
    fleet.submit(go("job", 0.5))
    for _ in range(3):
        fleet.run(1.5)
        fleet.abort(fleet.report("job").robot_id, Reason.NO_PROGRESS)
    fleet.run(0.1)
    report = fleet.report("job")
    assert (report.state, report.reason) == (JobState.ABORTED, "ATTEMPTS")
    assert "robot 1: NO_PROGRESS" in report.detail
    assert "robot 2" in report.detail


@pytest.mark.parametrize("ticks", [0, 1, 2, 40])
def test_a_job_is_canceled_in_any_state(fleet: DispatchedFleet, ticks: int) -> None:
    fleet.submit(go("job", 3.0))
    for _ in range(ticks):
        fleet.tick()
    assert fleet.dispatcher.cancel("job", fleet.now) is None
    fleet.run(0.5)
    assert fleet.state("job") is JobState.CANCELED
    assert all(robot.task is None for robot in fleet.robots.robots.values())
    again = fleet.dispatcher.cancel("job", fleet.now)
    assert again is not None
    assert "has already ended" in again.detail


def test_a_held_job_stops_its_robot_and_goes_on_when_released(fleet: DispatchedFleet) -> None:
    fleet.submit(go("job", 3.0))
    fleet.run(1.0)
    assert fleet.dispatcher.hold("job", fleet.now) is None
    fleet.run(5.0)
    assert fleet.state("job") is JobState.HELD
    assert fleet.dispatcher.release("job", fleet.now) is None
    fleet.run_until_over()
    assert fleet.state("job") is JobState.SUCCEEDED


def test_only_resume_releases_what_a_stop_holds(fleet: DispatchedFleet) -> None:
    fleet.submit(go("running", 3.0), go("held by hand", 3.0))
    fleet.dispatcher.hold("held by hand", fleet.now)
    fleet.run(1.0)
    for robot in fleet.robots.robots.values():
        robot.is_stopped = True
    fleet.abort(fleet.report("running").robot_id, Reason.STOPPED)
    fleet.run(1_000.0)
    assert fleet.report("running").reason == "STOPPED"
    for robot in fleet.robots.robots.values():
        robot.is_stopped = False
    fleet.dispatcher.resume(fleet.now)
    fleet.run(1.0)
    assert fleet.state("running") is JobState.EXECUTING
    assert fleet.state("held by hand") is JobState.HELD


def test_a_much_more_urgent_job_takes_a_robot_that_carries_nothing(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1))
    fleet.submit(go("usual", 10.0))
    fleet.run(1.0)
    fleet.submit(go("slightly more urgent", 1.0, priority=7))
    fleet.run(1.0)
    assert fleet.state("usual") is JobState.EXECUTING
    fleet.submit(go("urgent", 1.0, priority=8))
    fleet.run(2.0)
    assert fleet.state("urgent") is JobState.EXECUTING
    assert fleet.state("usual") in (JobState.QUEUED, JobState.ASSIGNED)
    fleet.run_until_over()
    assert fleet.report("usual").attempts == 2


def test_a_loaded_robot_is_not_interrupted(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1))
    fleet.submit(carry("usual", 0.6, 10.0))
    fleet.run(20.0)
    fleet.submit(go("urgent", 1.0, priority=9))
    fleet.run(5.0)
    assert fleet.state("usual") is JobState.EXECUTING
    fleet.run_until_over()
    assert fleet.report("usual").attempts == 1


def test_the_urgent_jobs_of_many_come_first(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1))
    fleet.submit(*(go(f"job {number}", 1.0 + 0.1 * number) for number in range(10)), go("urgent", 2.0, priority=9))
    fleet.run(0.5)
    assert fleet.state("urgent") is JobState.EXECUTING


def test_waiting_makes_a_job_more_urgent(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1, ", age_s: 10"))
    fleet.submit(go("first", 10.0, may_be_interrupted=False), go("old", 9.0, priority=1))
    fleet.run(45.0)
    assert fleet.report("old").priority == 5


def test_a_job_is_put_before_another(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1))
    fleet.submit(go("running", 3.0), go("near", 3.1), go("far", 9.0))
    fleet.run(0.5)
    assert fleet.dispatcher.put_before("far", "near", fleet.now) is None
    fleet.run_until_over()
    assert fleet.robots.robots[1].given == ["running", "far", "near"]


def test_two_jobs_cannot_be_put_before_each_other(fleet: DispatchedFleet) -> None:
    fleet.dispatcher.set_duty([1, 2, 3], Duty.OUT, fleet.now)
    fleet.submit(go("a", 1.0), go("b", 1.0), go("c", 1.0))
    assert fleet.dispatcher.put_before("a", "b", fleet.now) is None
    assert fleet.dispatcher.put_before("b", "c", fleet.now) is None
    refused = fleet.dispatcher.put_before("c", "a", fleet.now)
    assert refused is not None
    assert "already" in refused.detail


def test_robots_off_duty_get_no_jobs_and_hand_on_the_one_that_they_perform(fleet: DispatchedFleet) -> None:
    fleet.submit(go("job", 0.5))
    fleet.run(0.2)
    assert fleet.dispatcher.set_duty([1], Duty.OUT, fleet.now) is None
    fleet.run(1.0)
    assert fleet.report("job").robot_id == 2
    fleet.restart()
    fleet.submit(go("next", 0.5))
    fleet.run_until_over()
    assert fleet.robots.robots[1].given == ["job"]


def test_robot_that_goes_off_duty_after_its_job_ends_it_and_gets_no_other(fleet: DispatchedFleet) -> None:
    fleet.submit(go("job", 0.5))
    fleet.run(0.2)
    assert fleet.dispatcher.set_duty([1], Duty.OUT_AFTER_JOB, fleet.now) is None
    fleet.submit(go("next", 0.5))
    fleet.run_until_over()
    assert [fleet.report(job_id).robot_id for job_id in ("job", "next")] == [1, 2]


def test_without_a_robot_that_may_the_job_ends_after_a_while(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 2, ", no_robot_s: 30"))
    fleet.robots.robots[2].is_able = False
    fleet.submit(go("job", 1.0, robots=(2,)), go("other", 1.0))
    fleet.run(29.0)
    assert fleet.state("job") is JobState.QUEUED
    fleet.run(2.0)
    assert fleet.report("job").reason == "NO_ROBOT"
    why = "no robot that may was able for 30 s (robot 2: takes no tasks, see `thymio-fleet status`)"
    assert fleet.report("job").detail == why
    assert fleet.state("other") is JobState.SUCCEEDED


def test_a_job_that_no_robot_can_perform_ends_at_once_with_the_reason(fleet: DispatchedFleet) -> None:
    fleet.robots.robots[1].refusal = Explanation(Reason.UNREACHABLE, "a wall is in the way")
    fleet.submit(go("job", 0.5))
    fleet.run(0.5)
    assert (fleet.state("job"), fleet.report("job").reason) == (JobState.ABORTED, "UNREACHABLE")


def test_a_robot_that_refuses_costs_no_attempt(fleet: DispatchedFleet) -> None:
    fleet.robots.robots[1].refusal = Explanation(Reason.BUSY, "a client was faster")
    fleet.submit(go("job", 0.5))
    fleet.run_until_over()
    assert fleet.state("job") is JobState.SUCCEEDED
    assert fleet.report("job").robot_id == 2


def test_a_late_job_is_aborted_only_if_configured(fleet: DispatchedFleet) -> None:
    deadline_ns = fleet.now.ros_ns + 5_000_000_000
    fleet.submit(
        go("strict", 10.0, deadline_ns=deadline_ns, is_aborted_late=True), go("late", 10.0, deadline_ns=deadline_ns)
    )
    fleet.run_until_over()
    assert fleet.report("strict").reason == "DEADLINE_MISSED"
    assert fleet.state("late") is JobState.SUCCEEDED


# Restart


def test_a_drive_starts_again_after_a_restart(fleet: DispatchedFleet) -> None:
    fleet.submit(go("running", 3.0), go("held", 1.0), go("next", 3.0, after=("running",)))
    fleet.dispatcher.hold("held", fleet.now)
    fleet.run(1.0)
    fleet.restart()
    fleet.run(1.0)
    assert fleet.state("held") is JobState.HELD
    assert fleet.report("running").attempts == 2
    fleet.dispatcher.release("held", fleet.now)
    fleet.run_until_over()
    assert {report.state for report in fleet.reports()} == {JobState.SUCCEEDED}


def test_a_loaded_transport_goes_on_with_the_same_robot(fleet: DispatchedFleet) -> None:
    fleet.submit(carry("job", 0.6, 9.0))
    fleet.run(25.0)
    robot_id = fleet.report("job").robot_id
    fleet.restart()
    fleet.run(1.0)
    task = fleet.robots.robots[robot_id].task
    assert task is not None
    assert task.task_id == "job#2"
    assert [type(leg).__name__ for leg in task.legs] == ["DriveLeg", "DwellLeg"]
    fleet.run_until_over()
    assert fleet.state("job") is JobState.SUCCEEDED


def test_a_transport_in_the_middle_of_loading_is_held_and_says_so(fleet: DispatchedFleet) -> None:
    fleet.submit(carry("job", 0.6, 9.0))
    while fleet.robots.robots[1].leg != 1:
        fleet.tick()
    fleet.tick()
    fleet.restart()
    fleet.run(5.0)
    report = fleet.report("job")
    assert (report.state, report.reason) == (JobState.HELD, "HELD_AT_RESTART")
    assert fleet.dispatcher.release("job", fleet.now) is None
    fleet.run_until_over()
    assert fleet.state("job") is JobState.SUCCEEDED


@pytest.mark.parametrize(("legs_begun", "reason"), [(0, ""), (1, "HELD_AT_RESTART"), (2, ""), (3, "HELD_AT_RESTART")])
def test_a_job_is_decided_by_the_leg_in_which_its_task_ended(
    fleet: DispatchedFleet, legs_begun: int, reason: str
) -> None:
    """Its driver noticed the death of the dispatcher before, which had not written that leg."""
    fleet.submit(carry("job", 0.6, 3.0, robots=(1,)))
    fleet.tick()
    fleet.tick()
    while fleet.robots.robots[1].leg < legs_begun:
        fleet.robots.advance(TICK_S)
    fleet.abort(1, Reason.CLIENT_LOST)
    fleet.tick()
    assert fleet.report("job").reason == reason
    if reason:
        assert fleet.dispatcher.release("job", fleet.now) is None
    fleet.run(1.0)
    task = fleet.robots.robots[1].task
    assert task is not None
    assert len(task.legs) == (2 if legs_begun >= 2 else 4)


def test_a_leg_reported_late_changes_nothing_in_the_book(fleet: DispatchedFleet) -> None:
    fleet.submit(carry("job", 0.6, 9.0, robots=(1,)))
    robot = fleet.robots.robots[1]
    while robot.leg != 1:
        fleet.tick()
    fleet.dispatcher = type(fleet.dispatcher)(fleet.config, fleet.robots, fleet.book, fleet.now)
    robot.leg, robot.leg_left_s = 0, 100.0  # as its driver, which is dead by now, told before
    fleet.run(1.0)
    fleet.restart()
    assert fleet.report("job").reason == "HELD_AT_RESTART"


def test_a_canceled_job_stays_canceled_if_the_driver_dies_before_its_robot_stops(fleet: DispatchedFleet) -> None:
    fleet.submit(go("job", 3.0))
    fleet.run(1.0)
    fleet.dispatcher.cancel("job", fleet.now)
    fleet.restart()
    fleet.run(1.0)
    assert fleet.state("job") is JobState.CANCELED


def test_the_end_of_a_driver_fails_no_job(fleet: DispatchedFleet) -> None:
    fleet.submit(go("job", 3.0))
    fleet.run(1.0)
    fleet.abort(fleet.report("job").robot_id, Reason.SHUTDOWN)
    fleet.tick()
    fleet.restart()
    fleet.run_until_over()
    assert fleet.state("job") is JobState.SUCCEEDED


def test_jobs_without_places_are_performed(fleet: DispatchedFleet) -> None:
    fleet.submit(Job("home", Work(TaskKind.GO_HOME), robots=(3,)))
    fleet.run_until_over()
    assert fleet.robots.robots[3].given == ["home"]


def test_estimates_commit_to_nothing_and_are_about_right(fleet: DispatchedFleet) -> None:
    assert finished(fleet.dispatcher.estimate_s([carry("job", 0.5, 1.5)], fleet.now)) == [
        pytest.approx(15.0 + 10.0 + 4.0, abs=0.5)
    ]
    assert fleet.dispatcher.report("job", fleet.now) is None


def test_estimates_account_for_waiting_messages(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1))
    alone_s = finished(fleet.dispatcher.estimate_s([go("more", 1.0)], fleet.now))[0]
    fleet.submit(*(go(f"job {number}", 3.0) for number in range(4)))
    fleet.run(0.5)
    assert finished(fleet.dispatcher.estimate_s([go("more", 1.0)], fleet.now))[0] > alone_s + 10.0
    assert finished(fleet.dispatcher.estimate_s([go("other", 1.0, robots=(1,), priority=9)], fleet.now))[0] < 60.0


@pytest.mark.slow
def test_a_hundred_jobs_are_planned_in_bounded_steps_and_all_end(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 4, ", budget_steps: 2000"))
    fleet.submit(*(go(f"job {number}", 0.5 + 0.05 * (number % 200)) for number in range(100)))
    fleet.run_until_over(20_000.0)
    assert len({task_id for robot in fleet.robots.robots.values() for task_id in robot.given}) == 100


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (PathWish("triangle"), Reason.BAD_PATH),
        (PathWish("waypoints_m: [[0, 0], [1, 0]]", laps=3), Reason.BAD_PATH),
        (PathWish("circle", speed_mps=float("nan")), Reason.BAD_SPEED),
        (PathWish("circle", relative_to="moon"), Reason.BAD_PATH),
    ],
)
def test_a_path_that_cannot_be_read_is_refused_at_once(fleet: DispatchedFleet, path: PathWish, reason: Reason) -> None:
    refused = fleet.dispatcher.submit([Job("job", Work(TaskKind.FOLLOW_PATH, path=path))], fleet.now)[0]
    assert refused is not None
    assert refused.reason is reason


def test_a_path_is_followed(fleet: DispatchedFleet) -> None:
    fleet.submit(Job("job", Work(TaskKind.FOLLOW_PATH, path=PathWish("circle", relative_to="map")), robots=(2,)))
    fleet.run(1.0)
    task = fleet.robots.robots[2].task
    assert task is not None
    assert task.path_name == "circle"


def test_job_that_will_miss_its_deadline_says_so(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1))
    fleet.submit(go("first", 4.0))
    fleet.run(1.0)
    fleet.submit(go("late", 2.0, deadline_ns=fleet.now.ros_ns + 10_000_000_000))
    fleet.run(1.0)
    assert re.fullmatch(r"late: by the plan it ends \d+ s after its deadline", fleet.report("late").detail)
    assert fleet.report("first").detail == ""


def fleet_whose_second_robot_must_wait(folder: Path) -> DispatchedFleet:
    """Return a fleet of two: the first robot has three jobs, the second one a job whose first place is taken."""
    fleet = DispatchedFleet(fleet_of(folder, 2), tick_s=0.25)
    fleet.submit(carry("first", 0.5, 9.0, robots=(1,)))
    fleet.run(1.0)
    fleet.submit(
        carry("behind it", 0.5, 3.0, robots=(2,)),
        *(carry(f"other {number}", 8.0 + number, 4.0 + number, robots=(1,)) for number in range(2)),
    )
    fleet.run(1.0)
    assert fleet.report("behind it").state is JobState.ASSIGNED
    return fleet


def test_a_robot_whose_jobs_must_wait_performs_a_later_job_of_another_robot(tmp_path: Path) -> None:
    fleet = fleet_whose_second_robot_must_wait(tmp_path)
    for number in range(2):
        fleet.dispatcher.change(f"other {number}", fleet.now, robots=())
    fleet.run(2.0)
    assert {fleet.report(f"other {number}").robot_id for number in range(2)} == {1, 2}
    assert fleet.report("behind it").state is not JobState.EXECUTING


def test_a_robot_that_failed_a_job_takes_no_later_job_from_another_robot(tmp_path: Path) -> None:
    fleet = fleet_whose_second_robot_must_wait(tmp_path)
    for number in range(2):
        record = fleet.dispatcher._table.open_record(f"other {number}")
        assert record is not None
        record.failures.append((2, Explanation(Reason.NO_PROGRESS, "it was stuck")))
        fleet.dispatcher.change(f"other {number}", fleet.now, robots=())
    fleet.run(2.0)
    assert all(fleet.report(f"other {number}").robot_id != 2 for number in range(2))


def test_a_robot_takes_no_later_job_that_is_far_less_urgent_than_its_own(tmp_path: Path) -> None:
    fleet = fleet_whose_second_robot_must_wait(tmp_path)
    fleet.dispatcher.change("behind it", fleet.now, priority=9)
    for number in range(2):
        fleet.dispatcher.change(f"other {number}", fleet.now, robots=())
    fleet.run(2.0)
    assert all(fleet.report(f"other {number}").robot_id != 2 for number in range(2))
