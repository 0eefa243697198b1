"""Tasks are due when their robots are ready, when the tasks before them have ended, and after their time."""

from experiments.orchestrated.playlist import Playlist
from experiments.scenarios.file.experiment import TaskPlan
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Work


def plan(task_id: str, robot_id: int, at_s: float = 0.0, after: str = "") -> TaskPlan:
    return TaskPlan(task_id, robot_id, at_s, after, Work(TaskKind.GO_HOME))


def due(playlist: Playlist, now_s: float) -> list[str]:
    return [one.task_id for one in playlist.due(now_s)]


def ready(*plans: TaskPlan) -> Playlist:
    playlist = Playlist(plans)
    for robot_id in playlist.robot_ids:
        playlist.note_ready(robot_id)
    return playlist


def test_nothing_is_due_before_every_robot_is_ready() -> None:
    playlist = Playlist([plan("a", 1), plan("b", 2)])
    playlist.note_ready(1)
    assert (playlist.robot_ids, due(playlist, 5.0)) == ([2], [])
    playlist.note_ready(2)
    assert due(playlist, 5.1) == ["a", "b"]


def test_time_counts_from_the_first_look_with_all_robots_ready() -> None:
    playlist = ready(plan("later", 1, at_s=2.0))
    assert [due(playlist, now_s) for now_s in (10.0, 11.9, 12.0, 12.1)] == [[], [], ["later"], []]


def test_task_waits_for_the_end_of_another_task() -> None:
    playlist = ready(plan("first", 1), plan("second", 2, at_s=1.0, after="first"))
    assert due(playlist, 0.0) == ["first"]
    playlist.note_end("first", 7.0)
    playlist.note_end("first", 9.0)  # statuses repeat what ended last
    assert [due(playlist, now_s) for now_s in (7.9, 8.0)] == [[], ["second"]]


def test_each_task_is_due_once_and_in_the_order_of_the_file() -> None:
    playlist = ready(plan("b", 1), plan("a", 2))
    assert (due(playlist, 0.0), due(playlist, 1.0)) == (["b", "a"], [])
