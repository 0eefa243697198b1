import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.host.description_collector import WINDOW
from aseba_link.host.link_events import AnonymousEvent, NodeDisconnected, NodeFound, NodeLost, NodeReady, UserEvent
from aseba_link.host.network import PATIENCE_S, UPLOADS_AT_ONCE
from aseba_link.host.node import Node
from aseba_link.host.session import NodeState
from aseba_link.wire.message import Message, MessageType, from_words
from harness.aseba.fake_node import UUID, FakeNode, small_description
from harness.aseba.wire import SCRIPT, STEP_NS, Wire, address, old_node, ready_wire
from simulator.firmware.thymio import thymio_description


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


def mute(messages: list[Message]) -> list[Message]:
    """Withhold the execution states of nodes up to 40."""
    states = MessageType.EXECUTION_STATE_CHANGED
    return [message for message in messages if message.type != states or message.source > 40]


def test_scripts_are_uploaded_to_a_few_nodes_at_once() -> None:
    wire = Wire(*(FakeNode(node_id) for node_id in range(1, 51)))
    wire.disturb = mute
    wire.run(0.5)
    assert [node.node_id for node in wire.nodes if node.words] == list(range(1, UPLOADS_AT_ONCE + 1))


def test_nodes_that_do_not_confirm_their_script_delay_others_for_seconds_only() -> None:
    wire = Wire(*(FakeNode(node_id) for node_id in range(1, 51)))
    wire.reporting = False
    wire.disturb = mute
    wire.run(4.0)
    assert list(wire.network.nodes) == [address(node_id) for node_id in range(41, 51)]


def test_a_thymio_is_described_in_few_round_trips() -> None:
    wire = Wire(FakeNode(1, thymio_description()))
    wire.run(0.1)  # in which 10 questions can be answered
    assert [event.node.description for event in wire.of_kind(NodeFound)] == [thymio_description()]


def test_no_more_is_requested_at_a_time_from_a_node_that_answers_slowly() -> None:
    node = FakeNode(1, thymio_description())
    wire = Wire(node)
    late: list[Message] = []
    wire.disturb = lambda messages: late.extend(messages) or []  # type: ignore[func-returns-value]  # None is meant
    at_once = []
    for _ in range(20):
        before = len(node.requests(MessageType.GET_NODE_DESCRIPTION_FRAGMENT))
        wire.run(0.4)
        at_once.append(len(node.requests(MessageType.GET_NODE_DESCRIPTION_FRAGMENT)) - before)
        wire.deliver(*late)
        late.clear()
    assert max(at_once) == WINDOW


def test_by_radio_nodes_are_identified_two_at_a_time() -> None:
    wire = Wire(*(FakeNode(node_id) for node_id in range(1, 6)), is_narrow=True)
    wire.disturb = lambda messages: [message for message in messages if message.type == MessageType.NODE_PRESENT]
    wire.run(1.0)
    questions = wire.nodes[0].requests(MessageType.GET_NODE_DESCRIPTION_FRAGMENT)
    assert {question.addressee for question in questions} == {1, 2}


def test_by_radio_all_nodes_are_ready_in_the_end() -> None:
    wire = Wire(*(FakeNode(node_id) for node_id in range(1, 21)), is_narrow=True)
    wire.run(2.0)
    assert len(wire.network.nodes) == 20


def test_by_radio_nodes_that_cannot_be_identified_delay_others_for_seconds_only() -> None:
    wire = Wire(*(FakeNode(node_id) for node_id in range(1, 6)), is_narrow=True)
    wire.disturb = lambda messages: [
        message for message in messages if message.type == MessageType.NODE_PRESENT or message.source > 3
    ]
    wire.run(2.5 * PATIENCE_S)
    assert list(wire.network.nodes) == [address(4), address(5)]


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
def test_lost_answers_are_requested_again(lost: set[int], protocol: int) -> None:
    wire = Wire(FakeNode(1, small_description(protocol)))
    count = 0

    def lose(messages: list[Message]) -> list[Message]:
        nonlocal count
        count += len(messages)
        return [message for k, message in enumerate(messages, count - len(messages)) if k not in lost]

    wire.disturb = lose
    wire.run(60)
    described = {event.node.description for event in wire.of_kind(NodeReady)}
    assert described == {wire.nodes[0].description}


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(0, 80), max_size=40), st.sampled_from([5, 9]))
def test_repeated_answers_do_not_change_the_description(twice: set[int], protocol: int) -> None:
    wire = Wire(FakeNode(1, small_description(protocol)))
    count = 0

    def repeat(messages: list[Message]) -> list[Message]:
        nonlocal count
        count += len(messages)
        numbered = enumerate(messages, count - len(messages))
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
    count = 0

    def interrupt(messages: list[Message]) -> list[Message]:
        nonlocal count
        count += len(messages)
        fragments = [fragment for place, fragment in foreign if count - len(messages) <= place < count]
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


