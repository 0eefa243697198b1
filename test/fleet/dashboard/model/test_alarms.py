from typing import Any

import pytest

from fleet.client.robot_report import RobotReport
from fleet.dashboard.model.alarms import Alarms, Trouble, troubles_of
from fleet.dashboard.model.event_log import EventLog, Severity
from fleet.dashboard.model.published_state import PublishedState, Section
from fleet.robots.status_level import Level

NO_LINK = Trouble("link", Severity.ERROR, "no link", 7)


class Book:
    def __init__(self) -> None:
        self.state = PublishedState()
        self.alarms = Alarms(self.state, EventLog(self.state))

    def advance(self, now_s: float, *troubles: Trouble) -> None:
        self.alarms.advance({one.alarm_id: one for one in troubles}, round(now_s * 1e9))

    def alarm(self) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self.state.get(Section.ALARMS, "7:link")
        return found


def raised() -> Book:
    book = Book()
    book.advance(10.0, NO_LINK)
    book.advance(11.0, NO_LINK)
    return book


def test_trouble_of_less_than_a_second_is_not_an_alarm() -> None:
    book = Book()
    book.advance(10.0, NO_LINK)
    book.advance(10.9, NO_LINK)
    book.advance(11.0)
    book.advance(11.5, NO_LINK)
    assert book.alarm() is None


def test_trouble_of_a_second_raises_an_alarm_and_an_event() -> None:
    book = raised()
    assert book.alarm() == {
        "id": "7:link",
        "robot": 7,
        "cause": "link",
        "severity": "error",
        "text": "no link",
        "raised_s": 10.0,
        "cleared_s": None,
        "acknowledged_by": "",
        "target": "",
    }
    assert [book.state.get(Section.EVENTS, key)["text"] for key in book.state.keys(Section.EVENTS)] == ["no link"]


def test_alarm_is_cleared_after_three_good_seconds() -> None:
    book = raised()
    book.advance(13.9)
    assert book.alarm() is not None
    assert (book.alarm() or {})["cleared_s"] is None
    book.advance(14.1)
    assert (book.alarm() or {})["cleared_s"] == 14.1


def test_cleared_alarm_stays_until_it_is_acknowledged() -> None:
    book = raised()
    book.advance(15.0)
    assert book.alarms.has("7:link")
    book.alarms.acknowledge("7:link", "Anna")
    assert (book.alarm() or {})["acknowledged_by"] == "Anna"
    book.advance(16.0)
    assert book.alarm() is None


def test_acknowledged_alarm_stays_while_the_trouble_lasts() -> None:
    book = raised()
    book.alarms.acknowledge("7:link", "Anna")
    book.advance(20.0, NO_LINK)
    assert (book.alarm() or {})["acknowledged_by"] == "Anna"


def test_trouble_that_returns_needs_to_be_acknowledged_again() -> None:
    book = raised()
    book.advance(15.0)
    book.advance(16.0, NO_LINK)
    alarm = book.alarm() or {}
    assert (alarm["raised_s"], alarm["cleared_s"], alarm["acknowledged_by"]) == (16.0, None, "")


def test_alarm_that_nobody_acknowledges_is_forgotten_after_ten_minutes() -> None:
    book = raised()
    book.advance(15.0)
    book.advance(616.0)
    assert book.alarm() is None


def test_unknown_alarm_cannot_be_acknowledged() -> None:
    assert not Book().alarms.has("9:link")


@pytest.mark.parametrize(
    ("level", "message", "values", "causes"),
    [
        (Level.OK, "idle", {}, []),
        (Level.ERROR, "stopped: waiting to be resumed", {"state": "stopped"}, []),
        (Level.ERROR, "no link to the robot: tcp:host=a;port=1: gone; stopped: waiting", {"link": "lost"}, ["link"]),
        (Level.ERROR, "pose lost: nothing on /mocap", {"localization": "lost"}, ["pose"]),
        (Level.WARN, "battery low: 20 %; radio over its budget: 99", {}, ["battery", "over_budget"]),
        (Level.WARN, "blocked for 6 s by robot 2; no progress for 7 s", {}, ["blocked", "stuck"]),
        (Level.ERROR, "", {}, ["other"]),
    ],
)
def test_each_part_of_a_message_is_a_trouble_of_its_cause(
    level: Level, message: str, values: dict[str, str], causes: list[str]
) -> None:
    report = RobotReport(1, level, message, values, age_s=0.0)
    assert [trouble.cause for trouble in troubles_of(report)] == causes


def test_target_is_found_in_the_text() -> None:
    text = "no link to the robot: tcp:host=127.0.0.1;port=33333: refused"
    report = RobotReport(1, Level.ERROR, text, {"link": "lost"}, age_s=0.0)
    assert troubles_of(report)[0].target == "tcp:host=127.0.0.1;port=33333"


def test_robot_without_status_for_long_is_silent() -> None:
    report = RobotReport(1, Level.OK, "idle", {}, age_s=6.0)
    assert [trouble.cause for trouble in troubles_of(report)] == ["silent"]
