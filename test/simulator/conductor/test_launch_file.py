"""Launch configurations become nodes, with their topics' names outside of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.conductor.launch_file import load_stack
from simulator.conductor.node_model import (
    CallbackModel,
    NodeModel,
    SyncTrigger,
    TimerTrigger,
    TopicTrigger,
    intercepted_name,
)
from simulator.errors import ConductorError

DRIVER: dict[str, Any] = {
    "name": "driver",
    "callbacks": [
        {"name": "tick", "trigger": {"type": "timer", "period": 50_000_000}, "outputs": ["/wheels", "pose"]},
        {"trigger": {"type": "topic", "name": "bytes"}, "outputs": [], "changes_dataprovider_state": True},
        {"name": "text", "trigger": "/text", "outputs": [], "service_calls": ["/stop"]},
    ],
    "services": ["stop"],
}


def no_package(name: str) -> Path:
    raise LookupError(name)


def stack(folder: Path, nodes: dict[str, Any], **configs: Any) -> Path:
    """Write a launch configuration and configurations of nodes."""
    for name, config in configs.items():
        (folder / f"{name}.json").write_text(json.dumps(config), encoding="utf-8")
    file = folder / "launch.json"
    file.write_text(json.dumps({"nodes": nodes}), encoding="utf-8")
    return file


def test_names_are_those_outside_of_the_node(tmp_path: Path) -> None:
    nodes = {"driver": {"config_file": "driver.json", "remappings": {"pose": "/robot/pose", "/bytes": "to_host"}}}
    assert load_stack(stack(tmp_path, nodes, driver=DRIVER), no_package) == [
        NodeModel(
            "/driver",
            (
                CallbackModel("tick", TimerTrigger(50_000_000), ("/wheels", "/robot/pose")),
                CallbackModel("callback 2", TopicTrigger("/to_host"), changes_provider=True),
                CallbackModel("text", TopicTrigger("/text"), service_calls=("/stop",)),
            ),
            ("/stop",),
        )
    ]


def test_nodes_come_in_the_reverse_order_of_their_names(tmp_path: Path) -> None:
    names = ["/b", "c", "/a"]
    file = stack(tmp_path, {name: {"config_file": "x.json"} for name in names}, x={"name": "x", "callbacks": []})
    assert [node.name for node in load_stack(file, no_package)] == ["/c", "/b", "/a"]


def test_configuration_may_be_in_a_package(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/driver.json").write_text(json.dumps(DRIVER), encoding="utf-8")
    file = stack(tmp_path, {"driver": {"config_file": ["fleet", "driver.json"]}})
    assert load_stack(file, lambda _: tmp_path)[0].inputs == ("/bytes", "/text")


def test_a_node_receives_its_inputs_on_topics_of_its_own() -> None:
    assert intercepted_name("/ns/driver", "/aseba/to_host") == "/intercepted/ns/driver/sub/aseba/to_host"


@pytest.mark.parametrize(
    ("nodes", "config", "problem"),
    [
        ({}, {}, "launch.json:1: nodes"),
        ({"a": {"config_file": "missing.json"}}, {}, "missing.json"),
        ({"a": {"config_file": ["no_such_package", "a.json"]}}, {}, "the package no_such_package is not installed"),
        ({"a": {"config_file": "a.json"}}, {"name": "a"}, "a.json:1: key 'callbacks' is missing"),
        ({"a": {"config_file": "a.json"}}, {"name": "a", "callbacks": [], "outputs": []}, "outputs"),
        (
            {"a": {"config_file": "a.json"}},
            {"name": "a", "callbacks": [{"trigger": {"type": "timer", "period": 0}, "outputs": []}]},
            r"callbacks\[0\]\.trigger",
        ),
        *(
            ({"a": {"config_file": "a.json"}}, {"name": "a", "callbacks": [{"trigger": trigger, "outputs": []}]}, words)
            for trigger, words in (
                ({"type": "timer", "period": 0}, r"trigger\.period: 0 is less than or equal to the minimum of 0"),
                ({"type": "timer", "period": "500 ms"}, r"trigger\.period: '500 ms' is not"),
                ({"type": "timer"}, r"trigger: key 'period' is missing"),
                (
                    {"type": "approximate_time_sync", "input_topics": ["/a"], "slop": 1, "queue_size": 1},
                    r"has 1 item; at least 2",
                ),
                (
                    {"type": "approximate_time_sync", "input_topics": ["/a", "/b"], "slop": 1},
                    "key 'queue_size' is missing",
                ),
                ({"type": "topic", "name": "/a", "qos": 1}, r"trigger\.qos: unknown key"),
                ({"type": "clock"}, "does not fit: A topic, or an object with a type: topic, timer or approx"),
                ("", "trigger: '' should be non-empty"),
                (3, "does not fit: A topic, or an object"),
            )
        ),
    ],
)
def test_problems_are_reported_with_their_place(tmp_path: Path, nodes: Any, config: Any, problem: str) -> None:
    with pytest.raises(ConductorError, match=problem):
        load_stack(stack(tmp_path, nodes, a=config), no_package)


def test_topics_of_a_synchronizer_are_those_outside_of_the_node(tmp_path: Path) -> None:
    trigger = {"type": "approximate_time_sync", "input_topics": ["left", "/right"], "slop": 0.1, "queue_size": 5}
    callback = {"name": "both", "trigger": trigger, "outputs": [], "may_cause_reconfiguration": True}
    nodes = {"a": {"config_file": "a.json", "remappings": {"left": "/camera"}}}
    (node,) = load_stack(stack(tmp_path, nodes, a={"name": "a", "callbacks": [callback]}), no_package)
    expected = CallbackModel("both", SyncTrigger(("/camera", "/right"), 0.1, 5), may_reconfigure=True)
    assert (node.callbacks, node.inputs) == ((expected,), ("/camera", "/right"))