def test_node_without_uuid_becomes_ready_too() -> None:
    wire = Wire(FakeNode())
    wire.disturb = lambda messages: [m for m in messages if m.type != MessageType.DEVICE_INFO]
    wire.run(2)
    assert wire.of_kind(NodeReady)[0].node.uuid == ""
    assert not wire.nodes[0].requests(MessageType.SET_DEVICE_INFO)


def test_node_that_leaves_the_network_is_lost_and_may_reconnect() -> None:
    wire = ready_wire()
    wire.deliver(Message(1, MessageType.DISCONNECTED))
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
    wire.deliver(from_words(1, 1, [1, -2, 3, -4, 5]))
    wire.step()
    assert UserEvent(address(), 1, (1, -2, 3, -4, 5), wire.now_ns - STEP_NS) in wire.events


def test_events_are_not_passed_on_while_another_script_may_run() -> None:
    wire = ready_wire()
    wire.deliver(from_words(1, MessageType.EXECUTION_STATE_CHANGED, [0, 2]), from_words(1, 1, [9] * 5))
    wire.step()
    assert wire.of_kind(UserEvent) == []


@settings(max_examples=50, deadline=None)
@given(st.lists(st.builds(Message, st.integers(0, 3), st.integers(0, 0xA020), st.binary(max_size=516)), max_size=50))
def test_no_message_makes_the_network_fail(messages: list[Message]) -> None:
    wire = ready_wire()
    wire.deliver(*messages)
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
    wire.deliver(*messages)
    wire.run(0.1)


def test_malformed_messages_are_dropped_and_counted() -> None:
    wire = ready_wire()
    wire.deliver(Message(1, MessageType.EXECUTION_STATE_CHANGED, b""), Message(1, MessageType.NODE_PRESENT, b"\x05"))
    wire.deliver(Message(1, MessageType.VARIABLES, b""))
    wire.run(0.1)
    assert (wire.network.dropped, wire.outages()) == (3, [])


def test_commands_of_other_hosts_are_not_mistaken_for_nodes() -> None:
    wire = ready_wire()
    wire.deliver(from_words(0, MessageType.STOP, [1]), from_words(9, MessageType.RUN, [1]), from_words(0, 1, [1] * 5))
    wire.run(0.1)
    assert (wire.outages(), wire.network.session(9)) == ([], None)


def test_header_with_absurdly_many_items_is_dropped() -> None:
    wire = Wire(FakeNode())
    wire.disturb = lambda messages: [
        Message(1, m.type, b"\x01x" + b"\xff" * 14) if m.type == MessageType.DESCRIPTION else m for m in messages
    ]
    wire.run(2)
    assert wire.session().state is NodeState.DESCRIBING
    assert wire.network.dropped > 0


def test_event_of_an_unknown_node_is_anonymous() -> None:
    wire = Wire()
    wire.deliver(from_words(9, 3, [1, -2]))
    wire.run(0.01)
    assert wire.events == [AnonymousEvent(address(9), 3, (1, -2), 0)]


def test_event_of_a_node_without_a_script_is_anonymous() -> None:
    wire = Wire(FakeNode(), script_for=lambda _: None)
    wire.run(1)
    wire.deliver(from_words(1, 3, []))
    wire.run(0.01)
    assert wire.of_kind(AnonymousEvent)[-1].rank == 3


def test_node_without_a_script_is_found_and_disconnected() -> None:
    wire = Wire(FakeNode(), script_for=lambda _: None)
    wire.run(1)
    node = wire.of_kind(NodeFound)[0].node
    wire.disturb = lambda _: []
    wire.run(4)
    assert wire.events == [NodeFound(node), NodeDisconnected(address(), "silent for 3 s")]
