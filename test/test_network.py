from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.bytecode import CompiledScript
from aseba_link.description import NodeDescription, Variable
from aseba_link.errors import CompilerError
from aseba_link.event import LinkEvent, NodeFaulted, NodeLost, NodeReady, UserEvent, VariablesRead
from aseba_link.message import Message, MessageType, from_words
from aseba_link.network import Network
from aseba_link.node import Node, NodeAddress
from aseba_link.session import NodeState, ScriptFor
from fake_node import UUID, FakeNode, small_description

SCRIPT = CompiledScript(tuple(range(3, 603)))
STEP_NS = 10_000_000


def keep(messages: list[Message]) -> list[Message]:
    return messages


class Wire:
    """A network and its nodes in one time; `disturb` is what happens to the nodes' answers on their way."""

    def __init__(self, *nodes: FakeNode, script_for: ScriptFor = lambda _: SCRIPT) -> None:
        self.nodes = list(nodes)
        self.network = Network("tcp:x", script_for)
        self.events: list[LinkEvent] = []
        self.disturb: Callable[[list[Message]], list[Message]] = keep
        self.now_ns = 0
        self.reporting = True

    def step(self) -> None:
        """Let 10 ms pass; nodes that run report every 50 ms."""
        self.now_ns += STEP_NS
        self.network.advance(self.now_ns)
        for message in self.network.take_messages():
            for node in self.nodes:
                for answer in self.disturb(node.handle(message)):
                    self.network.receive(answer, self.now_ns)
        if self.reporting and self.now_ns % (5 * STEP_NS) == 0:
            for node in self.nodes:
                if node.running:
                    self.network.receive(node.odometry(), self.now_ns)
        self.events += self.network.take_events()

    def run(self, duration_s: float) -> None:
        for _ in range(round(duration_s * 1e9 / STEP_NS)):
            self.step()

    def say(self, *messages: Message) -> None:
        for message in messages:
            self.network.receive(message, self.now_ns)

    def of_kind[Kind: LinkEvent](self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.events if isinstance(event, kind)]

    def outages(self) -> list[LinkEvent]:
        return [event for event in self.events if isinstance(event, NodeReady | NodeLost | NodeFaulted)]


def address(node_id: int = 1) -> NodeAddress:
    return NodeAddress("tcp:x", node_id)


def ready_wire() -> Wire:
    wire = Wire(FakeNode())
    wire.run(1)
    assert wire.network.state(1) is NodeState.READY
    wire.events.clear()
    return wire


def old_node() -> FakeNode:
    return FakeNode(1, small_description(5))


@pytest.mark.parametrize("protocol", [5, 7, 8, 9])
def test_node_is_described_scripted_and_ready(protocol: int) -> None:
    node = FakeNode(3, small_description(protocol))
    wire = Wire(node)
    wire.run(0.5)
    uuid = UUID.hex() if protocol >= 6 else ""
    assert wire.outages() == [NodeReady(Node(address(3), node.description, uuid))]
    assert node.bytecode == SCRIPT.bytecode
    assert node.running


def test_several_nodes_on_one_connection_are_all_ready() -> None:
    wire = Wire(*(FakeNode(node_id) for node_id in range(1, 9)))
    wire.run(0.5)
    assert list(wire.network.nodes) == [address(node_id) for node_id in range(1, 9)]


def test_no_message_is_longer_than_aseba_allows() -> None:
    wire = Wire(FakeNode())
    wire.run(0.5)
    assert max(len(message.payload) for message in wire.nodes[0].received) == 516


def test_variable_id_is_written_before_the_script_runs() -> None:
    wire = Wire(FakeNode(7))
    wire.run(0.5)
    assert wire.nodes[0].variables[0] == 7


def test_old_node_gets_no_message_of_a_newer_protocol() -> None:
    wire = Wire(old_node())
    wire.run(3)
    assert max(message.type for message in wire.nodes[0].received) <= MessageType.LIST_NODES


