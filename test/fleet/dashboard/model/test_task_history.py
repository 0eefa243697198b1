from dataclasses import replace
from typing import Any

from fleet.client.robot_report import RobotReport
from fleet.dashboard.model.duration_counts import DurationCounts
from fleet.dashboard.model.event_log import EventLog
from fleet.dashboard.model.published_state import PublishedState, Section
from fleet.dashboard.model.task_history import TaskHistory
from fleet.geometry import Pose2D
from fleet.robots.status_level import Level
from fleet.tasks.task_report import LegKind, LegReport, TaskReport

SECOND = 1_000_000_000
DRIVING = TaskReport(
    task_id="a",
    kind="task_go_to",
    state="executing",
    words="go_to (1.00, 2.00)",
    legs=(LegReport(LegKind.DRIVE, Pose2D(1.0, 2.0, 0.5)),),
    plan_m=((0.0, 0.0), (1.0, 2.0)),
    eta_s=3.0,
    clients=("/me",),
)


class Book:
    def __init__(self) -> None:
        self.state = PublishedState()
        self.tasks = TaskHistory(self.state, EventLog(self.state))

    def task(self, key: str) -> dict[str, Any]:
        found: dict[str, Any] = self.state.get(Section.TASKS, key)
        return found

    def events(self) -> list[str]:
        return [self.state.get(Section.EVENTS, key)["text"] for key in self.state.keys(Section.EVENTS)]

    def status(self, task_id: str, now_s: float, **values: str) -> None:
        given = {"busy": "yes" if task_id else "no", "assigned_task": task_id, **values}
        report = RobotReport(1, Level.OK, values=given, pose=Pose2D(0.0, 0.0, 0.0), age_s=0.0)
        self.tasks.on_status(1, report, round(now_s * SECOND))


def test_task_of_our_driver_is_shown_with_its_legs_plan_and_clients() -> None:
    book = Book()
    book.tasks.on_task(1, DRIVING, SECOND)
    task = book.task("1/a")
    assert task["kind"] == "go_to"
    assert task["legs"] == [{"kind": "drive", "pose": [1.0, 2.0, 0.5]}]
    assert (task["plan"], task["clients"], task["is_known"]) == ([[0.0, 0.0], [1.0, 2.0]], ["/me"], True)
    assert (task["started_s"], task["ended_s"], task["eta_s"]) == (1.0, None, 3.0)


def test_success_of_a_job_is_reported_once() -> None:
    book = Book()
    book.state.put(Section.JOBS, "a", {"id": "a"})
    for task_id, end in (("a", "ABORTED"), ("a#2", "SUCCEEDED"), ("other", "SUCCEEDED")):
        book.tasks.on_task(1, replace(DRIVING, task_id=task_id), SECOND)
        book.tasks.on_task(1, replace(DRIVING, task_id=task_id, state=end), 2 * SECOND)
    ends = [text.split()[-1] for text in book.events() if "started" not in text]
    assert ends == ["ABORTED", "SUCCEEDED"]


def test_waits_for_other_robots_are_part_of_a_task() -> None:
    book = Book()
    book.tasks.on_task(1, DRIVING, SECOND)
    for now_s, traffic in ((2.0, "free"), (3.0, "waiting"), (4.0, "blocked"), (5.0, "free"), (6.0, "waiting")):
        book.status("a", now_s, traffic=traffic)
    assert book.task("1/a")["waits"] == [[3.0, 5.0], [6.0, None]]
    book.tasks.on_task(1, replace(DRIVING, state="SUCCEEDED"), 8 * SECOND)
    assert book.task("1/a")["waits"] == [[3.0, 5.0], [6.0, 8.0]]


def test_status_adds_progress_to_a_task_that_its_driver_publishes() -> None:
    book = Book()
    book.tasks.on_task(1, DRIVING, SECOND)
    book.status("a", 2.0, progress="0.40", eta_s="1.5")
    task = book.task("1/a")
    assert (task["progress"], task["eta_s"], task["legs"] != []) == (0.4, 1.5, True)


