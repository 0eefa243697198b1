"""A dispatcher with scripted robots and a book, and a clock that tests advance."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fleet.books.memory_book import MemoryBook
from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.book import Book
from fleet.dispatch.records.job import Job, JobState
from fleet.geometry import Pose2D
from fleet.reason import Reason
from fleet.robots.robot_status import TaskOutcome
from fleet.settings.config import FleetConfig
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work
from harness.dispatch.scripted_robots import ScriptedRobots
from harness.fleets import read
from thymio_base.instant import Instant

TICK_S = 0.05
START_NS = 1_700_000_000_000_000_000


def fleet_of(folder: Path, count: int, settings: str = "", stations: Sequence[str] = ()) -> FleetConfig:
    """Return the configuration of that many robots, whose homes are half a metre apart along y = 0.5."""
    robots = "\n".join(
        f"- {{id: {number}, node_id: {number}, home: {{x_m: {0.5 * number}, y_m: 0.5}}}}"
        for number in range(1, count + 1)
    )
    arena = "arena: {x_min_m: 0, y_min_m: 0, x_max_m: 12, y_max_m: 4}"
    places = "\n".join(["stations:", *stations]) if stations else ""
    return read(folder, f"{arena}\ndispatch: {{enabled: true{settings}}}\nrobots:\n{robots}\n{places}\n")


def at(x_m: float, y_m: float = 2.0) -> Place:
    return Place(Pose2D(x_m, y_m, 0.0))


def go(job_id: str, x_m: float, **terms: object) -> Job:
    """Return a job to drive to (x, 2)."""
    return replace(Job(job_id, Work(TaskKind.GO_TO, (at(x_m),))), **terms)  # type: ignore[arg-type]


def carry(job_id: str, from_x_m: float, to_x_m: float, **terms: object) -> Job:
    """Return a job to carry something from (x, 2) to (x, 2)."""
    return replace(Job(job_id, Work(TaskKind.TRANSPORT, (at(from_x_m), at(to_x_m)))), **terms)  # type: ignore[arg-type]


class DispatchedFleet:
    """The fleet; `outcomes` are those that the next tick tells."""

    def __init__(self, config: FleetConfig, book: Book | None = None, tick_s: float = TICK_S) -> None:
        self.config = config
        self.tick_s = tick_s
        self.book: Book = book or MemoryBook()
        self.robots = ScriptedRobots({robot.id: robot.home for robot in config.robots})
        self.now = Instant(0, START_NS)
        self.outcomes: list[TaskOutcome] = []
        self.dispatcher = Dispatcher(config, self.robots, self.book, self.now)

    def submit(self, *jobs: Job) -> None:
        """Submit jobs, which must be accepted."""
        assert self.dispatcher.submit(jobs, self.now) == [None] * len(jobs)

    def tick(self) -> None:
        """Let a tick pass."""
        step_ns = round(self.tick_s * 1e9)
        self.now = Instant(self.now.core_ns + step_ns, self.now.ros_ns + step_ns)
        outcomes = [*self.outcomes, *self.robots.advance(self.tick_s)]
        self.outcomes = []
        self.dispatcher.advance(outcomes, self.now)

    def run(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(math.ceil(seconds / self.tick_s)):
            self.tick()

    def run_until_over(self, limit_s: float = 2_000.0) -> None:
        """Let time pass until every job has ended."""
        for _ in range(math.ceil(limit_s / self.tick_s)):
            if not self.open_ids():
                return
            self.tick()
        raise AssertionError(f"not over: {self.reports()}")

    def abort(self, robot_id: int, reason: Reason) -> None:
        """End a robot's task for a reason, at the next tick."""
        self.outcomes.append(self.robots.abort(robot_id, reason))

    def restart(self) -> None:
        """Kill the driver, and start the next one with the same book: robots stand, and perform nothing."""
        for robot in self.robots.robots.values():
            robot.task, robot.leg, robot.last_outcome = None, 0, None
        self.dispatcher = Dispatcher(self.config, self.robots, self.book, self.now)

    def report(self, job_id: str) -> JobReport:
        """Return a job."""
        report = self.dispatcher.report(job_id, self.now)
        assert report is not None, f"there is no job {job_id}"
        return report

    def state(self, job_id: str) -> JobState:
        """Return the state of a job."""
        return self.report(job_id).state

    def reports(self) -> Sequence[JobReport]:
        """Return all jobs that are shown."""
        return self.dispatcher.reports(self.now)

    def open_ids(self) -> list[str]:
        """Return the jobs that have not ended."""
        return [report.job_id for report in self.reports() if not report.ended_ns]