def test_nodes_are_listed_every_second() -> None:
    wire = ready_wire()
    wire.run(4)
    assert len(wire.nodes[0].requests(MessageType.LIST_NODES)) == 5


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(0, 80), max_size=40), st.sampled_from([5, 9]))
def test_lost_answers_are_asked_for_again(lost: set[int], protocol: int) -> None:
    wire = Wire(FakeNode(1, small_description(protocol)))
    seen = 0

    def lose(messages: list[Message]) -> list[Message]:
        nonlocal seen
        seen += len(messages)
        return [message for k, message in enumerate(messages, seen - len(messages)) if k not in lost]

    wire.disturb = lose
    wire.run(60)
    described = {event.node.description for event in wire.of_kind(NodeReady)}
    assert described == {wire.nodes[0].description}


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(0, 80), max_size=40), st.sampled_from([5, 9]))
def test_repeated_answers_do_not_change_the_description(twice: set[int], protocol: int) -> None:
    wire = Wire(FakeNode(1, small_description(protocol)))
    seen = 0

    def repeat(messages: list[Message]) -> list[Message]:
        nonlocal seen
        seen += len(messages)
        numbered = enumerate(messages, seen - len(messages))
        return [copy for k, message in numbered for copy in [message] * (2 if k in twice else 1)]

    wire.disturb = repeat
    wire.run(60)
    described = {event.node.description for event in wire.of_kind(NodeReady)}
    assert described == {wire.nodes[0].description}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 23)), max_size=30))
def test_answers_to_another_host_do_not_change_the_description(foreign: list[tuple[int, int]]) -> None:
    node = FakeNode()
    wire = Wire(node)
    seen = 0

    def interrupt(messages: list[Message]) -> list[Message]:
        nonlocal seen
        seen += len(messages)
        fragments = [fragment for place, fragment in foreign if seen - len(messages) <= place < seen]
        questions = [from_words(0, MessageType.GET_NODE_DESCRIPTION_FRAGMENT, [1, 9, k]) for k in fragments]
        return [*(answer for question in questions for answer in FakeNode().handle(question)), *messages]

    wire.disturb = interrupt
    wire.run(30)
    assert {event.node.description for event in wire.of_kind(NodeReady)} == {node.description}


def test_order_of_kinds_in_an_old_description_does_not_matter() -> None:
    node = old_node()
    wire = Wire(node)
    wire.disturb = lambda messages: [*messages[:1], *messages[8:], *messages[1:8]]
    wire.run(0.5)
    assert wire.of_kind(NodeReady)[0].node.description == node.description


def test_node_without_uuid_is_ready_all_the_same() -> None:
    wire = Wire(FakeNode())
    wire.disturb = lambda messages: [m for m in messages if m.type != MessageType.DEVICE_INFO]
    wire.run(2)
    assert wire.of_kind(NodeReady)[0].node.uuid == ""
    assert not wire.nodes[0].requests(MessageType.SET_DEVICE_INFO)


def test_lost_answer_to_an_upload_repeats_the_upload() -> None:
    wire = Wire(FakeNode())
    wire.disturb = lambda messages: [m for m in messages if m.type != MessageType.EXECUTION_STATE_CHANGED]
    wire.run(1.2)
    assert wire.outages() == []
    wire.disturb = keep
    wire.run(1.5)
    assert len(wire.of_kind(NodeReady)) == 1


def test_node_that_stays_stopped_is_told_once_and_tried_for_ever() -> None:
    wire = Wire(FakeNode())
    wire.disturb = lambda messages: [m for m in messages if m.type != MessageType.EXECUTION_STATE_CHANGED]
    wire.run(60)
    assert len(wire.outages()) == 1
    assert "does not say that it runs" in wire.of_kind(NodeFaulted)[0].reason
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


def test_silence_of_the_script_alone_is_no_loss_where_it_may_be_silent() -> None:
    wire = Wire(FakeNode())
    wire.network = Network("tcp:x", lambda _: SCRIPT, event_timeout_s=None)
    wire.reporting = False
    wire.run(10)
    assert [type(event) for event in wire.outages()] == [NodeReady]


def test_script_that_somebody_stopped_is_uploaded_again() -> None:
    wire = ready_wire()
    wire.nodes[0].running = False
    wire.say(wire.nodes[0].state())
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
    wire.say(message)
    wire.run(2)
    assert [type(event) for event in wire.outages()] == [NodeFaulted, NodeReady]
    assert reason in wire.of_kind(NodeFaulted)[0].reason


