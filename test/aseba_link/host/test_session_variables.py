from dataclasses import replace

import pytest

from aseba_link.errors import MessageError
from aseba_link.host.link_events import VariablesRead
from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.description import Variable
from aseba_link.wire.message import MessageType, from_words
from harness.aseba.fake_node import FakeNode, small_description
from harness.aseba.wire import Wire, address, ready_wire


def test_variable_is_read_by_name() -> None:
    wire = ready_wire()
    wire.nodes[0].variables[34] = 0xFFFE
    assert wire.session().request_variable("motor.left.target", wire.now_ns)
    wire.step()
    assert wire.of_kind(VariablesRead) == [VariablesRead(address(), "motor.left.target", (-2,), wire.now_ns)]


def test_variable_that_arrives_in_pieces_is_read_once_it_is_complete() -> None:
    wire = ready_wire()
    wire.session().request_variable("event.args", wire.now_ns)
    wire.sent()
    wire.deliver(from_words(1, MessageType.VARIABLES, [18, *range(16, 40)]))
    wire.deliver(from_words(1, MessageType.VARIABLES, [0, 7, 7, *range(10)]))
    assert wire.outbox.events == []
    wire.deliver(from_words(1, MessageType.VARIABLES, [12, *range(10, 16)]))
    assert wire.outbox.events == [VariablesRead(address(), "event.args", tuple(range(32)), wire.now_ns)]


def test_two_nodes_answer_each_for_itself() -> None:
    wire = Wire(FakeNode(1), FakeNode(2))
    wire.run(1)
    for node in wire.nodes:
        node.variables[34] = 10 * node.node_id
        wire.session(node.node_id).request_variable("motor.left.target", wire.now_ns)
    wire.step()
    assert {(read.address.node_id, read.values) for read in wire.of_kind(VariablesRead)} == {(1, (10,)), (2, (20,))}


def test_unknown_variable_is_not_requested() -> None:
    wire = ready_wire()
    assert not wire.session().request_variable("_vbat", wire.now_ns)
    assert wire.sent() == []


def test_variable_without_words_is_not_requested() -> None:
    description = replace(small_description(), variables=(Variable("none", 0), Variable("_id", 1)))
    wire = Wire(FakeNode(1, description))
    wire.run(1)
    assert not wire.session().request_variable("none", wire.now_ns)
    wire.session().request_variable("_id", wire.now_ns)
    wire.step()
    assert [read.name for read in wire.of_kind(VariablesRead)] == ["_id"]


def test_answer_that_arrives_after_a_second_is_not_reported() -> None:
    wire = ready_wire()
    wire.session().request_variable("_id", wire.now_ns)
    wire.sent()
    wire.run(1.1)
    wire.deliver(from_words(1, MessageType.VARIABLES, [0, 1]))
    wire.step()
    assert wire.of_kind(VariablesRead) == []


def test_variable_longer_than_a_message_is_requested_in_parts() -> None:
    description = replace(small_description(), variables=(Variable("big", 600),))
    wire = Wire(FakeNode(1, description))
    wire.run(1)
    wire.session().request_variable("big", wire.now_ns)
    wire.step()
    assert [len(read.values) for read in wire.of_kind(VariablesRead)] == [600]


def test_variable_is_written_by_name() -> None:
    wire = ready_wire()
    assert wire.session().set_variable("motor.left.target", [-120])
    wire.run(0.02)
    assert wire.nodes[0].variables[34] == 0x10000 - 120


def test_values_that_do_not_fit_into_a_variable_are_refused() -> None:
    with pytest.raises(MessageError, match=r"2 values for variable motor.left.target, which has 1 words"):
        ready_wire().session().set_variable("motor.left.target", [1, 2])


def test_value_that_does_not_fit_16_bits_is_refused() -> None:
    with pytest.raises(MessageError, match="70000 does not fit"):
        ready_wire().session().set_variable("motor.left.target", [70000])


def test_unknown_variable_is_not_written() -> None:
    assert not ready_wire().session().set_variable("motor.middle.target", [1])


def test_variable_of_the_script_follows_those_of_the_node() -> None:
    wire = Wire(FakeNode(), script_for=lambda _: CompiledScript((1,), (Variable("first", 2), Variable("second", 3))))
    wire.run(1)
    assert wire.session().set_variable("second", [5, 6, 7])
    wire.run(0.02)
    own = sum(variable.size for variable in wire.nodes[0].description.variables)
    assert wire.nodes[0].variables[own : own + 6] == [0, 0, 5, 6, 7, 0]


def test_variables_of_a_node_without_a_script_are_read_as_well() -> None:
    wire = Wire(FakeNode(), script_for=lambda _: None)
    wire.run(1)
    assert wire.session().request_variable("_id", wire.now_ns)
