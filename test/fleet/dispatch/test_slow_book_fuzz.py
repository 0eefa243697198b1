"""With a book that is slow, fails or crashes, no accepted job is lost, and no task is given behind its back."""

from pathlib import Path
from random import Random

import pytest

from fleet.dispatch.records.job import JobState
from fleet.reason import Explanation
from harness.budgets import examples
from harness.dispatch.dispatched_fleet import DispatchedFleet, carry, fleet_of, go
from harness.dispatch.slow_book import SlowBook


class SlowFuzz:
    """Random submissions, cancels, writes, failures and crashes; `accepted` are the jobs that were answered so."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = Random(seed)
        self.book = SlowBook()
        self.fleet = DispatchedFleet(fleet_of(folder, 3), self.book)
        self.accepted: set[str] = set()
        self.number = 0

    def act(self) -> None:
        """Do something, and check what must hold."""
        self.random.choice([self.submit, self.submit, self.cancel, self.keep, self.keep, self.break_book, self.crash])()
        for _ in range(self.random.choice([1, 1, 20, 100])):
            self.tick()

    def tick(self) -> None:
        """Let a tick pass; no robot may get a task that would not be in the book after a crash."""
        before = {robot.robot_id: len(robot.given) for robot in self.fleet.robots.robots.values()}
        self.fleet.tick()
        for robot in self.fleet.robots.robots.values():
            for task_id in robot.given[before[robot.robot_id] :]:
                record = self.book.kept.find(task_id.partition("#")[0])
                assert record is not None
                assert record.attempt is not None
                assert record.attempt.task_id == task_id

    def submit(self) -> None:
        self.number += 1
        job_id, x_m = f"job {self.number}", 0.5 * self.random.randint(1, 20)
        job = go(job_id, x_m) if self.random.random() < 0.5 else carry(job_id, x_m, 0.6)
        if self.fleet.dispatcher.submit([job], self.fleet.now) == [None]:
            self.fleet.dispatcher.when_kept(lambda why: self.note(job_id, why))

    def note(self, job_id: str, why: Explanation | None) -> None:
        if why is None:
            self.accepted.add(job_id)

    def cancel(self) -> None:
        if self.accepted:
            self.fleet.dispatcher.cancel(self.random.choice(sorted(self.accepted)), self.fleet.now)

    def keep(self) -> None:
        self.book.is_slow = self.random.random() < 0.5
        self.book.trouble = ""
        self.book.keep_writes()

    def break_book(self) -> None:
        self.book.trouble = "the server is gone"

    def crash(self) -> None:
        """Kill the driver: the next one finds what was kept, and the robots stand."""
        kept = self.book.kept
        self.book = SlowBook()
        self.book.kept = kept
        records = [*kept.open_records(), *reversed(kept.ended_records(1_000))]
        self.book.is_slow = False
        self.book.write(records, duties=kept.duties())
        self.fleet.book = self.book
        self.fleet.restart()
        self.check_known()

    def check_known(self) -> None:
        for job_id in self.accepted:
            assert self.fleet.dispatcher.report(job_id, self.fleet.now) is not None, job_id

    def finish(self) -> None:
        """Let everything end; jobs that were held at a restart are released."""
        self.book.is_slow, self.book.trouble = False, ""
        self.book.keep_writes()
        for _ in range(200):
            for report in self.fleet.reports():
                if report.state is JobState.HELD:
                    self.fleet.dispatcher.release(report.job_id, self.fleet.now)
            self.fleet.run(20.0)
            if not self.fleet.open_ids():
                break
        self.check_known()
        ends = {self.fleet.state(job_id) for job_id in self.accepted}
        assert ends <= {JobState.SUCCEEDED, JobState.CANCELED}
        assert {job_id for job_id in self.accepted if self.book.kept.find(job_id) is None} == set()


@pytest.mark.parametrize("seed", range(examples(6)))
def test_nothing_is_lost_or_given_unwritten_whatever_the_book_does(tmp_path: Path, seed: int) -> None:
    fuzz = SlowFuzz(tmp_path, seed)
    for _ in range(60):
        fuzz.act()
    assert fuzz.accepted
    fuzz.finish()
