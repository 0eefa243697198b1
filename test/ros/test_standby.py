"""Two drivers with one book of jobs: one gives jobs, the other one stands by and takes over."""

import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from command_line import run

from bench.instruments.private_postgresql import PrivatePostgresql
from fleet.client.job_client import JobClient
from fleet.commands.processes import Processes, driver_command
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Job, JobState
from fleet.geometry import Pose2D
from fleet.interface.job_messages import job_state_from_ros
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work
from harness.ros.running_fleet import RunningFleet, ready

ENDS = {JobState.SUCCEEDED, JobState.CANCELED, JobState.ABORTED}
SETTINGS = (
    "hosts: {{name: {name}, silent_s: {silent_s}}}\ntasks: {{dwell_s: 1}}\n"
    "dispatch: {{enabled: true, book: '{book}', finishing: stay}}\n"
)
TAKE_OVER_S = 60.0
END_SESSION = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s"


class TwoDrivers:
    """A fleet whose first driver serves the robots, and a second one with the same robots that waits for them."""

    def __init__(self, fleet: RunningFleet, folder: Path, processes: Processes) -> None:
        self.fleet = fleet
        self.client = JobClient(fleet.client.graph)
        self.client.watch()
        config = folder / "second.yaml"
        text = fleet.config.read_text(encoding="utf-8")
        config.write_text(text.replace("name: first", "name: second"), encoding="utf-8")
        with (folder / "second.log").open("wb") as log:
            processes.start("second", driver_command(config), log)
        fleet.wait_for(lambda: self.host == "first" and self.standby == ["second"], "both drivers", TAKE_OVER_S)

    @property
    def host(self) -> str:
        """The host that gives the jobs."""
        return "" if self.client.latest is None else self.client.latest.host

    @property
    def standby(self) -> list[str]:
        return [] if self.client.latest is None else list(self.client.latest.standby)

    def submit(self, *job_ids: str) -> None:
        """Submit transports, each between places of its own, which any robot may perform."""
        self.client.submit([self._job(job_id) for job_id in job_ids])

    def _job(self, job_id: str) -> Job:
        y_m = {"a": 0.4, "b": 1.0, "c": 1.6}[job_id]
        places = tuple(Place(Pose2D(x_m, y_m, 0.0)) for x_m in (0.6, 1.5))
        return Job(job_id, Work(TaskKind.TRANSPORT, places))

    def jobs(self) -> dict[str, JobReport]:
        """Return the jobs of the latest message."""
        jobs = () if self.client.latest is None else self.client.latest.jobs
        return {report.job_id: report for report in map(job_state_from_ros, jobs)}

    def is_in(self, state: JobState) -> bool:
        return any(report.state is state for report in self.jobs().values())

    def wait_for_take_over(self) -> None:
        self.fleet.wait_for(lambda: self.host == "second", "the second driver to give jobs", TAKE_OVER_S)

    def wait_for_ends(self, *job_ids: str) -> list[JobReport]:
        """Return jobs once they have ended; one that is held, because nobody knows where its load is, is released."""

        def have_ended() -> bool:
            jobs = self.jobs()
            held = [job_id for job_id in job_ids if job_id in jobs and jobs[job_id].reason == "HELD_AT_RESTART"]
            if held:
                self.client.latest = None
                self.client.change(held, "release")
            return all(job_id in jobs and jobs[job_id].state in ENDS for job_id in job_ids)

        self.fleet.wait_for(have_ended, "the ends of the jobs", 2 * TAKE_OVER_S)
        return [self.jobs()[job_id] for job_id in job_ids]


def two_drivers(folder: Path, book: str, silent_s: int = 5) -> Iterator[TwoDrivers]:
    for fleet in ready(RunningFleet(folder, SETTINGS.format(name="first", silent_s=silent_s, book=book))):
        with Processes() as processes:
            yield TwoDrivers(fleet, folder, processes)


@pytest.fixture
def on_file(tmp_path: Path) -> Iterator[TwoDrivers]:
    # a driver that is killed on this host is not merely silent
    yield from two_drivers(tmp_path, "sqlite:jobs.sqlite", silent_s=600)


@pytest.fixture
def server() -> Iterator[PrivatePostgresql]:
    with PrivatePostgresql() as server:
        yield server


@pytest.fixture
def on_server(tmp_path: Path, server: PrivatePostgresql) -> Iterator[TwoDrivers]:
    yield from two_drivers(tmp_path, server.source)


def test_the_standby_driver_takes_over_when_the_active_one_is_killed(on_file: TwoDrivers, tmp_path: Path) -> None:
    assert "standby: host first has the book of jobs" in (tmp_path / "second.log").read_text()
    assert "given by host first, standby: host second" in run("jobs", "--once").stdout
    on_file.submit("a", "b")
    on_file.fleet.wait_for(lambda: on_file.is_in(JobState.EXECUTING), "a start")
    on_file.fleet.send_signal("driver", signal.SIGKILL).wait()
    on_file.wait_for_take_over()
    on_file.submit("a", "b", "c")  # by a client that never heard the answer
    reports = on_file.wait_for_ends("a", "b", "c")
    assert {report.state for report in reports} == {JobState.SUCCEEDED}, reports


@pytest.mark.postgresql
def test_a_driver_that_lost_its_session_finishes_its_tasks_for_the_one_that_took_over(
    on_server: TwoDrivers, server: PrivatePostgresql
) -> None:
    on_server.submit("a", "b", "c")
    on_server.fleet.wait_for(lambda: on_server.is_in(JobState.EXECUTING), "a start")
    with closing(psycopg.connect(server.source.partition(":")[2], autocommit=True)) as connection:
        while on_server.host != "second":
            connection.execute(END_SESSION, ("thymio_fleet host first",))
            on_server.client.graph.spin_until(lambda: on_server.host == "second", 1.0)
    reports = on_server.wait_for_ends("a", "b", "c")
    assert [(report.state, report.attempts) for report in reports] == [(JobState.SUCCEEDED, 1)] * 3, reports
    assert on_server.fleet.client.driver(1) == on_server.fleet.client.driver(2)
    on_server.fleet.wait_for(lambda: on_server.standby == ["first"], "the first driver to stand by")