def test_script_that_faults_again_and_again_is_uploaded_ever_less_often() -> None:
    wire = ready_wire()
    for _ in range(4000):
        wire.step()
        if wire.network.state(1) is NodeState.READY:
            wire.say(from_words(1, MessageType.DIVISION_BY_ZERO, [17]))
    assert 5 <= len(wire.of_kind(NodeFaulted)) <= 9


def test_killed_event_is_only_counted() -> None:
    wire = ready_wire()
    wire.say(from_words(1, MessageType.EVENT_EXECUTION_KILLED, [17]))
    wire.run(1)
    assert (wire.outages(), wire.network.killed) == ([], 1)


def test_script_that_is_too_long_for_the_node_is_told_once_and_not_uploaded() -> None:
    wire = Wire(FakeNode(1, replace(small_description(), bytecode_size=599)))
    wire.run(10)
    assert wire.outages() == [NodeFaulted(address(), "the script has 600 words of bytecode, the node holds 599")]
    assert not wire.nodes[0].requests(MessageType.SET_BYTECODE)


def refuse(_: NodeDescription) -> CompiledScript:
    raise CompilerError("line 1: no")


def test_script_that_does_not_compile_is_told_once() -> None:
    wire = Wire(FakeNode(), script_for=refuse)
    wire.run(10)
    assert wire.outages() == [NodeFaulted(address(), "line 1: no")]


def test_node_waits_for_a_script_that_is_still_being_compiled() -> None:
    future: Future[CompiledScript] = Future()
    wire = Wire(FakeNode(), script_for=lambda _: future)
    wire.run(5)
    assert wire.network.state(1) is NodeState.COMPILING
    future.set_result(SCRIPT)
    wire.run(0.1)
    assert wire.network.state(1) is NodeState.READY


def test_compiler_that_fails_later_is_told_once() -> None:
    future: Future[CompiledScript] = Future()
    future.set_exception(CompilerError("line 1: no"))
    wire = Wire(FakeNode(), script_for=lambda _: future)
    wire.run(5)
    assert wire.outages() == [NodeFaulted(address(), "line 1: no")]


def test_node_without_a_script_is_left_alone() -> None:
    wire = Wire(FakeNode(), script_for=lambda _: None)
    wire.run(5)
    assert wire.outages() == []
    assert wire.network.state(1) is NodeState.UNSCRIPTED
    assert not wire.nodes[0].requests(MessageType.RUN)


def test_node_that_says_good_bye_is_lost_and_may_come_back() -> None:
    wire = ready_wire()
    wire.say(Message(1, MessageType.DISCONNECTED))
    wire.run(2)
    assert [type(event) for event in wire.outages()] == [NodeLost, NodeReady]


def test_node_with_another_firmware_is_described_again() -> None:
    wire = ready_wire()
    wire.nodes = [old_node()]
    wire.run(3)
    assert [type(event) for event in wire.outages()] == [NodeLost, NodeReady]
    assert wire.of_kind(NodeReady)[0].node.description.protocol_version == 5


def test_events_of_a_ready_node_are_passed_on_with_their_time() -> None:
    wire = ready_wire()
    wire.say(from_words(1, 1, [1, -2, 3, -4, 5]))
    wire.step()
    assert UserEvent(address(), 1, (1, -2, 3, -4, 5), wire.now_ns - STEP_NS) in wire.events


def test_events_are_not_passed_on_while_another_script_may_run() -> None:
    wire = ready_wire()
    wire.say(from_words(1, MessageType.EXECUTION_STATE_CHANGED, [0, 2]), from_words(1, 1, [9] * 5))
    wire.step()
    assert wire.of_kind(UserEvent) == []


def test_event_is_sent_with_source_0_to_a_ready_node_only() -> None:
    wire = ready_wire()
    assert wire.network.emit(1, 0, [1, 100, -100])
    assert not wire.network.emit(2, 0, [2, 100, -100])
    assert wire.network.take_messages() == [from_words(0, 0, [1, 100, -100])]


