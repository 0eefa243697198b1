"""What the bridge does as nodes come, go, and are given scripts; on targets in memory."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from asebaros_msgs.srv import GetDescription, GetVariable
from thymio_fleet_interfaces.srv import LoadScript

from aseba_link.description import Variable
from aseba_link.message import HOST_ID, Message, MessageType, from_words
from bridge_bench import BridgeBench, program
from fake_node import FakeNode, small_description

ONE, TWO = "tcp:host;1", "tcp:host;2"
FIRST, SECOND = program("first", "a"), program("second", "b", code="_id = 1")
LIST = from_words(HOST_ID, MessageType.LIST_NODES, [9])
TEXT = '<network><node name="thymio-II"></node></network>'
Make = Callable[..., BridgeBench]


class Secretive(FakeNode):
    """A node that tells no variables."""

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


def test_events_have_the_names_of_a_script_that_runs_only_after_it_was_given_up(make: Make) -> None:
    bench = make(default=FIRST)
    bench.targets[ONE].is_deaf = True
    results = bench.load(SECOND)
    for _ in range(120):
        bench.run(0.1)
        bench.targets[ONE].say([bench.targets[ONE].nodes[0].handle(LIST)[0]])
    assert results == ["it does not say that it runs the script it was given"]
    bench.targets[ONE].is_deaf = False
    bench.run(12.0)
    bench.event_arrives(ONE, 0, "t1/aseba/events/b")


def test_script_that_a_node_refuses_is_not_loaded_when_it_comes_back(make: Make) -> None:
    bench = make(default=FIRST)
    too_long = program("long", code="_id = _id + 1\n" * 500)
    assert bench.load(too_long) == ["the script has 2004 words of bytecode, the node holds 1534"]
    bench.event_arrives(ONE, 0, "t1/aseba/events/a")
    unplug(bench)
    bench.run(2.0)
    bench.event_arrives(ONE, 0, "t1/aseba/events/a")


def test_script_loaded_to_a_node_that_vanishes_meanwhile_is_told_and_runs_when_it_is_back(make: Make) -> None:
    bench = make(default=FIRST)
    results = bench.load(SECOND)
    unplug(bench)
    assert results == [f"it is gone: {ONE} broke off: closed by the peer"]
    bench.run(2.0)
    bench.event_arrives(ONE, 0, "t1/aseba/events/b")


def test_another_robot_in_the_place_of_one_gets_a_script_that_was_compiled_for_it(make: Make) -> None:
    bench = make(default=program("counting", code="_id = 7"))
    before = bench.targets[ONE].nodes[0].bytecode
    unplug(bench)
    description = small_description()
    other = replace(description, variables=(Variable("first", 3), *description.variables))
    bench.targets[ONE].nodes = (FakeNode(1, other),)
    bench.run(2.0)
    assert bench.targets[ONE].nodes[0].running
    assert bench.targets[ONE].nodes[0].bytecode != before


def test_robot_of_another_name_in_the_place_of_one_is_described_anew(make: Make) -> None:
    bench = make()
    unplug(bench)
    bench.targets[ONE].nodes = (FakeNode(1, replace(small_description(), name="e-puck0")),)
    bench.run(2.0)
    answer = bench.call(GetDescription, "t1/aseba/get_description")
    bench.wait_for(answer.done, "a description")
    assert answer.result().description.name == "e-puck0"
    assert "Aseba Node e-puck0 1" in bench.diagnostics()


def test_nodes_of_the_same_id_have_diagnostics_each(make: Make) -> None:
    bench = make(FakeNode(1), FakeNode(1))
    bench.dialer.accept.pop(2)
    unplug(bench, TWO)
    statuses = bench.diagnostics()
    assert statuses["Aseba Node thymio-II 1"] == "Connected"
    assert statuses[f"Aseba Node thymio-II 1 on {TWO}"] == "Not Connected"


def test_subscriptions_stay_while_a_node_comes_and_goes_with_the_same_script(make: Make) -> None:
    bench = make(default=FIRST)
    before = list(bench.ros.subscriptions)
    unplug(bench)
    bench.run(2.0)
    assert bench.targets[ONE].nodes[0].running
    assert list(bench.ros.subscriptions) == before


def test_id_is_written_again_after_a_script_that_made_the_node_forget_it(make: Make) -> None:
    description = small_description()
    variables = (Variable("id", 1), *description.variables[1:])
    bench = make(
        FakeNode(9, replace(description, variables=variables)),
        default=FIRST,
        sets_id_variable=True,
        id_variable="id",
    )
    assert bench.targets[ONE].nodes[0].variables[0] == 9


def test_id_variable_without_words_is_no_harm(make: Make) -> None:
    description = small_description()
    variables = (*description.variables, Variable("id", 0))
    bench = make(
        FakeNode(9, replace(description, variables=variables)),
        default=FIRST,
        sets_id_variable=True,
        id_variable="id",
    )
    assert bench.targets[ONE].nodes[0].running


def test_default_script_is_not_replaced_where_the_link_gives_it_by_itself(make: Make) -> None:
    bench = make(default=FIRST, loads=False)
    answer = bench.call(LoadScript, "aseba/x/load_script", text=TEXT, set_as_default=True)
    bench.wait_for(answer.done, "an answer")
    assert answer.result().message == "first is the default script, and cannot be replaced by another"
    bench.event_arrives(ONE, 0, "t1/aseba/events/a")


def test_script_of_the_link_is_given_back_when_none_is_named(make: Make) -> None:
    bench = make(default=FIRST, loads=False)
    bench.load(SECOND)
    bench.run()
    bench.event_arrives(ONE, 0, "t1/aseba/events/b")
    answer = bench.call(LoadScript, "aseba/x/load_script")
    bench.wait_for(answer.done, "an answer")
    assert answer.result().success
    bench.event_arrives(ONE, 0, "t1/aseba/events/a")


def test_question_for_a_variable_is_answered_although_its_node_loses_its_place(make: Make) -> None:
    node = Secretive()
    bench = make(node)
    answer = bench.call(GetVariable, "t1/aseba/get_variable", variable="_id")
    bench.wait_for(lambda: bool(node.requests(MessageType.GET_VARIABLES)), "the question")
    bench.rule = replace(bench.rule, accept=False)
    unplug(bench)
    bench.wait_for(answer.done, "an answer")
    assert list(answer.result().data) == []
