"""What a client makes of a status, whoever publishes it."""

import math

import pytest

from fleet.client.robot_report import RobotReport
from fleet.robots.activity import Activity
from fleet.robots.status_level import Level
from thymio_base.palette import Tone


def report(level: Level = Level.OK, message: str = "", **values: str) -> RobotReport:
    return RobotReport(1, level, message, values, age_s=0.2)


@pytest.mark.parametrize(
    ("found", "word", "tone"),
    [
        (RobotReport(1), "waiting", Tone.IDLE),
        (report(state="idle"), "idle", Tone.IDLE),
        (report(state="idle", activity="charging"), "charging", Tone.IDLE),
        (report(state="idle", activity="to charger"), "to charger", Tone.BUSY),
        (report(state="idle", activity="going home"), "going home", Tone.BUSY),
        (report(Level.WARN, state="idle", activity="giving way"), "giving way", Tone.WARNING),
        (report(Level.ERROR, state="idle", activity="parking", link="lost"), "lost", Tone.LOST),
        (report(state="idle", activity="dancing"), "idle", Tone.IDLE),
        (report(state="dancing"), "dancing", Tone.IDLE),
        (report(state="teleop"), "teleop", Tone.BUSY),
        (report(Level.WARN, state="scripted", link="lost"), "scripted", Tone.WARNING),
        (report(state="executing", busy="yes"), "driving", Tone.BUSY),
        (report(state="canceling", busy="yes"), "stopping", Tone.BUSY),
        (report(Level.WARN, state="executing", busy="yes"), "driving", Tone.WARNING),
        (report(Level.ERROR, state="idle", battery="critical"), "idle", Tone.ERROR),
        (report(Level.ERROR, state="executing", busy="yes", link="lost"), "lost", Tone.LOST),
        (report(Level.ERROR, state="idle", localization="lost"), "lost", Tone.LOST),
        (report(Level.ERROR, state="stopped"), "stopped", Tone.STOPPED),
        (report(Level.ERROR, state="stopped", link="lost"), "stopped", Tone.LOST),
        (report(Level.ERROR, state="stopped", battery="critical"), "stopped", Tone.ERROR),
        (report(busy="yes", assigned_task="x"), "driving", Tone.BUSY),
        (report(busy="no"), "idle", Tone.IDLE),
    ],
)
def test_state_is_one_word_and_one_tone(found: RobotReport, word: str, tone: Tone) -> None:
    assert (found.word, found.tone) == (word, tone)


@pytest.mark.parametrize("activity", list(Activity))
def test_activity_of_a_driver_is_shown_unchanged(activity: Activity) -> None:
    assert report(activity=activity.value).word == activity.value


def test_robot_on_its_way_to_a_charger_is_free_for_a_task() -> None:
    assert report(state="idle", activity="to charger").is_free
    assert not report(state="executing", busy="yes").is_free
    assert not RobotReport(1, Level.OK, values={"state": "idle"}, age_s=9.0).is_free


def test_task_id_stands_in_for_missing_words() -> None:
    assert report(busy="yes", assigned_task="fetch-1").task == "fetch-1"
    assert report(busy="yes", assigned_task="fetch-1", task="go_home").task == "go_home"
    assert report(busy="no", task="go_home").task == ""


def test_malformed_numbers_count_as_missing() -> None:
    found = report(busy="yes", progress="half", eta_s="nan", battery_pct="-1", battery="ok", node="")
    assert (found.progress, found.eta_s, found.battery, found.node_id) == (None, None, "ok", None)


def test_poses_have_headings_and_places_have_none() -> None:
    found = report(plan="1.00,2.00,90 3.00,4.00 nonsense 1,2,3,4", home="0.50,0.60,-45")
    assert found.poses("plan") == [(1.0, 2.0, pytest.approx(math.pi / 2)), (3.0, 4.0)]
    assert found.poses("home") == [(0.5, 0.6, pytest.approx(-math.pi / 4))]
    assert report().poses("home") == []


@pytest.mark.parametrize(
    ("busy", "traffic", "is_waiting"),
    [("yes", "waiting", True), ("yes", "blocked", True), ("yes", "free", False), ("no", "blocked", False)],
)
def test_robot_waits_if_it_has_a_task_and_others_are_in_its_way(busy: str, traffic: str, is_waiting: bool) -> None:
    assert RobotReport(1, Level.OK, values={"busy": busy, "traffic": traffic}).is_waiting is is_waiting


def test_blocked_robot_says_by_whom_and_when_it_gives_up() -> None:
    values = {"busy": "yes", "traffic": "blocked", "blocked_by": "robot 2, idle"}
    assert report(**values, gives_up_s="12").blocked_text == "blocked by robot 2, idle, gives up in 12 s"
    assert report(**values).blocked_text == "blocked by robot 2, idle"
    assert report(busy="yes", traffic="free", blocked_by="").blocked_text == ""


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (report(state="executing", busy="yes", task="go_to A"), "go_to A"),
        (report(state="idle", activity="charging"), "charging"),
        (report(state="idle"), ""),
    ],
)
def test_occupation_is_the_task_or_what_it_does_by_itself(found: RobotReport, words: str) -> None:
    assert found.occupation == words
