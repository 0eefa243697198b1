"""The bridge, as used by clients of asebaros."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from asebaros_msgs.msg import AnonymousEvent, Constant, Event, NodeDescription
from asebaros_msgs.srv import GetDescription, GetNodeList, LoadScript, SetVariable
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from thymio_fleet_interfaces.srv import LoadScript as LoadScriptVerbosely

from aseba_link.wire.message import MessageType, encode, from_words
from aseba_link.wire.stream import MessageStream
from harness.ros.running_bridge import LATCHED, SCRIPT, RunningBridge, running_bridge


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBridge]:
    yield from running_bridge(tmp_path_factory.mktemp("bridge"))


def test_node_list_reaches_late_subscribers(bridge: RunningBridge) -> None:
    node = bridge.nodes[2]
    assert (node.name, node.name_space, node.running, node.ignored, node.connected) == (
        "thymio-II",
        "thymio_2",
        True,
        False,
        True,
    )


def test_nodes_are_listed_on_demand(bridge: RunningBridge) -> None:
    assert {node.id for node in bridge.call(GetNodeList, "aseba/get_nodes").nodes} == {1, 2}


def test_description_contains_events_constants_and_variables(bridge: RunningBridge) -> None:
    description = bridge.call(GetDescription, "thymio_1/aseba/get_description").description
    assert (description.id, description.name) == (1, "thymio-II")
    assert description.events == ["ping", "pong", "drive"]
    assert [(constant.name, constant.value) for constant in description.constants] == [("STEP", 1)]
    assert list(description.variables) == sorted(description.variables)
    assert {"count", "motor.left.target", "_id"} <= set(description.variables)


def test_description_reaches_late_subscribers(bridge: RunningBridge) -> None:
    descriptions = bridge.subscribe(NodeDescription, "thymio_1/aseba/description", LATCHED)
    bridge.wait_for(lambda: bool(descriptions), "a description")
    assert descriptions[0].events == ["ping", "pong", "drive"]


def test_variable_of_the_script_is_written_and_read(bridge: RunningBridge) -> None:
    bridge.call(SetVariable, "thymio_2/aseba/set_variable", variable="count", data=[-7])
    assert bridge.variable(2, "count") == [-7]


def test_variable_of_several_words_is_read(bridge: RunningBridge) -> None:
    assert len(bridge.variable(1, "prox.horizontal")) == 7


def test_unknown_variable_reads_as_empty_and_is_logged(bridge: RunningBridge) -> None:
    assert bridge.variable(1, "prox.vertical") == []
    assert "there is no variable 'prox.vertical'" in bridge.log()


def test_too_many_values_for_a_variable_are_refused(bridge: RunningBridge) -> None:
    bridge.call(SetVariable, "thymio_1/aseba/set_variable", variable="count", data=[1, 2])
    assert "2 values for variable count, which has 1 words" in bridge.log()


def test_event_reaches_only_its_node_and_is_answered(bridge: RunningBridge) -> None:
    ones = bridge.subscribe(Event, "thymio_1/aseba/events/pong")
    twos = bridge.subscribe(Event, "thymio_2/aseba/events/pong")
    topic = "thymio_1/aseba/events/ping"
    bridge.publish_until(topic, Event(data=[42]), lambda: bool(ones), "a pong of robot 1")
    assert (ones[0].source, ones[0].data[1]) == (1, 42)
    assert ones[0].stamp.sec > 0
    assert not twos


def test_events_from_nodes_are_not_echoed_back(bridge: RunningBridge) -> None:
    count = bridge.variable(1, "count")
    publisher = bridge.node.create_publisher(Event, "thymio_1/aseba/events/ping", 10)
    bridge.wait_for(lambda: publisher.get_subscription_count() > 0, "the bridge to listen")
    publisher.publish(Event(source=2, data=[1]))
    bridge.call(GetNodeList, "aseba/get_nodes")
    assert bridge.variable(1, "count") == count


def test_event_of_a_wrong_size_is_refused(bridge: RunningBridge) -> None:
    bridge.publish_until(
        "thymio_1/aseba/events/ping",
        Event(data=[1, 2, 3]),
        lambda: "4 words for an event of 2" in bridge.log(),
        "a log",
    )


def test_anonymous_event_reaches_every_node(bridge: RunningBridge) -> None:
    pongs = bridge.subscribe(Event, "thymio_2/aseba/events/pong")
    message = AnonymousEvent(type=0, data=[2, 77])
    bridge.publish_until("aseba/anonymous_events", message, lambda: bool(pongs), "a pong of robot 2")
    assert pongs[0].data[1] == 77


def test_diagnostics_cover_the_network_and_every_node(bridge: RunningBridge) -> None:
    arrays = bridge.subscribe(DiagnosticArray, "/diagnostics")
    bridge.wait_for(lambda: bool(arrays), "diagnostics")
    host = socket.gethostname()
    statuses = {status.name: status for status in arrays[0].status}
    network = statuses[f"asebaros: Aseba Network on {host}"]
    node = statuses[f"asebaros: Aseba Node thymio-II 1 on {host}"]
    assert {status.hardware_id for status in arrays[0].status} == {f"{host}/asebaros"}
    assert (network.level, network.message) == (DiagnosticStatus.OK, "Connected")
    assert {value.key: value.value for value in network.values}["Connected nodes"] == "2 nodes (1, 2)"
    assert {value.key: value.value for value in node.values}["Loaded script"] == str(bridge.script)


def test_other_programs_reach_the_robots_through_the_port(bridge: RunningBridge) -> None:
    with socket.create_connection(("127.0.0.1", bridge.port), 5.0) as peer:
        peer.settimeout(60.0)
        peer.sendall(encode(from_words(0, MessageType.LIST_NODES, [9])))
        stream, present = MessageStream(), set()
        while present != {1, 2}:
            present |= {
                message.source for message in stream.feed(peer.recv(4096)) if message.type == MessageType.NODE_PRESENT
            }


def test_script_error_is_reported_with_its_position(bridge: RunningBridge) -> None:
    text = SCRIPT.replace("count += STEP", "count += STEPP")
    response = bridge.call(LoadScriptVerbosely, "aseba/x/load_script", text=text, node_ids=[1])
    assert not response.success
    result = response.results[0]
    assert (result.node_id, result.success, result.line > 0, result.column > 0) == (1, False, True, True)
    assert "STEPP" in result.message
    assert bridge.nodes[1].running


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"file_name": "/nowhere.aesl"}, "/nowhere.aesl: No such file or directory"),
        ({"text": "<html/>"}, "starts with <html>"),
        ({"text": SCRIPT, "constants": [Constant(name="STOP", value=1)]}, "no constant STOP; did you mean STEP?"),
        ({"text": SCRIPT, "file_name": "x.aesl"}, "both a file, x.aesl, and the text of a script are given"),
    ],
)
def test_unloadable_script_is_reported(bridge: RunningBridge, fields: dict[str, Any], problem: str) -> None:
    response = bridge.call(LoadScriptVerbosely, "aseba/x/load_script", **fields)
    assert not response.success
    assert problem in response.message


def test_missing_node_is_reported_beside_the_present_ones(bridge: RunningBridge) -> None:
    response = bridge.call(LoadScriptVerbosely, "aseba/x/load_script", text=SCRIPT, node_ids=[9, 1, 9])
    assert not response.success
    assert [(result.node_id, result.success) for result in response.results] == [(1, True), (9, False)]
    assert response.results[1].message == "there is no node 9"


@pytest.mark.parametrize("event", [AnonymousEvent(type=0xA002, data=[1]), AnonymousEvent(type=0xFFFF)])
def test_anonymous_event_that_looks_like_a_command_is_refused(bridge: RunningBridge, event: AnonymousEvent) -> None:
    refusal = f"event types are below 32768, not {event.type}"
    bridge.publish_until("aseba/anonymous_events", event, lambda: refusal in bridge.log(), "a refusal")


def test_script_is_loaded_to_a_single_node_with_other_constants(bridge: RunningBridge) -> None:
    fields = {"file_name": str(bridge.script), "constants": [Constant(name="STEP", value=5)], "node_ids": [2]}
    bridge.call(LoadScript, "aseba/load_script", **fields)
    descriptions = [bridge.call(GetDescription, f"thymio_{k}/aseba/get_description").description for k in (1, 2)]
    assert [description.constants[0].value for description in descriptions] == [1, 5]
    pongs = bridge.subscribe(Event, "thymio_2/aseba/events/pong")
    bridge.publish_until("thymio_2/aseba/events/ping", Event(data=[0]), lambda: len(pongs) > 1, "two pongs")
    assert pongs[1].data[0] - pongs[0].data[0] == 5
