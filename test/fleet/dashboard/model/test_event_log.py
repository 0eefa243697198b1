"""Events are kept for half an hour, for whoever asks; pages get the latest ones by themselves."""

from fleet.dashboard.model.event_log import EventLog, LogEntry, LogEntryKind, Severity
from fleet.dashboard.model.published_state import PublishedState, Section

SECOND_NS = 1_000_000_000


def log_of(count: int, state: PublishedState | None = None) -> EventLog:
    log = EventLog(state or PublishedState())
    for number in range(count):
        log.add(LogEntry(Severity.INFO, LogEntryKind.TASK, f"event {number}"), number * SECOND_NS)
    return log


def texts(log: EventLog, from_s: float, to_s: float, limit: int = 10_000) -> list[str]:
    return [event["text"] for event in log.between(from_s, to_s, limit)]


def test_events_are_kept_for_half_an_hour_and_not_much_longer() -> None:
    kept = texts(log_of(5_000), 0.0, 1e6)
    assert kept == [f"event {number}" for number in range(5_000 - len(kept), 5_000)]
    assert 1_800 <= len(kept) < 1_900


def test_the_latest_events_of_a_time_are_returned() -> None:
    assert texts(log_of(500), 120.0, 360.0, limit=2) == ["event 359", "event 360"]


def test_pages_get_at_most_500_events_by_themselves() -> None:
    state = PublishedState()
    log_of(600, state)
    assert len(state.keys(Section.EVENTS)) == 500
