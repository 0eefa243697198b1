"""What nobody could perform is refused, or ends with its reason; it holds up nobody else."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleet.books.sqlite_book import SqliteBook
from fleet.dispatch.records.job import Job, JobState
from fleet.dispatch.records.job_record import JobRecord
from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import PathWish, Work
from harness.dispatch.dispatched_fleet import DispatchedFleet, carry, fleet_of, go


@pytest.fixture
def fleet(tmp_path: Path) -> DispatchedFleet:
    return DispatchedFleet(fleet_of(tmp_path, 3))


def refusal(fleet: DispatchedFleet, job: Job) -> str:
    why = fleet.dispatcher.submit([job], fleet.now)[0]
    assert why is not None
    return str(why)


def follow(job_id: str, text: str, **wishes: object) -> Job:
    return Job(job_id, Work(TaskKind.FOLLOW_PATH, path=PathWish(text, **wishes)))  # type: ignore[arg-type]


def test_a_path_of_too_many_laps_is_refused_at_submission(fleet: DispatchedFleet) -> None:
    assert refusal(fleet, follow("j", "{shape: circle, size_m: 0.3}", laps=2_000_000)).startswith("BAD_PATH: 2000000")
    assert refusal(fleet, follow("j", "eight", speed_mps=1e-9)).startswith("BAD_SPEED: speed_mps is 1e-09, at least")


def test_a_job_of_an_old_book_that_cannot_be_performed_ends_with_its_reason(tmp_path: Path) -> None:
    jobs = [
        follow("laps", "{shape: circle, size_m: 0.3}", laps=2_000_000),
        follow("slow", "eight", speed_mps=1e-9),
        follow("text", "shape: squa re"),
        Job("pathless", Work(TaskKind.FOLLOW_PATH)),
        Job("placeless", Work(TaskKind.TRANSPORT, carry("", 1.0, 2.0).work.places[:1])),
        go("good", 1.0),
    ]
    book = SqliteBook(tmp_path / "jobs.sqlite")
    book.write([JobRecord(job, number, number) for number, job in enumerate(jobs, start=1)])
    book.close()
    old = DispatchedFleet(fleet_of(tmp_path, 3), SqliteBook(tmp_path / "jobs.sqlite"))
    old.run_until_over(60.0)
    ends = {report.job_id: (report.state, report.reason) for report in old.reports()}
    assert ends == {
        "laps": (JobState.ABORTED, "BAD_PATH"),
        "slow": (JobState.ABORTED, "BAD_SPEED"),
        "text": (JobState.ABORTED, "BAD_PATH"),
        "pathless": (JobState.ABORTED, "BAD_JOB"),
        "placeless": (JobState.ABORTED, "BAD_JOB"),
        "good": (JobState.SUCCEEDED, ""),
    }
    old.dispatcher.close()


def test_a_job_to_a_place_that_no_robot_can_reach_is_refused(fleet: DispatchedFleet) -> None:
    fleet.robots.wall_x_m = 5.0
    fleet.tick()
    text = "UNREACHABLE: walls or keep-out areas of `floor` leave no way to (8.000, 2.000) for any robot"
    assert refusal(fleet, go("beyond", 8.0)).startswith(text)
    assert refusal(fleet, carry("from", 8.0, 1.0)).startswith(text)
    assert refusal(fleet, carry("to", 1.0, 8.0)).startswith(text)
    fleet.submit(go("here", 4.0))


def test_a_job_that_only_some_robots_can_reach_goes_to_one_of_them(fleet: DispatchedFleet) -> None:
    fleet.robots.wall_x_m = 5.0
    fleet.robots.robots[2].pose = Pose2D(11.0, 2.0, 0.0)
    fleet.tick()
    assert "for robots 1 and 3" in refusal(fleet, go("others", 8.0, robots=(1, 3)))
    fleet.submit(*(go(f"beyond {number}", 7.0 + number) for number in range(4)), go("here", 1.0))
    fleet.run_until_over()
    assert {report.state for report in fleet.reports()} == {JobState.SUCCEEDED}
    assert len(fleet.robots.robots[2].given) == 4


def test_a_job_that_becomes_unreachable_ends_with_that_reason(fleet: DispatchedFleet) -> None:
    fleet.submit(go("beyond", 8.0), go("here", 2.0))  # no pose is known before the first tick
    fleet.robots.wall_x_m = 5.0
    fleet.run_until_over(60.0)
    assert (fleet.state("beyond"), fleet.report("beyond").reason) == (JobState.ABORTED, "UNREACHABLE")
    assert fleet.state("here") is JobState.SUCCEEDED


def test_a_robot_that_is_not_able_now_may_reach_a_place_later(fleet: DispatchedFleet) -> None:
    fleet.robots.wall_x_m = 5.0
    fleet.robots.robots[2].pose = Pose2D(11.0, 2.0, 0.0)
    fleet.robots.robots[2].is_able = False
    fleet.submit(go("beyond", 8.0))
    fleet.run(20.0)
    assert fleet.state("beyond") is JobState.QUEUED
    fleet.robots.robots[2].is_able = True
    fleet.run_until_over()
    assert fleet.state("beyond") is JobState.SUCCEEDED


def test_a_transport_needs_two_places(fleet: DispatchedFleet) -> None:
    assert refusal(fleet, carry("there", 2.0, 2.0)).startswith("BAD_JOB: from and to are the same place, (2.00, 2.00)")


@pytest.mark.parametrize(("job_id", "reason"), [("", "EMPTY_ID"), ("  ", "EMPTY_ID"), (" a", "BAD_ID")])
def test_job_ids_of_blanks_are_refused(job_id: str, reason: str, fleet: DispatchedFleet) -> None:
    assert refusal(fleet, go(job_id, 1.0)).startswith(f"{reason}: ")


def test_long_lists_of_jobs_to_wait_for_are_refused(fleet: DispatchedFleet) -> None:
    jobs = [go(f"job {number}", 1.0) for number in range(21)]
    last = go("last", 1.0, after=tuple(job.job_id for job in jobs))
    why = fleet.dispatcher.submit([*jobs, last], fleet.now)[-1]
    assert why is not None
    assert str(why).startswith("BAD_JOB: after has 21 jobs, at most 20")


def test_long_lists_and_names_are_refused_in_short_sentences(fleet: DispatchedFleet) -> None:
    assert refusal(fleet, go("a", 1.0, robots=(1, 2) * 1000)).startswith(
        "BAD_JOB: robots has 2000 entries; robots 1 to"
    )
    assert len(refusal(fleet, go("a", 1.0, after=("x" * 100_000,)))) < 300
    assert len(refusal(fleet, follow("a", "eight", relative_to="x" * 100_000))) < 300


def test_a_chain_of_jobs_in_any_order_is_accepted_and_a_ring_is_not(fleet: DispatchedFleet) -> None:
    chain = [go(f"{number}", 1.0, after=(f"{number + 1}",) if number < 199 else ()) for number in range(200)]
    assert not any(fleet.dispatcher.objections(chain))
    ring = [*chain[:-1], replace(chain[-1], after=("0",))]
    assert all("waits for itself" in str(why) for why in fleet.dispatcher.objections(ring))


def test_a_deadline_long_ago_or_far_ahead_does_not_keep_a_job_from_being_performed(fleet: DispatchedFleet) -> None:
    fleet.submit(go("late", 1.0, deadline_ns=1, priority=9), go("early", 1.0, deadline_ns=2**62))
    fleet.run_until_over()
    assert {report.state for report in fleet.reports()} == {JobState.SUCCEEDED}


@pytest.mark.fenced
@pytest.mark.parametrize("job_id", ["planned", "given"])
def test_a_job_that_raises_an_exception_ends_and_the_others_continue(job_id: str, fleet: DispatchedFleet) -> None:
    fleet.robots.faulty_x_m = 3.0
    fleet.submit(go("before", 1.0))
    fleet.submit(carry("planned", 3.0, 1.0) if job_id == "planned" else go("given", 3.0), go("after", 2.0))
    fleet.run_until_over(60.0)
    assert (fleet.state(job_id), fleet.report(job_id).reason) == (JobState.ABORTED, "INTERNAL")
    assert {fleet.state("before"), fleet.state("after")} == {JobState.SUCCEEDED}
