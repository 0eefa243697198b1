"""Jobs on ROS: submitted by the command, a service or the action; performed, changed, and there after a kill."""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from command_line import run
from rclpy.action import ActionClient
from thymio_fleet_interfaces.action import PerformJob

from fleet.books.sqlite_book import SqliteBook
from fleet.client.job_client import JobClient
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Job, JobState
from fleet.errors import JobRefusedError
from fleet.geometry import Pose2D
from fleet.interface.job_messages import job_state_from_ros, job_to_ros
from fleet.interface.names import PERFORM_ACTION
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work
from harness.ros.program import program
from harness.ros.running_fleet import RunningFleet, ready

SETTINGS = """
dispatch: {enabled: true}
stations:
- {name: press, pose: {x_m: 0.5, y_m: 1.6}, role: load}
- {name: packing, pose: {x_m: 2.5, y_m: 1.6}, role: unload}
"""
ENDS = (JobState.SUCCEEDED, JobState.CANCELED, JobState.ABORTED)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    yield from ready(RunningFleet(tmp_path_factory.mktemp("jobs"), SETTINGS))


@pytest.fixture
def client() -> Iterator[JobClient]:
    with closing(JobClient()) as client:
        client.watch()
        yield client


def go(job_id: str, x_m: float, y_m: float, **terms: Any) -> Job:
    return Job(job_id, Work(TaskKind.GO_TO, (Place(Pose2D(x_m, y_m, 0.0)),)), **terms)


def shown(client: JobClient, job_id: str) -> JobReport | None:
    """Return what the topic tells of a job."""
    jobs = () if client.latest is None else client.latest.jobs
    return next((job_state_from_ros(job) for job in jobs if job.job_id == job_id), None)


def is_in(client: JobClient, job_id: str, *states: JobState) -> Callable[[], bool]:
    def holds() -> bool:
        report = shown(client, job_id)
        return report is not None and report.state in states

    return holds


def wait_for(client: JobClient, condition: Callable[[], bool], what: str, fleet: RunningFleet) -> None:
    assert client.graph.spin_until(condition, 90.0), f"waited in vain for {what}: {client.latest}\n{fleet.logs()}"


def test_a_job_between_stations_is_submitted_by_the_command_and_performed(fleet: RunningFleet) -> None:
    done = run("submit", "transport", "press", "packing", "--id", "carry", "--wait")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "carry: accepted"
    assert "carry: SUCCEEDED, robot" in done.stdout
    robot_id = json.loads(run("jobs", "export", "carry").stdout)["robot_id"]
    assert fleet.client.value(robot_id, "last_task") == "carry"


def test_an_invalid_job_is_refused_with_the_valid_form(fleet: RunningFleet) -> None:
    unknown = run("submit", "transport", "press", "oven", "--id", "wrong")
    assert unknown.returncode == 1
    assert unknown.stderr == "wrong: BAD_JOB: there is no station 'oven'; stations are press, packing\n"
    outside = run("submit", "go-to", "9,9")
    assert "OUT_OF_ARENA" in outside.stderr
    for command in (("submit", "transport"), ("transport", "1")):
        done = run(*command, "press", "press")
        assert (done.returncode, done.stderr.count("BAD_JOB: from and to are the same place")) == (1, 1), done


def test_a_job_without_a_waiting_client_is_performed(fleet: RunningFleet, client: JobClient) -> None:
    client.submit([go("alone", 1.5, 0.4)])
    wait_for(client, is_in(client, "alone", JobState.EXECUTING), "its start", fleet)
    fleet.let_pass(4.0)  # longer than tasks without clients may live
    wait_for(client, is_in(client, "alone", *ENDS), "its end", fleet)
    report = shown(client, "alone")
    assert report is not None
    assert report.state is JobState.SUCCEEDED, report


def test_a_client_of_the_action_follows_its_job_and_cancels_it(fleet: RunningFleet, client: JobClient) -> None:
    with program("other_client") as other:
        action = ActionClient(other.node, PerformJob, PERFORM_ACTION)
        assert action.wait_for_server(timeout_sec=60.0)
        told: list[str] = []
        goal = PerformJob.Goal(job=job_to_ros(go("followed", 2.6, 0.4, robots=(1,))))
        sent = action.send_goal_async(goal, lambda message: told.append(message.feedback.job.state))
        other.spin_until(sent.done, "the answer")
        handle = sent.result()
        assert handle is not None
        assert handle.accepted
        other.spin_until(lambda: "executing" in told, "feedback")
        result = handle.get_result_async()
        canceled = handle.cancel_goal_async()
        other.spin_until(lambda: result.done() and canceled.done(), "the end")
        answer = result.result()
        assert answer is not None
        assert (answer.status, answer.result.success) == (5, False)
        assert client.list(["followed"])[0].state is JobState.CANCELED


def test_jobs_are_held_reordered_and_canceled_by_the_command(fleet: RunningFleet, client: JobClient) -> None:
    assert run("duty", "1", "2", "out").stdout == "robots 1 and 2: out\n"
    client.submit([go("first", 0.6, 0.4), go("second", 0.8, 0.4), go("third", 1.0, 0.4)])
    assert run("jobs", "hold", "first").stdout == "held: first\n"
    assert run("jobs", "before", "third", "second").returncode == 0
    assert run("jobs", "priority", "third", "8").returncode == 0
    again = run("jobs", "before", "second", "third")
    assert (again.returncode, "already" in again.stderr) == (1, True)
    states = {report.job_id: (report.state, report.priority) for report in client.list(["first", "second", "third"])}
    assert states["first"][0] is JobState.HELD
    assert states["second"][0] is JobState.WAITING
    assert states["third"] == (JobState.QUEUED, 8)
    table = run("jobs", "--once").stdout
    assert "off duty: 1, 2" in table
    assert run("jobs", "cancel", "first", "second", "third").returncode == 0
    assert {report.state for report in client.list(["first", "second", "third"])} == {JobState.CANCELED}
    assert run("duty", "1", "2", "in").returncode == 0


