"""A dispatcher that takes a book over decides about attempts of the one before it, once it knows about their robots."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleet.books.memory_book import MemoryBook
from fleet.dispatch.records.inheritance import Inheritance
from fleet.dispatch.records.job import Job, JobState
from fleet.dispatch.records.job_record import LOAD_LEG, UNLOAD_LEG, Hold, JobRecord
from fleet.dispatch.records.job_table import JobTable
from fleet.geometry import Pose2D
from fleet.robots.readiness import Readiness
from fleet.robots.robot_status import TaskOutcome
from fleet.tasks.task import TaskState
from fleet.tasks.task_kind import TaskKind
from harness.dispatch.dispatched_fleet import DispatchedFleet, carry, fleet_of, go
from thymio_base.instant import Instant

NOTHING = Instant(0, 0)
POSE = Pose2D(1.0, 1.0, 0.0)
OWN = Readiness(robot_id=1, home=POSE, pose=POSE, is_able=True)
ELSEWHERE = replace(OWN, is_elsewhere=True)
SUCCEEDED = TaskOutcome(1, "job", TaskKind.GO_TO, TaskState.SUCCEEDED, None)


def inherited(job: Job, leg: int = 0, *, may_go_on: bool = True) -> tuple[Inheritance, JobRecord]:
    """Return an inheritance of one attempt of robot 1, and its record."""
    record = JobRecord(job, 1, 0)
    record.begin(1, 0)
    record.note_leg(leg)
    book = MemoryBook()
    book.write([record])
    table = JobTable(book, 300.0)
    found = table.open_record(job.job_id)
    assert found is not None
    return Inheritance(table, NOTHING, may_go_on), found


def at_s(seconds: float) -> Instant:
    return Instant(round(seconds * 1e9), round(seconds * 1e9))


def test_an_attempt_that_its_robot_still_performs_goes_on() -> None:
    inheritance, record = inherited(go("job", 2.0))
    assert inheritance.resolve([replace(ELSEWHERE, task_id="job")], at_s(100.0)) == []
    assert record.attempt is not None


@pytest.mark.parametrize(("robots", "after_s"), [([ELSEWHERE], 4.1), ([], 10.1)])
def test_an_attempt_that_was_never_reported_is_started_again(robots: list[Readiness], after_s: float) -> None:
    inheritance, record = inherited(go("job", 2.0))
    inheritance.resolve([replace(ELSEWHERE, task_id="job")], at_s(100.0))
    inheritance.resolve(robots, at_s(100.0 + after_s - 0.2))
    assert record.attempt is not None
    inheritance.resolve(robots, at_s(100.0 + after_s))
    assert record.attempt is None


def test_an_attempt_that_ended_meanwhile_ends_as_its_driver_reports() -> None:
    inheritance, _ = inherited(go("job", 2.0))
    assert inheritance.resolve([replace(ELSEWHERE, last_outcome=SUCCEEDED)], at_s(0.1)) == [SUCCEEDED]
    assert inheritance.resolve([replace(ELSEWHERE, last_outcome=SUCCEEDED)], at_s(9.0)) == []


@pytest.mark.parametrize(
    ("robot", "may_go_on", "kept_s", "ended_s"),
    [
        (OWN, False, None, 0.0),  # the driver before has died, and its robots are ours
        (OWN, True, 3.9, 4.1),  # it may still give a task that it has written
        (ELSEWHERE, False, 3.9, 4.1),  # the robot's driver reports once a second
        (replace(OWN, is_served=False), False, 9.9, 10.1),  # its driver may be found yet
        (None, True, 9.9, 10.1),
    ],
)
def test_an_attempt_of_a_stationary_robot_is_started_again(
    robot: Readiness | None, may_go_on: bool, kept_s: float | None, ended_s: float
) -> None:
    robots = [] if robot is None else [robot]
    inheritance, record = inherited(carry("job", 1.0, 2.0), may_go_on=may_go_on)
    if kept_s is not None:
        inheritance.resolve(robots, at_s(kept_s))
        assert record.attempt is not None
    inheritance.resolve(robots, at_s(ended_s))
    assert (record.attempt, record.hold) == (None, Hold.NONE)


@pytest.mark.parametrize("leg", [LOAD_LEG, UNLOAD_LEG])
def test_a_job_whose_robot_was_handling_its_load_is_held(leg: int) -> None:
    inheritance, record = inherited(carry("job", 1.0, 2.0), leg, may_go_on=False)
    inheritance.resolve([OWN], at_s(0.0))
    assert (record.attempt, record.hold) == (None, Hold.RESTART)


def test_a_load_stays_on_its_robot() -> None:
    inheritance, record = inherited(carry("job", 1.0, 2.0), LOAD_LEG + 1, may_go_on=False)
    inheritance.resolve([OWN], at_s(0.0))
    assert (record.attempt, record.hold, record.loaded_robot) == (None, Hold.NONE, 1)


def test_a_job_that_was_being_canceled_is_canceled() -> None:
    inheritance, record = inherited(go("job", 2.0), may_go_on=False)
    record.is_canceling = True
    inheritance.resolve([OWN], at_s(0.0))
    assert record.end is not None
    assert record.end.state is JobState.CANCELED


def test_a_dispatcher_goes_on_with_a_task_that_the_one_before_has_given(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1))
    fleet.submit(carry("job", 1.0, 2.0))
    fleet.run(1.0)
    assert fleet.robots.robots[1].task is not None
    fleet.dispatcher = type(fleet.dispatcher)(fleet.config, fleet.robots, fleet.book, fleet.now)
    fleet.run_until_over()
    assert (fleet.state("job"), fleet.report("job").attempts) == (JobState.SUCCEEDED, 1)