def test_aborted_task_keeps_its_reason_and_loses_its_plan() -> None:
    book = Book()
    book.tasks.on_task(1, DRIVING, SECOND)
    end = TaskReport(task_id="a", kind="task_go_to", state="ABORTED", reason="NO_PROGRESS", detail="why", words="go_to")
    book.tasks.on_task(1, end, 4 * SECOND)
    task = book.task("1/a")
    assert (task["state"], task["reason"], task["detail"]) == ("ABORTED", "NO_PROGRESS", "why")
    assert (task["plan"], task["eta_s"], task["ended_s"]) == ([], None, 4.0)
    assert book.events() == ["go_to (1.00, 2.00) started", "go_to ABORTED"]
    assert book.tasks.ends == {("go_to", "ABORTED", "NO_PROGRESS"): 1}
    assert book.tasks.durations == {"go_to": DurationCounts([1, 1, 1, 1, 1, 1], 3.0, 1)}


def test_task_that_was_over_before_the_dashboard_came_is_not_shown() -> None:
    book = Book()
    book.tasks.on_task(1, TaskReport(task_id="old", kind="task_go_to", state="SUCCEEDED"), SECOND)
    assert book.state.keys(Section.TASKS) == []


def test_task_of_another_server_is_guessed_from_its_status() -> None:
    book = Book()
    book.status("b", 1.0, task="transport (1.00, 0.00) > (2.00, 0.00)", plan="1.00,0.00,0 2.00,0.00,90", progress="0.1")
    task = book.task("1/b")
    assert (task["kind"], task["is_known"], task["progress"]) == ("transport", False, 0.1)
    assert task["plan"] == [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]
    book.status("", 2.0, last_task="b", last_result="ABORTED:POSE_LOST", last_result_detail="silent for 2 s")
    task = book.task("1/b")
    assert (task["state"], task["reason"], task["detail"]) == ("ABORTED", "POSE_LOST", "silent for 2 s")


def test_task_that_follows_a_path_is_shown_without_its_lap() -> None:
    book = Book()
    book.status("c", 1.0, task="follow circle 1/4")
    book.status("", 2.0, last_task="c", last_result="SUCCEEDED")
    assert book.task("1/c")["words"] == "follow circle"
    assert book.events() == ["follow circle started", "follow circle SUCCEEDED"]


def test_task_of_a_server_that_does_not_say_how_it_ended_is_gone() -> None:
    book = Book()
    book.status("c", 1.0)
    book.status("", 2.0)
    assert book.task("1/c")["state"] == "gone"


def test_end_that_was_missed_is_learned_from_the_status() -> None:
    book = Book()
    book.tasks.on_task(1, DRIVING, SECOND)
    book.tasks.on_task(1, TaskReport(task_id="next", kind="task_go_home", state="executing"), 2 * SECOND)
    assert book.task("1/a")["state"] == "gone"
    book.status("next", 2.5, last_task="a", last_result="SUCCEEDED")
    assert book.task("1/a")["state"] == "SUCCEEDED"
    assert book.task("1/next")["state"] == "executing"


def test_command_that_started_a_task_is_named() -> None:
    book = Book()
    book.tasks.note_command("a", "c7")
    book.tasks.on_task(1, DRIVING, SECOND)
    assert book.task("1/a")["command"] == "c7"


def test_only_the_latest_ended_tasks_stay() -> None:
    book = Book()
    for number in range(205):
        book.status(f"t{number}", number)
        book.status("", number + 0.5, last_task=f"t{number}", last_result="SUCCEEDED")
    keys = book.state.keys(Section.TASKS)
    assert (len(keys), keys[-1]) == (200, "1/t204")


def test_open_task_of_a_dismissed_robot_is_gone() -> None:
    book = Book()
    book.tasks.on_task(1, DRIVING, SECOND)
    book.tasks.forget(1, 2 * SECOND)
    assert book.task("1/a")["state"] == "gone"
