"""With a book that takes its time, nothing is accepted and nothing is given before it is kept."""

from pathlib import Path

import pytest

from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.records.job import Duty, JobState
from fleet.reason import Explanation, Reason
from harness.dispatch.dispatched_fleet import DispatchedFleet, carry, fleet_of, go
from harness.dispatch.slow_book import SlowBook

TROUBLE = "the server is gone"


@pytest.fixture
def book() -> SlowBook:
    return SlowBook()


@pytest.fixture
def fleet(tmp_path: Path, book: SlowBook) -> DispatchedFleet:
    return DispatchedFleet(fleet_of(tmp_path, 2), book)


def answers_of(dispatcher: Dispatcher) -> list[Explanation | None]:
    """Return a list to which the answer is added once everything so far is kept."""
    answers: list[Explanation | None] = []
    dispatcher.when_kept(answers.append)
    return answers


def submitted(fleet: DispatchedFleet, *job_ids: str) -> None:
    """Submit jobs to robot 1, and let them be kept."""
    fleet.submit(*(go(job_id, 3.0, robots=(1,)) for job_id in job_ids))
    kept(fleet)


def kept(fleet: DispatchedFleet) -> None:
    """Let what was written be kept, and the dispatcher note that."""
    assert isinstance(fleet.book, SlowBook)
    fleet.book.keep_writes()
    fleet.tick()


def test_a_submission_is_answered_once_it_is_kept(fleet: DispatchedFleet, book: SlowBook) -> None:
    fleet.submit(go("job", 1.0))
    answers = answers_of(fleet.dispatcher)
    fleet.run(1.0)
    assert answers == []
    kept(fleet)
    assert answers == [None]
    assert [record.job_id for record in book.kept.open_records()] == ["job"]


def test_a_robot_gets_a_task_once_its_attempt_is_kept(fleet: DispatchedFleet, book: SlowBook) -> None:
    submitted(fleet, "job")
    fleet.run(1.0)
    assert fleet.robots.robots[1].given == []
    kept(fleet)
    assert fleet.robots.robots[1].given == ["job"]
    record = book.kept.find("job")
    assert record is not None
    assert record.attempt is not None


def test_an_attempt_stored_too_late_is_planned_again_instead_of_given(fleet: DispatchedFleet, book: SlowBook) -> None:
    submitted(fleet, "job")
    fleet.run(3.0)  # another dispatcher may have the book by now
    kept(fleet)
    assert fleet.robots.robots[1].given == []
    book.is_slow = False
    book.keep_writes()
    fleet.run_until_over()
    assert fleet.robots.robots[1].given == ["job"]
    assert fleet.state("job") is JobState.SUCCEEDED


def test_an_attempt_that_cannot_be_kept_is_not_given(fleet: DispatchedFleet, book: SlowBook) -> None:
    submitted(fleet, "job")
    fleet.run(0.2)
    book.trouble = TROUBLE
    fleet.run(5.0)
    assert fleet.robots.robots[1].given == []
    assert fleet.dispatcher.trouble == TROUBLE
    book.trouble, book.is_slow = "", False
    fleet.run_until_over()
    assert (fleet.dispatcher.trouble, fleet.report("job").attempts) == ("", 1)


def test_robots_on_their_way_finish_while_the_book_cannot_be_written(fleet: DispatchedFleet, book: SlowBook) -> None:
    book.is_slow = False
    fleet.submit(go("first", 2.0, robots=(1,)), go("second", 3.0, robots=(1,), after=("first",)))
    fleet.run(1.0)
    book.trouble = TROUBLE
    fleet.run(60.0)
    assert fleet.robots.robots[1].task is None
    assert fleet.robots.robots[1].given == ["first"]
    book.trouble = ""
    fleet.run_until_over()
    assert {record.job_id for record in book.kept.ended_records(9)} == {"first", "second"}


def test_a_refused_job_is_deleted_even_if_the_book_has_kept_it(fleet: DispatchedFleet, book: SlowBook) -> None:
    fleet.submit(go("job", 1.0))
    answers = answers_of(fleet.dispatcher)
    book.keep_writes()  # and then the connection is lost
    book.trouble = TROUBLE
    fleet.tick()
    assert answers == [Explanation(Reason.BOOK, TROUBLE)]
    assert fleet.dispatcher.report("job", fleet.now) is None
    book.trouble, book.is_slow = "", False
    fleet.run(1.0)
    assert book.kept.find("job") is None
    fleet.submit(go("job", 1.0))
    fleet.run_until_over()
    assert book.kept.find("job") is not None


def test_the_same_submission_again_while_it_is_written_is_one_job(fleet: DispatchedFleet, book: SlowBook) -> None:
    answers = []
    for _ in range(5):
        fleet.submit(go("job", 1.0))
        answers.append(answers_of(fleet.dispatcher))
    kept(fleet)
    assert answers == [[None]] * 5
    assert [record.number for record in book.kept.open_records()] == [1]


@pytest.mark.parametrize(("change", "state"), [("cancel", JobState.CANCELED), ("hold", JobState.HELD)])
def test_a_job_that_is_taken_back_before_its_attempt_is_kept_is_not_given(
    fleet: DispatchedFleet, book: SlowBook, change: str, state: JobState
) -> None:
    submitted(fleet, "job")
    fleet.run(0.2)
    assert getattr(fleet.dispatcher, change)("job", fleet.now) is None
    book.is_slow = False
    book.keep_writes()
    fleet.run(1.0)
    assert fleet.robots.robots[1].given == []
    assert fleet.state("job") is state


def test_changes_during_a_write_go_into_the_next_one(fleet: DispatchedFleet, book: SlowBook) -> None:
    fleet.submit(go("first", 1.0))
    fleet.submit(go("second", 1.0))
    assert fleet.dispatcher.set_duty([1, 2], Duty.OUT, fleet.now) is None
    book.keep_writes()
    assert [record.job_id for record in book.kept.open_records()] == ["first"]
    kept(fleet)
    book.keep_writes()
    assert [record.job_id for record in book.kept.open_records()] == ["first", "second"]
    assert dict(book.kept.duties()) == {1: Duty.OUT, 2: Duty.OUT}


def test_robots_that_carry_nothing_stop_after_their_driver_stood_still(fleet: DispatchedFleet, book: SlowBook) -> None:
    book.is_slow = False
    fleet.submit(carry("loaded", 0.6, 5.0, robots=(1,)), go("driving", 6.0, robots=(2,)))
    fleet.run(20.0)
    book.trouble = TROUBLE
    fleet.tick_s = 5.0
    fleet.tick()
    assert not fleet.robots.robots[1].is_canceling
    assert fleet.robots.robots[2].is_canceling


def test_waiting_clients_are_answered_when_another_dispatcher_has_the_book(fleet: DispatchedFleet) -> None:
    fleet.submit(go("job", 1.0))
    answers = answers_of(fleet.dispatcher)
    fleet.dispatcher.abandon("host b has it")
    assert answers == [Explanation(Reason.BOOK, "host b has it")]
