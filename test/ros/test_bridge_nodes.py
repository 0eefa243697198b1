"""The bridge when nodes appear, leave and receive scripts; on targets in memory."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from asebaros_msgs.srv import GetDescription, GetVariable
from thymio_fleet_interfaces.srv import LoadScript

from aseba_link.ros.bridged_node import BridgedNode
from aseba_link.wire.description import Variable
from aseba_link.wire.message import HOST_ID, Message, MessageType, from_words
from harness.aseba.fake_node import FakeNode, small_description
from harness.ros.bridge_bench import BridgeBench, program

ONE, TWO = "tcp:host;1", "tcp:host;2"
FIRST, SECOND = program("first", "a"), program("second", "b", code="_id = 1")
LIST = from_words(HOST_ID, MessageType.LIST_NODES, [9])
TEXT = '<network><node name="thymio-II"></node></network>'
Make = Callable[..., BridgeBench]


class Secretive(FakeNode):
    """A node that does not answer requests for variables."""

    def handle(self, message: Message) -> list[Message]:
        answers = super().handle(message)
        return [] if message.type == MessageType.GET_VARIABLES else answers


@pytest.fixture
def make() -> Iterator[Make]:
    benches: list[BridgeBench] = []

    def make_one(*nodes: FakeNode, **options: Any) -> BridgeBench:
        benches.append(BridgeBench(*(nodes or (FakeNode(),)), **options))
        benches[-1].run()
        return benches[-1]

    yield make_one
    for bench in benches:
        bench.close()


def unplug(bench: BridgeBench, target: str = ONE) -> None:
    connection = bench.targets[target].connection
    assert connection is not None
    connection.close()
    bench.targets[target].connection = None
    bench.run(0.1)


def test_event_names_follow_a_script_that_starts_after_its_load_timed_out(make: Make) -> None:
    bench = make(default=FIRST)
    bench.targets[ONE].is_deaf = True
    results = bench.load(SECOND)
    for _ in range(120):
        bench.run(0.1)
        bench.targets[ONE].send([bench.targets[ONE].nodes[0].handle(LIST)[0]])
    assert results == ["it does not confirm that it runs the uploaded script"]
    bench.targets[ONE].is_deaf = False
    bench.run(12.0)
    bench.event_arrives(ONE, 0, "t1/aseba/events/b")


def test_script_refused_by_a_node_is_not_loaded_when_it_returns(make: Make) -> None:
    bench = make(default=FIRST)
    too_long = program("long", code="_id = _id + 1\n" * 500)
    assert bench.load(too_long) == ["the script has 2004 words of bytecode, the node holds 1534"]
    bench.event_arrives(ONE, 0, "t1/aseba/events/a")
    unplug(bench)
    bench.run(2.0)
    bench.event_arrives(ONE, 0, "t1/aseba/events/a")


def test_script_load_to_a_vanished_node_is_reported_and_the_script_runs_on_its_return(make: Make) -> None:
    bench = make(default=FIRST)
    results = bench.load(SECOND)
    unplug(bench)
    assert results == [f"it disconnected: {ONE} disconnected: closed by the peer"]
    bench.run(2.0)
    bench.event_arrives(ONE, 0, "t1/aseba/events/b")


def test_robot_that_replaces_another_gets_a_script_compiled_for_it(make: Make) -> None:
    bench = make(default=program("counting", code="_id = 7"))
    before = bench.targets[ONE].nodes[0].bytecode
    unplug(bench)
    description = small_description()
    other = replace(description, variables=(Variable("first", 3), *description.variables))
    bench.targets[ONE].nodes = (FakeNode(1, other),)
    bench.run(2.0)
    assert bench.targets[ONE].nodes[0].running
    assert bench.targets[ONE].nodes[0].bytecode != before


def test_replacement_robot_of_another_name_gets_a_new_description(make: Make) -> None:
    bench = make()
    unplug(bench)
    bench.targets[ONE].nodes = (FakeNode(1, replace(small_description(), name="e-puck0")),)
    bench.run(2.0)
    answer = bench.call(GetDescription, "t1/aseba/get_description")
    bench.wait_for(answer.done, "a description")
    assert answer.result().description.name == "e-puck0"
    assert "Aseba Node e-puck0 1" in bench.diagnostics()


def test_nodes_with_the_same_id_have_separate_diagnostics(make: Make) -> None:
    bench = make(FakeNode(1), FakeNode(1))
    bench.dialer.accept.pop(2)
    unplug(bench, TWO)
    statuses = bench.diagnostics()
    assert statuses["Aseba Node thymio-II 1"] == "Connected"
    assert statuses[f"Aseba Node thymio-II 1 on {TWO}"] == "Not Connected"


def test_subscriptions_stay_while_a_node_leaves_and_returns_with_the_same_script(make: Make) -> None:
    bench = make(default=FIRST)
    before = list(bench.ros.subscriptions)
    unplug(bench)
    bench.run(2.0)
    assert bench.targets[ONE].nodes[0].running
    assert list(bench.ros.subscriptions) == before


def test_id_variable_is_set_after_loading_a_script(make: Make) -> None:
    description = small_description()
    variables = (Variable("id", 1), *description.variables[1:])
    bench = make(
        FakeNode(9, replace(description, variables=variables)),
        default=FIRST,
        sets_id_variable=True,
        id_variable="id",
    )
    assert bench.targets[ONE].nodes[0].variables[0] == 9


def test_empty_id_variable_is_harmless(make: Make) -> None:
    description = small_description()
    variables = (*description.variables, Variable("id", 0))
    bench = make(
        FakeNode(9, replace(description, variables=variables)),
        default=FIRST,
        sets_id_variable=True,
        id_variable="id",
    )
    assert bench.targets[ONE].nodes[0].running


def test_default_script_is_not_replaced_when_the_link_loads_it_by_itself(make: Make) -> None:
    bench = make(default=FIRST, loads=False)
    answer = bench.call(LoadScript, "aseba/x/load_script", text=TEXT, set_as_default=True)
    bench.wait_for(answer.done, "an answer")
    assert answer.result().message == "first is the default script, and cannot be replaced by another"
    bench.event_arrives(ONE, 0, "t1/aseba/events/a")


def test_load_without_a_script_restores_the_links_script(make: Make) -> None:
    bench = make(default=FIRST, loads=False)
    bench.load(SECOND)
    bench.run()
    bench.event_arrives(ONE, 0, "t1/aseba/events/b")
    answer = bench.call(LoadScript, "aseba/x/load_script")
    bench.wait_for(answer.done, "an answer")
    assert answer.result().success
    bench.event_arrives(ONE, 0, "t1/aseba/events/a")


def test_variable_request_is_answered_even_if_its_node_is_dropped(make: Make) -> None:
    node = Secretive()
    bench = make(node)
    answer = bench.call(GetVariable, "t1/aseba/get_variable", variable="_id")
    bench.wait_for(lambda: bool(node.requests(MessageType.GET_VARIABLES)), "the question")
    bench.rule = replace(bench.rule, accept=False)
    unplug(bench)
    bench.wait_for(answer.done, "an answer")
    assert list(answer.result().data) == []


@pytest.mark.fenced
def test_event_that_fails_is_counted_and_keeps_no_other_event_away(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = make(FakeNode(), FakeNode(), default=FIRST)
    publish = BridgedNode.publish_event

    def fail_for_one(bridged: BridgedNode, event: Any) -> bool:
        if event.address.target == ONE:
            raise ValueError("a defect")
        return publish(bridged, event)

    monkeypatch.setattr(BridgedNode, "publish_event", fail_for_one)
    bench.emit(ONE, 0)
    bench.event_arrives(TWO, 0, "t2/aseba/events/a")
    network = next(text for name, text in bench.diagnostics().items() if name.startswith("Aseba Network"))
    assert network == "Connected; internal errors: 1 at an event of the link"
