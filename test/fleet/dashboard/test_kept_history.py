"""What happened is shown again after a restart of the dashboard, and files stay within bounds."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fleet.dashboard.kept_history import KeptHistory
from fleet.dashboard.model.event_log import LogEntry, LogEntryKind, Severity
from fleet.dashboard.model.history import LENGTH_S
from fleet.dashboard.model.story import Story
from fleet.geometry import Pose2D

NOON_S = 1.7e9
SECOND_NS = 1_000_000_000


@contextmanager
def running(folder: Path, unix_s: float, seconds: int = 1, word: str = "later") -> Iterator[tuple[Story, KeptHistory]]:
    """Run a dashboard for a while; `with` closes it."""
    kept, story = KeptHistory(folder, 0, unix_s), Story(0)
    kept.restore(story)
    start_ns = round((unix_s - kept.zero_unix_s) * 1e9)
    for step in range(2 * seconds):
        now_ns = start_ns + step * SECOND_NS // 2
        story.on_poses({1: Pose2D(0.1, 0.2, 0.0)}, now_ns)
        story.on_status(1, 0, word, {"state": "idle", "progress": f"{step}"}, now_ns)
        story.log.add(LogEntry(Severity.INFO, LogEntryKind.ROBOT, f"{word} {step}", 1), now_ns)
        story.advance(now_ns)
    yield story, kept
    kept.close(story)


def messages(story: Story, time_s: float) -> list[str]:
    """Return what robot 1 said at an instant, by the updates that a page applies."""
    updates = [json.loads(text) for text in story.states.between(time_s, time_s)]
    return [one["robots"]["1"]["message"] for one in updates if "message" in one.get("robots", {}).get("1", {})]


def test_past_is_shown_after_a_restart(tmp_path: Path) -> None:
    with running(tmp_path, NOON_S, 60, "early"):
        pass
    with running(tmp_path, NOON_S + 100.0) as (again, kept):
        assert kept.zero_unix_s == NOON_S
        assert messages(again, 30.0)[-1] == "early"
        assert len(list(again.history.between(0.0, 60.0, 0.5))) > 110
        events = again.log.between(0.0, 200.0, 1000)
        assert [event["text"] for event in events if event["text"] in ("early 119", "later 1")] == [
            "early 119",
            "later 1",
        ]
        numbers = [event["number"] for event in events]
        assert numbers == sorted(set(numbers))


def test_killed_dashboard_loses_only_seconds(tmp_path: Path) -> None:
    with running(tmp_path / "killed", NOON_S, 60):
        shutil.copytree(tmp_path / "killed", tmp_path / "left")
    with running(tmp_path / "left", NOON_S + 61.0) as (again, _):
        assert len(list(again.history.between(0.0, 60.0, 0.5))) > 2 * (60 - 20)


def test_killed_dashboard_keeps_the_few_events_of_a_quiet_fleet(tmp_path: Path) -> None:
    story, kept = Story(0), KeptHistory(tmp_path / "killed", 0, NOON_S)
    kept.restore(story)
    for step in range(20):  # 10 s
        story.advance(step * SECOND_NS // 2)
        if step == 0:
            story.log.add(LogEntry(Severity.INFO, LogEntryKind.ROBOT, "the only one", 1), 0)
    shutil.copytree(tmp_path / "killed", tmp_path / "left")
    kept.close(story)
    with running(tmp_path / "left", NOON_S + 20.0) as (again, _):
        assert "the only one" in [event["text"] for event in again.log.between(0.0, 10.0, 1000)]


@pytest.mark.parametrize("cut", [1, 40, 2000])
def test_damaged_end_is_left_out(tmp_path: Path, cut: int) -> None:
    with running(tmp_path, NOON_S, 60):
        pass
    path = tmp_path / "history_of_domain_0"
    path.write_bytes(path.read_bytes()[:-cut])
    with running(tmp_path, NOON_S + 61.0, word="second") as (_, kept):
        assert kept.trouble == ""
    with running(tmp_path, NOON_S + 70.0, word="third") as (third, _):
        assert messages(third, 61.5)[-1] == "second"


@pytest.mark.parametrize("unix_s", [NOON_S + 2.0 * LENGTH_S, NOON_S - 3600.0])
def test_past_that_is_too_old_or_in_the_future_is_forgotten(tmp_path: Path, unix_s: float) -> None:
    with running(tmp_path, NOON_S, 10):
        pass
    with running(tmp_path, unix_s) as (again, kept):
        assert kept.zero_unix_s == unix_s
        assert again.log.between(-1e9, 1e9, 1000)[0]["text"] == "robot 1 appeared"


def test_second_dashboard_of_a_domain_keeps_nothing(tmp_path: Path) -> None:
    with running(tmp_path, NOON_S, 10), running(tmp_path, NOON_S + 10.0) as (_, second):
        assert "another dashboard of this domain keeps it" in second.trouble


def test_unwritable_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with running(tmp_path / "file", NOON_S, 10) as (_, kept):
        assert "the history is not kept in" in kept.trouble


def test_files_are_bounded(tmp_path: Path) -> None:
    story, kept = Story(0), KeptHistory(tmp_path, 0, NOON_S)
    kept.restore(story)
    for second in range(round(5 * LENGTH_S)):
        story.log.records.add(float(second), b'{"number": %d}' % second)
    kept.close(story)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history_of_domain_0", "history_of_domain_0.older"]
    again, kept = Story(0), KeptHistory(tmp_path, 0, NOON_S + 5 * LENGTH_S)
    kept.restore(again)
    kept.close(again)
    times_s = [time_s for time_s, _ in again.log.records.between(-1e9, 1e9)]
    assert 3.9 * LENGTH_S < min(times_s) <= 4 * LENGTH_S