def test_variable_is_read_by_name() -> None:
    wire = ready_wire()
    wire.nodes[0].variables[34] = 0xFFFE
    assert wire.network.request_variable(1, "motor.left.target", wire.now_ns)
    wire.step()
    assert wire.of_kind(VariablesRead) == [VariablesRead(address(), "motor.left.target", (-2,), wire.now_ns)]


def test_variable_that_comes_in_pieces_is_read_once_it_is_whole() -> None:
    wire = ready_wire()
    wire.network.request_variable(1, "event.args", wire.now_ns)
    wire.network.take_messages()
    wire.say(from_words(1, MessageType.VARIABLES, [18, *range(16, 40)]))
    wire.say(from_words(1, MessageType.VARIABLES, [0, 7, 7, *range(10)]))
    assert wire.network.take_events() == []
    wire.say(from_words(1, MessageType.VARIABLES, [12, *range(10, 16)]))
    assert wire.network.take_events() == [VariablesRead(address(), "event.args", tuple(range(32)), wire.now_ns)]


def test_two_nodes_answer_each_for_itself() -> None:
    wire = Wire(FakeNode(1), FakeNode(2))
    wire.run(1)
    for node in wire.nodes:
        node.variables[34] = 10 * node.node_id
        wire.network.request_variable(node.node_id, "motor.left.target", wire.now_ns)
    wire.step()
    assert {(read.address.node_id, read.values) for read in wire.of_kind(VariablesRead)} == {(1, (10,)), (2, (20,))}


def test_unknown_variable_is_not_asked_for() -> None:
    wire = ready_wire()
    assert not wire.network.request_variable(1, "_vbat", wire.now_ns)
    assert wire.network.take_messages() == []


def test_answer_that_comes_after_a_second_is_not_told() -> None:
    wire = ready_wire()
    wire.network.request_variable(1, "_id", wire.now_ns)
    wire.network.take_messages()
    wire.run(1.1)
    wire.say(from_words(1, MessageType.VARIABLES, [0, 1]))
    wire.step()
    assert wire.of_kind(VariablesRead) == []


def test_variable_longer_than_a_message_is_asked_for_in_parts() -> None:
    description = replace(small_description(), variables=(Variable("big", 600),))
    wire = Wire(FakeNode(1, description))
    wire.run(1)
    wire.network.request_variable(1, "big", wire.now_ns)
    wire.step()
    assert [len(read.values) for read in wire.of_kind(VariablesRead)] == [600]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.builds(Message, st.integers(0, 3), st.integers(0, 0xA020), st.binary(max_size=516)), max_size=50))
def test_no_message_makes_the_network_fail(messages: list[Message]) -> None:
    wire = ready_wire()
    wire.say(*messages)
    wire.run(0.1)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.builds(Message, st.integers(1, 2), st.sampled_from(sorted(MessageType)), st.binary(max_size=12)), max_size=50
    )
)
def test_no_malformed_system_message_makes_the_network_fail(messages: list[Message]) -> None:
    wire = Wire(FakeNode())
    wire.step()
    wire.say(*messages)
    wire.run(0.1)


def test_malformed_messages_are_dropped_and_counted() -> None:
    wire = ready_wire()
    wire.say(Message(1, MessageType.EXECUTION_STATE_CHANGED, b""), Message(1, MessageType.NODE_PRESENT, b"\x05"))
    wire.say(Message(1, MessageType.VARIABLES, b""))
    wire.run(0.1)
    assert (wire.network.dropped, wire.outages()) == (3, [])


def test_commands_of_other_hosts_are_no_nodes() -> None:
    wire = ready_wire()
    wire.say(from_words(0, MessageType.STOP, [1]), from_words(9, MessageType.RUN, [1]), from_words(0, 1, [1] * 5))
    wire.run(0.1)
    assert (wire.outages(), wire.network.state(9)) == ([], None)


def test_header_that_claims_absurdly_many_items_is_dropped() -> None:
    wire = Wire(FakeNode())
    wire.disturb = lambda messages: [
        Message(1, m.type, b"\x01x" + b"\xff" * 14) if m.type == MessageType.DESCRIPTION else m for m in messages
    ]
    wire.run(2)
    assert wire.network.state(1) is NodeState.DESCRIBING
    assert wire.network.dropped > 0
