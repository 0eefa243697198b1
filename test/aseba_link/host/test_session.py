from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aseba_link.errors import CompilerError
from aseba_link.host.link_events import NodeFaulted, NodeLost, NodeReady
from aseba_link.host.node import Node
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.host.session import NodeState
from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.description import Variable
from aseba_link.wire.message import Message, MessageType, from_words
from harness.aseba.fake_node import FakeNode, small_description
from harness.aseba.wire import SCRIPT, Wire, address, keep, ready_wire

OTHER = CompiledScript((1, 0, 0), (Variable("count", 2),))
PATIENT = ScriptPolicy(lambda _: SCRIPT, event_timeout_s=None, reclaims=False)  # as in the bridge


def command(wire: Wire, message_type: MessageType) -> None:
    """Let another host send the node a command, which our session overhears."""
    message = from_words(0, message_type, [1, 0, 7])
    wire.deliver(message, *wire.nodes[0].handle(message))


def known_node(wire: Wire) -> Node:
    return wire.network.nodes[address()]


def patient_wire() -> Wire:
    wire = Wire(FakeNode(), script_policy=PATIENT)
    wire.reporting = False
    wire.run(1)
    wire.events.clear()
    return wire


def test_lost_answer_to_an_upload_repeats_the_upload() -> None:
    wire = Wire(FakeNode())
    wire.disturb = lambda messages: [m for m in messages if m.type != MessageType.EXECUTION_STATE_CHANGED]
    wire.run(1.2)
    assert wire.outages() == []
    wire.disturb = keep
    wire.run(1.5)
    assert len(wire.of_kind(NodeReady)) == 1


@given(st.integers(1, 60))
@example(16)  # tenths of a second: the second upload is sent already when the first one is confirmed
def test_upload_that_is_confirmed_late_does_no_harm(frozen_ds: int) -> None:
    wire = Wire(FakeNode())
    wire.freezes_at = MessageType.SET_BYTECODE
    while not wire.is_frozen:
        wire.step()
    wire.run(0.1 * frozen_ds)
    wire.is_frozen = False
    wire.run(3)
    assert wire.session().state is NodeState.READY
    ready_at = wire.outages()
    uploads = len(wire.nodes[0].requests(MessageType.RUN))
    wire.run(5)
    assert wire.outages() == ready_at
    assert len(wire.of_kind(NodeReady)) == 1
    assert len(wire.nodes[0].requests(MessageType.RUN)) == uploads


def test_node_that_stays_stopped_is_reported_once_and_retried_for_ever() -> None:
    wire = Wire(FakeNode())
    wire.disturb = lambda messages: [m for m in messages if m.type != MessageType.EXECUTION_STATE_CHANGED]
    wire.run(60)
    assert len(wire.outages()) == 1
    assert "does not confirm that it runs" in wire.of_kind(NodeFaulted)[0].reason
    wire.disturb = keep
    wire.run(12)
    assert len(wire.of_kind(NodeReady)) == 1


def test_silent_node_is_lost_after_three_seconds_and_ready_again_when_it_is_back() -> None:
    wire = ready_wire()
    wire.disturb = lambda _: []
    wire.reporting = False
    wire.run(2.9)
    assert wire.outages() == []
    wire.run(0.3)
    assert wire.outages() == [NodeLost(address(), "silent for 3 s")]
    wire.disturb = keep
    wire.run(2)
    assert isinstance(wire.outages()[-1], NodeReady)


def test_node_that_was_switched_off_and_on_gets_its_script_again() -> None:
    wire = ready_wire()
    wire.nodes = [FakeNode()]
    wire.run(3)
    assert [type(event) for event in wire.outages()] == [NodeLost, NodeReady]
    assert wire.nodes[0].bytecode == SCRIPT.bytecode


def test_silence_of_a_script_that_may_be_silent_is_not_a_loss() -> None:
    wire = Wire(FakeNode(), script_policy=PATIENT)
    wire.reporting = False
    wire.run(10)
    assert [type(event) for event in wire.outages()] == [NodeReady]