def test_a_stop_of_the_fleet_holds_jobs_until_it_is_resumed(fleet: RunningFleet, client: JobClient) -> None:
    client.submit([go("stopped", 2.4, 0.4)])
    wait_for(client, is_in(client, "stopped", JobState.EXECUTING), "its start", fleet)
    assert fleet.trigger("/fleet/stop").success
    wait_for(client, is_in(client, "stopped", JobState.HELD), "the hold", fleet)
    assert fleet.trigger("/fleet/resume").success
    wait_for(client, is_in(client, "stopped", *ENDS), "its end", fleet)
    assert client.list(["stopped"])[0].state is JobState.SUCCEEDED


def test_a_robot_that_performs_a_job_is_busy_for_others_and_free_afterwards(
    fleet: RunningFleet, client: JobClient
) -> None:
    client.submit([go("busy", 1.0, 1.6, robots=(1,))])
    wait_for(client, is_in(client, "busy", JobState.EXECUTING), "its start", fleet)
    other = fleet.client.go_to(1, Pose2D(1.2, 1.0, 0.0))
    fleet.wait_for(lambda: other.state.is_final, "the answer")
    assert other.state.value == "REJECTED"
    fleet.wait_for(lambda: fleet.client.value(1, "reason") == "BUSY", "the reason")
    wait_for(client, is_in(client, "busy", *ENDS), "its end", fleet)
    direct = fleet.client.go_to(1, Pose2D(1.2, 1.0, 0.0))
    fleet.wait_for(lambda: direct.state.is_final, "the direct task")
    assert direct.state.value == "SUCCEEDED"


def test_jobs_survive_the_death_of_the_driver(fleet: RunningFleet, client: JobClient) -> None:
    jobs = [go(f"job {number}", 0.6 + 0.4 * number, 0.5) for number in range(5)]
    client.submit([*jobs, go("last", 1.5, 1.5, after=("job 4",))])
    wait_for(client, is_in(client, "job 0", JobState.EXECUTING, *ENDS), "the first start", fleet)
    fleet.send_signal("driver", signal.SIGKILL).wait()
    client.latest = None
    fleet.start_driver()
    wait_for(client, is_in(client, "last", *ENDS), "the end of the last job", fleet)
    client.submit(jobs)  # once more, by a client that never heard the answer
    wait_for(client, lambda: all(is_in(client, job.job_id, *ENDS)() for job in jobs), "all ends", fleet)
    assert {report.state for report in client.list([job.job_id for job in jobs])} == {JobState.SUCCEEDED}


def test_estimates_and_unknown_jobs(fleet: RunningFleet, client: JobClient) -> None:
    carry = Job("maybe", Work(TaskKind.TRANSPORT, (Place(Pose2D(0.5, 0.5, 0.0)), Place(Pose2D(2.5, 0.5, 0.0)))))
    assert 10.0 < client.estimate_s([carry])[0] < 120.0  # 2 m, from wherever robots stand
    assert client.list(["maybe"]) == []
    with pytest.raises(JobRefusedError, match="there is no job 'maybe'"):
        client.change(["maybe"], "cancel")
    with pytest.raises(JobRefusedError, match="change is 'explode', not one of cancel, hold"):
        client.change(["maybe"], "explode")


def test_places_are_listed_with_who_is_there_and_taken_by_their_names(fleet: RunningFleet) -> None:
    sent = run("go-to", "1", "press")
    assert (sent.returncode, sent.stderr) == (0, "")
    listed = run("places").stdout.splitlines()
    assert [line.split() for line in listed] == [
        ["station", "role", "x", "y", "heading", "who"],
        ["press", "load", "0.50", "1.60", "0°", "robot", "1"],
        ["packing", "unload", "2.50", "1.60", "0°", "free"],
    ]
    rows = [json.loads(line) for line in run("places", "--json").stdout.splitlines()]
    assert [(row["name"], row["pose"]["x_m"], row["robot_ids"]) for row in rows] == [
        ("press", 0.5, [1]),
        ("packing", 2.5, []),
    ]


def test_jobs_prints_json(fleet: RunningFleet, client: JobClient) -> None:
    assert run("submit", "go-to", "packing", "--id", "told").returncode == 0
    states: list[str] = []

    def is_told() -> bool:
        rows = [json.loads(line) for line in run("jobs", "--json").stdout.splitlines()]
        states.extend(row["state"] for row in rows if row["job_id"] == "told")
        return bool(states)

    wait_for(client, is_told, "the job among those of `jobs --json`", fleet)
    assert JobState(states[0])
    unknown = run("transport", "1", "pres", "packing")
    assert unknown.returncode == 1
    assert unknown.stderr == "there is no station 'pres'; did you mean 'press'?; stations are press, packing\n"


def test_book_is_copied_while_the_driver_runs(fleet: RunningFleet, client: JobClient) -> None:
    client.submit([go("kept", 1.0, 1.0)])
    copy = fleet.config.with_name("copy.sqlite")
    done = run("jobs", "backup", str(copy), "--config", str(fleet.config))
    assert (done.returncode, done.stderr) == (0, "")
    with closing(SqliteBook(copy)) as book:
        assert book.find("kept") is not None
    again = run("jobs", "backup", str(copy), "--config", str(fleet.config))
    assert (again.returncode, again.stdout) == (1, "")
    assert "exists: name another file" in again.stderr
