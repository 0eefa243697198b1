"""Our schemas judge documents as those of ros2_def do, where it is installed."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import jsonschema
import pytest

from fleet.ros.orchestrated.node_config import simulator_config
from simulator.conductor.launch_file import schema

NODE = {
    "name": "node",
    "priority": 1,
    "services": ["/a"],
    "callbacks": [
        {"trigger": "/in", "outputs": ["/out"], "service_calls": ["/b"], "name": "c"},
        {"trigger": {"type": "topic", "name": "/in2"}, "outputs": [], "changes_dataprovider_state": True},
        {"trigger": {"type": "timer", "period": 1000}, "outputs": [], "may_cause_reconfiguration": False},
        {
            "trigger": {"type": "approximate_time_sync", "input_topics": ["/x", "/y"], "slop": 0.1, "queue_size": 3},
            "outputs": [],
        },
    ],
}
LAUNCH = {
    "nodes": {
        "a": {"config_file": "a.json", "remappings": {"/in": "/other"}, "state_sequence": []},
        "b": {"config_file": ["package", "b.json"]},
    },
    "inputs": ["/in"],
}


def changed(document: Any) -> Iterator[Any]:
    """Yield a document, and others in which one part is left out, added, or something else."""
    yield document
    for path in paths(document):
        for change in (drop, add, spoil):
            other = deepcopy(document)
            owner = other
            for key in path[:-1]:
                owner = owner[key]
            change(owner, path[-1])
            yield other


def paths(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys = list(part) if isinstance(part, dict) else list(range(len(part))) if isinstance(part, list) else []
    for key in keys:
        yield (*path, key)
        yield from paths(part[key], (*path, key))


def drop(owner: Any, key: Any) -> None:
    del owner[key]


def add(owner: Any, _: Any) -> None:
    if isinstance(owner, dict):
        owner["further"] = 1
    else:
        owner.append(owner[0])


def spoil(owner: Any, key: Any) -> None:
    owner[key] = -1


def is_valid(document: Any, of: dict[str, Any]) -> bool:
    return bool(jsonschema.Draft202012Validator(of).is_valid(document))


def test_our_documents_are_valid() -> None:
    assert is_valid(NODE, schema("node_config"))
    assert is_valid(LAUNCH, schema("launch_config"))


@pytest.mark.parametrize("name", ["node_config", "launch_config"])
def test_verdicts_agree(name: str) -> None:
    loader = pytest.importorskip("orchestrator.orchestrator_lib.model_loader", reason="ros2_def is not installed")
    theirs = getattr(loader, f"load_{name}_schema")()
    bases = [NODE, simulator_config()] if name == "node_config" else [LAUNCH]
    documents = [document for base in bases for document in changed(base)]
    assert len(documents) > 30
    assert [one for one in documents if is_valid(one, schema(name)) != is_valid(one, theirs)] == []