def test_stopped_script_is_uploaded_again() -> None:
    wire = ready_wire()
    wire.nodes[0].running = False
    wire.deliver(wire.nodes[0].state())
    wire.run(2)
    assert [type(event) for event in wire.outages()] == [NodeLost, NodeReady]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (from_words(1, MessageType.DIVISION_BY_ZERO, [17]), "division by zero at bytecode word 17"),
        (from_words(1, MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS, [5, 3, 9]), "index 9 of an array of 3 words"),
        (Message(1, MessageType.NODE_SPECIFIC_ERROR, b"\x01\x00\x04oops"), "oops"),
        (Message(1, MessageType.NODE_SPECIFIC_ERROR, b""), "node specific error"),
    ],
)
def test_run_time_error_is_a_fault_and_the_script_is_uploaded_again(message: Message, reason: str) -> None:
    wire = ready_wire()
    wire.deliver(message)
    wire.run(2)
    assert [type(event) for event in wire.outages()] == [NodeFaulted, NodeReady]
    assert reason in wire.of_kind(NodeFaulted)[0].reason


def test_script_that_keeps_faulting_is_uploaded_ever_less_often() -> None:
    wire = ready_wire()
    for _ in range(4000):
        wire.step()
        if wire.session().state is NodeState.READY:
            wire.deliver(from_words(1, MessageType.DIVISION_BY_ZERO, [17]))
    assert 5 <= len(wire.of_kind(NodeFaulted)) <= 9


def test_killed_event_is_only_counted() -> None:
    wire = ready_wire()
    wire.deliver(from_words(1, MessageType.EVENT_EXECUTION_KILLED, [17]))
    wire.run(1)
    assert (wire.outages(), wire.network.killed) == ([], 1)


def test_script_that_is_too_long_for_the_node_is_reported_once_and_not_uploaded() -> None:
    wire = Wire(FakeNode(1, replace(small_description(), bytecode_size=599)))
    wire.run(10)
    assert wire.outages() == [NodeFaulted(address(), "the script has 600 words of bytecode, the node holds 599")]
    assert not wire.nodes[0].requests(MessageType.SET_BYTECODE)


def refuse(_: Node) -> CompiledScript:
    raise CompilerError("line 1: no")


def test_script_that_does_not_compile_is_reported_once() -> None:
    wire = Wire(FakeNode(), script_for=refuse)
    wire.run(10)
    assert wire.outages() == [NodeFaulted(address(), "line 1: no")]


def test_node_without_a_script_is_left_alone() -> None:
    wire = Wire(FakeNode(), script_for=lambda _: None)
    wire.run(5)
    assert wire.outages() == []
    assert wire.session().state is NodeState.UNSCRIPTED
    assert not wire.nodes[0].requests(MessageType.RUN)


def test_script_that_is_loaded_replaces_the_first_one() -> None:
    wire = ready_wire()
    assert wire.session().load(OTHER, wire.now_ns)
    wire.run(0.5)
    assert wire.outages() == [
        NodeLost(address(), "another script is loaded"),
        NodeReady(known_node(wire), is_loaded=True),
    ]
    assert wire.nodes[0].bytecode[: len(OTHER.bytecode)] == OTHER.bytecode


def test_loaded_script_may_be_silent() -> None:
    wire = ready_wire()
    wire.session().load(OTHER, wire.now_ns)
    wire.reporting = False
    wire.run(10)
    assert [type(event) for event in wire.outages()] == [NodeLost, NodeReady]


def test_silent_script_is_uploaded_again_after_the_node_was_switched_off_and_on() -> None:
    wire = patient_wire()
    wire.nodes = [FakeNode()]
    wire.run(5)
    assert [type(event) for event in wire.outages()] == [NodeLost, NodeReady]


def test_loaded_script_that_is_too_long_is_reported() -> None:
    wire = ready_wire()
    wire.session().load(CompiledScript((0,) * 1535), wire.now_ns)
    wire.run(1)
    assert [type(event) for event in wire.outages()] == [NodeLost, NodeFaulted]


def test_node_that_another_host_scripted_gets_our_script_back() -> None:
    wire = ready_wire()
    command(wire, MessageType.SET_BYTECODE)
    command(wire, MessageType.RUN)
    wire.run(3)
    assert [type(event) for event in wire.outages()] == [NodeLost, NodeReady]
    assert wire.nodes[0].bytecode == SCRIPT.bytecode


def test_node_that_another_host_scripted_is_left_to_it_if_scripts_are_not_reclaimed() -> None:
    wire = patient_wire()
    command(wire, MessageType.SET_BYTECODE)
    command(wire, MessageType.RUN)
    wire.run(10)
    assert wire.outages() == [NodeLost(address(), "another host uploaded a script")]
    assert wire.session().state is NodeState.UNSCRIPTED


