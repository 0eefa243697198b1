"""What a node configuration lacks is named, with the callback."""

from typing import Any

import pytest

from fleet.errors import ConfigError
from fleet.ros.orchestrated.declared_callbacks import DeclaredCallbacks, DeclaredSync

SYNC = {"type": "approximate_time_sync", "input_topics": ["/x", "/y"], "slop": 1, "queue_size": 3}


def declared(*callbacks: Any) -> DeclaredCallbacks:
    return DeclaredCallbacks({"callbacks": list(callbacks)})


def test_topics_of_a_synchronizer_have_its_callback() -> None:
    found = declared({"name": "both", "trigger": SYNC, "outputs": []})
    assert [found.callback_of_topic(topic) for topic in ("/x", "/y", "/z")] == ["both", "both", None]
    assert found.synced == ("both",)
    assert found.sync_of(["/x", "/y"]) == DeclaredSync(("/x", "/y"), 1.0, 3)
    assert found.sync_of(["/y", "/x"]) is None


@pytest.mark.parametrize(
    ("callback", "expected"),
    [
        ({"trigger": "/x"}, "callback 'callback 1': 'outputs' is missing in its declaration"),
        ({"name": "a", "outputs": []}, "callback 'a': 'trigger' is missing"),
        ({"name": "a", "outputs": [], "trigger": {"type": "timer"}}, "callback 'a': 'period' is missing"),
        ({"name": "a", "outputs": [], "trigger": SYNC | {"slop": "x"}}, "callback 'a': its declaration has a value"),
        ({"name": "a", "outputs": [], "trigger": {"type": "any"}}, "its trigger is 'any'; known: topic, timer, "),
        ({"name": "a", "outputs": [], "trigger": 3}, "callback 'a': its declaration has a value"),
        ("a", "not a node configuration with a list of callbacks"),
    ],
)
def test_missing_parts_of_a_declaration_are_named(callback: Any, expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        declared(callback)
