import json
from typing import Any

from fleet.dashboard.model.published_state import PublishedState, Section


def update(state: PublishedState, version: int) -> dict[str, Any]:
    text = state.update_since(version, 1.5)
    return json.loads(text) if text else {}


def test_new_page_gets_everything() -> None:
    state = PublishedState()
    state.put(Section.ROBOTS, "1", {"word": "idle"})
    state.put(Section.FLEET, "is_stopped", False)
    assert update(state, 0) == {
        "type": "update",
        "version": 2,
        "time_s": 1.5,
        "reset": True,
        "robots": {"1": {"word": "idle"}},
        "fleet": {"is_stopped": False},
    }


def test_page_gets_what_changed_since_its_version() -> None:
    state = PublishedState()
    state.put(Section.ROBOTS, "1", {"word": "idle"})
    state.put(Section.ROBOTS, "2", {"word": "idle"})
    version = state.version
    state.put(Section.ROBOTS, "1", {"word": "driving"})
    found = update(state, version)
    assert (found["reset"], found["robots"]) == (False, {"1": {"word": "driving"}})


def test_only_the_fields_that_changed_are_sent() -> None:
    state = PublishedState()
    state.put(Section.ROBOTS, "1", {"word": "idle", "task": "", "progress": None})
    first = state.version
    state.put(Section.ROBOTS, "1", {"word": "driving", "task": "go_to", "progress": None})
    second = state.version
    state.put(Section.ROBOTS, "1", {"word": "driving", "task": "go_to", "progress": 0.5})
    assert update(state, second)["robots"] == {"1": {"progress": 0.5}}
    assert update(state, first)["robots"] == {"1": {"word": "driving", "task": "go_to", "progress": 0.5}}


def test_entries_of_the_fleet_are_sent_whole() -> None:
    state = PublishedState()
    state.put(Section.FLEET, "driving", {"1": "s1", "2": "s2"})
    version = state.version
    state.put(Section.FLEET, "driving", {"1": "s1"})
    assert update(state, version)["fleet"] == {"driving": {"1": "s1"}}


def test_page_that_is_up_to_date_gets_nothing() -> None:
    state = PublishedState()
    state.put(Section.ROBOTS, "1", {"word": "idle"})
    assert not state.put(Section.ROBOTS, "1", {"word": "idle"})
    assert update(state, state.version) == {}


def test_removed_entry_is_sent_as_null_once() -> None:
    state = PublishedState()
    state.put(Section.ALARMS, "1:link", {})
    version = state.version
    state.remove(Section.ALARMS, "1:link")
    assert update(state, version)["alarms"] == {"1:link": None}
    assert "alarms" not in update(state, 0)


def test_entry_that_returns_is_not_reported_as_removed() -> None:
    state = PublishedState()
    state.put(Section.ALARMS, "1:link", {"n": 1})
    version = state.version
    state.remove(Section.ALARMS, "1:link")
    state.put(Section.ALARMS, "1:link", {"n": 2})
    assert update(state, version)["alarms"] == {"1:link": {"n": 2}}


def test_page_that_missed_too_many_removals_reloads_everything() -> None:
    state = PublishedState()
    state.put(Section.ROBOTS, "1", {})
    version = state.version
    for number in range(2100):
        state.put(Section.EVENTS, str(number), {})
        state.remove(Section.EVENTS, str(number))
    found = update(state, version)
    assert (found["reset"], found["robots"]) == (True, {"1": {}})
    assert update(state, state.version - 10)["reset"] is False


def test_version_zero_of_an_empty_state_is_answered() -> None:
    assert update(PublishedState(), 0)["reset"] is True


def test_settled_entry_is_sent_whole() -> None:
    state = PublishedState()
    state.put(Section.TASKS, "1/a", {"state": "executing", "words": 'to "A"', "progress": 0.5})
    version = state.version
    over = {"state": "SUCCEEDED", "words": 'to "A"', "progress": 1.0}
    assert state.put(Section.TASKS, "1/a", over, is_settled=True)
    assert update(state, version)["tasks"] == update(state, 0)["tasks"] == {"1/a": over}
    assert state.get(Section.TASKS, "1/a") == over


def test_settled_entry_may_change_after_all() -> None:
    state = PublishedState()
    state.put(Section.TASKS, "1/a", {"state": "gone", "words": "to A"}, is_settled=True)
    version = state.version
    assert not state.put(Section.TASKS, "1/a", {"state": "gone", "words": "to A"}, is_settled=True)
    state.put(Section.TASKS, "1/a", {"state": "SUCCEEDED", "words": "to A"})
    assert update(state, version)["tasks"] == {"1/a": {"state": "SUCCEEDED"}}