def test_script_that_another_host_pauses_is_ready_again_when_it_resumes() -> None:
    wire = patient_wire()
    command(wire, MessageType.STOP)
    wire.nodes[0].running = False
    wire.deliver(wire.nodes[0].state())
    wire.run(10)
    assert wire.outages() == [NodeLost(address(), "another host stopped its script")]
    command(wire, MessageType.RUN)
    wire.run(0.1)
    assert isinstance(wire.outages()[-1], NodeReady)


def test_own_commands_that_a_switch_sends_back_do_no_harm() -> None:
    wire = Wire(FakeNode(), script_policy=PATIENT)
    for _ in range(300):
        wire.network.advance(wire.now_ns)
        for message in wire.sent():
            wire.deliver(message, *wire.nodes[0].handle(message))
        wire.step()
    assert [type(event) for event in wire.outages()] == [NodeReady]


def test_restored_node_runs_its_default_script_again() -> None:
    wire = ready_wire()
    wire.session().load(OTHER, wire.now_ns)
    wire.run(1)
    assert wire.session().restore(wire.now_ns)
    wire.run(1)
    assert wire.outages()[-1] == NodeReady(known_node(wire))
    assert wire.nodes[0].bytecode == SCRIPT.bytecode


def test_node_that_ran_another_script_is_not_ready_before_it_has_the_new_one() -> None:
    wire = ready_wire()
    wire.session().load(OTHER, wire.now_ns)
    wire.deliver(wire.nodes[0].state())  # the second answer to the previous upload
    wire.network.advance(wire.now_ns)
    assert wire.session().state is NodeState.UPLOADING
    wire.run(0.1)
    assert wire.session().state is NodeState.READY


CONTESTED = "another host on tcp:x loads another script into it; stop one of the two"


def contested_wire() -> Wire:
    """Return a node whose script another host has replaced three times."""
    wire = ready_wire()
    for _ in range(3):
        command(wire, MessageType.SET_BYTECODE)
        command(wire, MessageType.RUN)
        wire.run(5)
    return wire


def test_host_gives_up_a_node_that_another_host_scripts_again_and_again() -> None:
    wire = contested_wire()
    assert wire.outages()[-2:] == [NodeLost(address(), CONTESTED), NodeFaulted(address(), CONTESTED)]
    assert wire.session().state is NodeState.CONTESTED


def test_host_resets_the_node_that_it_gives_up() -> None:
    assert len(contested_wire().nodes[0].requests(MessageType.RESET)) == 1


def test_node_that_was_given_up_is_left_alone_while_another_host_addresses_it() -> None:
    wire = contested_wire()
    uploads = len(wire.nodes[0].requests(MessageType.SET_BYTECODE))
    for _ in range(10):
        command(wire, MessageType.GET_EXECUTION_STATE)
        wire.run(5)
    assert len(wire.nodes[0].requests(MessageType.SET_BYTECODE)) == uploads


def test_node_that_was_given_up_gets_its_script_once_no_other_host_addresses_it() -> None:
    wire = contested_wire()
    wire.run(12)
    assert wire.outages()[-1] == NodeReady(known_node(wire))
    assert wire.nodes[0].bytecode == SCRIPT.bytecode


def test_rare_uploads_of_another_host_are_undone_each_time() -> None:
    wire = ready_wire()
    for _ in range(5):
        command(wire, MessageType.SET_BYTECODE)
        wire.run(20)
    assert [type(event) for event in wire.outages()] == [NodeLost, NodeReady] * 5


def test_upload_echoed_by_a_switch_is_not_an_upload_of_another_host() -> None:
    wire = Wire(FakeNode())
    for _ in range(300):
        wire.network.advance(wire.now_ns)
        for message in wire.sent():
            wire.deliver(message, *wire.nodes[0].handle(message))
        wire.step()
    assert [type(event) for event in wire.outages()] == [NodeReady]


def test_equal_script_of_another_host_is_noticed_during_an_upload() -> None:
    wire = Wire(FakeNode())
    while not wire.nodes[0].requests(MessageType.SET_BYTECODE):
        wire.step()
    command(wire, MessageType.SET_BYTECODE)
    assert wire.session().state is NodeState.WAITING
