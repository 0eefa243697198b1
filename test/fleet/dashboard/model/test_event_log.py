"""Events are kept for half an hour, for whoever asks; pages get the latest ones by themselves."""

from fleet.dashboard.model.event_log import EventLog, Happening, HappeningKind, Severity
from fleet.dashboard.model.published_state import PublishedState, Section

MINUTE_NS = 60_000_000_000


def happening(text: str) -> Happening:
    return Happening(Severity.INFO, HappeningKind.TASK, text)


def texts(log: EventLog) -> list[str]:
    return [event["text"] for event in log.between(0.0, 1e6, 100)]


def test_events_are_forgotten_after_half_an_hour() -> None:
    log = EventLog(PublishedState())
    for minute in range(50):
        log.add(happening(f"minute {minute}"), minute * MINUTE_NS)
    assert texts(log) == [f"minute {minute}" for minute in range(19, 50)]


def test_the_latest_events_of_a_time_are_returned() -> None:
    log = EventLog(PublishedState())
    for minute in range(10):
        log.add(happening(f"minute {minute}"), minute * MINUTE_NS)
    assert [event["text"] for event in log.between(120.0, 360.0, 2)] == ["minute 5", "minute 6"]


def test_pages_get_at_most_500_events_by_themselves() -> None:
    state = PublishedState()
    log = EventLog(state)
    for number in range(600):
        log.add(happening(f"event {number}"), number)
    assert len(state.keys(Section.EVENTS)) == 500
