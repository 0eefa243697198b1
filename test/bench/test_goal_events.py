"""The bench counts answers, ends, gaps and late ticks from the events of programs."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

import pytest

from bench.answers.goal_events import (
    EventFile,
    EventKind,
    GoalEvent,
    count,
    first_accepted_s,
    idle_robots,
    largest_gap_s,
    late_ticks,
    rate_hz,
    repeated,
    serving,
)
from bench.answers.shims import build_dropping, dropping

Happened: TypeAlias = tuple[float, EventKind, str]


def goal(task: str, *events: Happened) -> list[GoalEvent]:
    return [GoalEvent(at_s, what, 1, task, detail) for at_s, what, detail in events]


SENT = (1.0, EventKind.SENT, "")
ACCEPTED = (1.5, EventKind.ACCEPTED, "")
REJECTED = (1.5, EventKind.REJECTED, "REJECTED")
SUCCEEDED = (3.0, EventKind.ENDED, "SUCCEEDED")
ABORTED = (3.0, EventKind.ENDED, "ABORTED")
GAVE_UP = (21.0, EventKind.GAVE_UP, "")


def poses(robot: int, *times_s: float) -> list[GoalEvent]:
    return [GoalEvent(at_s, EventKind.POSE, robot) for at_s in times_s]


def overruns(*counts: int) -> list[GoalEvent]:
    return [GoalEvent(float(at_s), EventKind.OVERRUNS, detail=str(number)) for at_s, number in enumerate(counts)]


def test_goal_with_answer_and_end_has_no_fault() -> None:
    counts = count(goal("a", SENT, ACCEPTED, SUCCEEDED), "")
    assert (counts.goals, counts.unanswered, counts.without_end, counts.succeeded) == (1, 0, 0, 1)


@pytest.mark.parametrize("events", [(SENT,), (SENT, GAVE_UP)], ids=["client died", "client gave up"])
def test_goal_neither_accepted_nor_rejected_is_unanswered(
    events: tuple[Happened, ...],
) -> None:
    counts = count(goal("a", *events), "")
    assert (counts.unanswered, counts.without_end) == (1, 0)


@pytest.mark.parametrize("events", [(SENT, ACCEPTED), (SENT, ACCEPTED, GAVE_UP)], ids=["client died", "client gave up"])
def test_an_accepted_goal_without_a_result_has_no_end(events: tuple[Happened, ...]) -> None:
    counts = count(goal("a", *events), "")
    assert (counts.unanswered, counts.without_end) == (0, 1)


def test_a_rejection_is_an_answer_and_needs_no_end() -> None:
    counts = count(goal("a", SENT, REJECTED), "")
    assert (counts.unanswered, counts.without_end, counts.rejected) == (0, 0, 1)


def test_a_goal_that_the_client_itself_aborts_is_answered() -> None:
    counts = count(goal("a", SENT, ABORTED), "")
    assert (counts.unanswered, counts.without_end, counts.aborted) == (0, 0, 1)


def test_goals_of_several_clients_are_counted_by_their_tasks() -> None:
    counts = count(goal("a", SENT, ACCEPTED, SUCCEEDED) + goal("b", SENT) + goal("c", SENT, ACCEPTED), "")
    assert (counts.goals, counts.unanswered, counts.without_end, counts.succeeded) == (3, 1, 1, 1)


def test_reasons_of_aborted_goals_are_counted() -> None:
    ends = [GoalEvent(3.0, EventKind.ENDED, 1, task, "ABORTED", "nobody answers") for task in "ab"]
    assert count([*goal("a", SENT), *goal("b", SENT), *ends], "").reasons == {"nobody answers": 2}


def test_acceptance_time_runs_from_sending_to_receiving() -> None:
    assert count(goal("a", SENT, ACCEPTED), "").accepts_s == (0.5,)


def test_events_without_a_sent_goal_are_not_counted() -> None:
    assert count([GoalEvent(1.0, EventKind.NO_SERVER, 1)], "").goals == 0


@pytest.mark.parametrize(
    "log",
    [
        "[INFO] robot_1: task 'a' accepted\n[INFO] robot_1: task 'a' accepted\n",
        "[INFO] robot_1: task 'a' SUCCEEDED\n[INFO] robot_1: task 'a' ABORTED:SHUTDOWN\n",
    ],
    ids=["started twice", "ended twice"],
)
def test_task_started_or_ended_twice_is_executed_twice(log: str) -> None:
    assert repeated(log) == {"a"}
    assert count(goal("a", SENT, ACCEPTED, SUCCEEDED), log).executed_twice == 1


def test_task_accepted_and_ended_once_is_executed_once() -> None:
    assert repeated("robot_1: task 'a' accepted\nrobot_1: task 'a' SUCCEEDED\nrobot_2: task 'b' accepted\n") == set()


def test_tasks_of_other_clients_do_not_count() -> None:
    log = "robot_1: task 'hostile' accepted\n" * 2
    assert count(goal("a", SENT, ACCEPTED, SUCCEEDED), log).executed_twice == 0


def test_largest_gap_is_between_two_poses_of_one_robot() -> None:
    events = poses(1, 10.1, 10.2, 10.9) + poses(2, 10.2, 10.5, 10.8)
    assert largest_gap_s(events, [1, 2], 10.0, 11.0) == pytest.approx(0.7)


def test_silence_at_the_start_and_at_the_end_are_gaps() -> None:
    assert largest_gap_s(poses(1, 10.4, 10.5), [1], 10.0, 10.6) == pytest.approx(0.4)
    assert largest_gap_s(poses(1, 10.1, 10.2), [1], 10.0, 10.6) == pytest.approx(0.4)


def test_poses_of_other_robots_and_times_do_not_count_as_gaps() -> None:
    assert largest_gap_s(poses(1, 1.0, 10.1) + poses(2, 5.0), [1], 10.0, 10.2) == pytest.approx(0.1)


def test_late_ticks_are_counted_since_the_start() -> None:
    assert late_ticks(overruns(3, 4, 4, 9), 2.0) == 5


def test_late_ticks_of_a_restarted_driver_count_from_zero() -> None:
    assert late_ticks(overruns(3, 5, 1, 2), 0.0) == 3 + 2 + 2


def test_rate_of_an_attack_is_computed_from_its_first_and_last_report() -> None:
    reports = [
        GoalEvent(at_s, EventKind.ATTACKS, detail=str(number)) for at_s, number in ((1.0, 10), (2.0, 40), (3.0, 50))
    ]
    assert rate_hz(reports) == pytest.approx(20.0)
    assert rate_hz(reports[:1]) == 0.0


def test_robot_is_idle_by_its_last_status() -> None:
    reports = [(1, "no"), (2, "yes"), (1, "yes"), (2, "no")]
    assert idle_robots([GoalEvent(0.0, EventKind.IDLE, robot, detail=detail) for robot, detail in reports]) == {1}


def test_driver_serves_the_robots_of_its_last_report() -> None:
    reports = [("x", "1 2"), ("y", ""), ("x", ""), ("y", "1 2")]
    events = [
        GoalEvent(float(at_s), EventKind.SERVES, task=token, detail=robots)
        for at_s, (token, robots) in enumerate(reports)
    ]
    assert serving(events) == {"x": set(), "y": {1, 2}}
    assert serving(events, since_s=3.0) == {"y": {1, 2}}


def test_first_acceptance_after_an_instant_is_found() -> None:
    events = goal("a", ACCEPTED) + goal("b", (4.0, EventKind.ACCEPTED, ""))
    assert first_accepted_s(events, 2.0) == pytest.approx(2.0)
    assert first_accepted_s(events, 5.0) is None


def test_event_survives_writing_and_reading() -> None:
    event = GoalEvent(1.25, EventKind.ENDED, 3, "task 'é'", "ABORTED", "nobody answers")
    assert GoalEvent.from_line(event.line()) == event


def test_events_are_read_when_their_line_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "events"
    first, second = GoalEvent(1.0, EventKind.POSE, 1), GoalEvent(2.0, EventKind.POSE, 2)
    path.write_text(f"something else\n{first.line()}\n{second.line()[:9]}", encoding="utf-8")
    file = EventFile(path)
    assert file.update() == [first]
    with path.open("a", encoding="utf-8") as appended:
        appended.write(f"{second.line()[9:]}\n")
    assert file.update() == [first, second]


COUNT_ARRIVALS = """
import socket
far = socket.socket(type=socket.SOCK_DGRAM)
far.bind(("127.0.0.1", 0))
near = socket.socket(type=socket.SOCK_DGRAM)
count = 0
for _ in range(1000):
    near.sendmsg([b"x"], [], 0, far.getsockname())
    try:
        count += len(far.recv(1, socket.MSG_DONTWAIT))
    except BlockingIOError:
        pass
print(count)
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(("percent", "arrived"), [(0.0, range(1000, 1001)), (8.0, range(880, 960))])
def test_the_lossy_network_loses_its_share_of_datagrams(tmp_path: Path, percent: float, arrived: range) -> None:
    prefix = dropping(build_dropping(tmp_path), percent, seed=1)
    command = [*prefix, sys.executable, "-c", COUNT_ARRIVALS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) in arrived
