"""One simulated Thymio as a node: its answers, and the times of its events."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.wire.description import decode_header, encode_description
from aseba_link.wire.message import DeviceInfo, Message, MessageType, from_words
from simulator.firmware.body import Body
from simulator.firmware.thymio import Thymio, thymio_description

NODE_ID = 7
UUID = bytes(range(16))
LOCAL_EVENTS = {event.name: 0xFFFE - rank for rank, event in enumerate(thymio_description().local_events)}


def address(name: str) -> int:
    """Return the address of a variable of the firmware."""
    found = thymio_description().address(name)
    assert found is not None
    return found


FREE = 128  # the first word behind the named variables


def node() -> Thymio:
    return Thymio(NODE_ID, UUID, Body())


def request(thymio: Thymio, message_type: MessageType, *words: int) -> list[Message]:
    """Return the answers to a command for this node."""
    thymio.outbox.clear()
    thymio.handle(from_words(0, message_type, (NODE_ID, *words)))
    return list(thymio.outbox)


def running(*handlers: tuple[int, list[int]]) -> Thymio:
    """Return a node that runs a script with these (event, code) handlers."""
    thymio = node()
    start = 1 + 2 * len(handlers)
    table, code = [start], list[int]()
    for event, words in handlers:
        table += [event, start + len(code)]
        code += words
    request(thymio, MessageType.SET_BYTECODE, 0, *table, *code)
    request(thymio, MessageType.RUN)
    thymio.outbox.clear()
    return thymio


def counting(word: int = FREE) -> list[int]:
    """Return code that adds 1 to a word."""
    return [0x3000 | word, 0x1001, 0x8002, 0x4000 | word, 0x0000]


def read(thymio: Thymio, start: int, count: int = 1) -> tuple[int, ...]:
    return request(thymio, MessageType.GET_VARIABLES, start, count)[0].words()[1:]


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("_id", 0),
        ("event.source", 1),
        ("event.args", 2),
        ("_fwversion", 34),
        ("_productId", 36),
        ("button.backward", 42),
        ("prox.horizontal", 57),
        ("motor.left.target", 86),
        ("_vbat", 88),
        ("motor.left.speed", 92),
        ("acc", 98),
        ("leds.circle", 110),
        ("temperature", 118),
        ("timer.period", 124),
        ("sd.present", 127),
    ],
)
def test_variables_have_the_addresses_of_firmware_14(name: str, start: int) -> None:
    assert address(name) == start


def test_description_has_the_sizes_of_firmware_14() -> None:
    header = thymio_description().header()
    assert (header.name, header.protocol_version, header.bytecode_size) == ("thymio-II", 9, 1534)
    assert (header.stack_size, header.variables_size) == (32, 640)
    assert (header.variable_count, header.event_count, header.function_count) == (44, 17, 60)


def test_node_reports_that_it_is_present() -> None:
    thymio = node()
    thymio.handle(from_words(0, MessageType.LIST_NODES, (9,)))
    assert thymio.outbox == [from_words(NODE_ID, MessageType.NODE_PRESENT, (9,))]


@pytest.mark.parametrize(("version", "answers"), [(4, True), (5, False), (9, False)])
def test_old_description_request_is_answered_only_to_old_hosts(version: int, answers: bool) -> None:
    thymio = node()
    thymio.handle(from_words(0, MessageType.GET_DESCRIPTION, (version,)))
    assert bool(thymio.outbox) is answers


def test_description_is_sent_completely() -> None:
    answers = request(node(), MessageType.GET_NODE_DESCRIPTION, 9)
    assert answers == encode_description(NODE_ID, thymio_description())


def test_description_fragments_add_up_to_the_description() -> None:
    thymio, whole = node(), encode_description(NODE_ID, thymio_description())
    fragments = [request(thymio, MessageType.GET_NODE_DESCRIPTION_FRAGMENT, 9, k)[0] for k in range(-1, len(whole) - 1)]
    assert fragments == whole
    assert request(thymio, MessageType.GET_NODE_DESCRIPTION_FRAGMENT, 9, -2) == whole


def test_request_for_a_missing_fragment_is_not_answered() -> None:
    assert request(node(), MessageType.GET_NODE_DESCRIPTION_FRAGMENT, 9, 500) == []


def test_commands_for_another_node_are_ignored() -> None:
    thymio = node()
    thymio.handle(from_words(0, MessageType.GET_EXECUTION_STATE, (NODE_ID + 1,)))
    assert thymio.outbox == []


def test_memory_contains_the_identity() -> None:
    assert read(node(), 0) == (NODE_ID,)
    assert read(node(), 34, 3) == (14, 1, 8)


def test_battery_reads_as_charged() -> None:
    assert sum(read(node(), address("_vbat"), 2)) / 397.8 == pytest.approx(3.9, abs=0.01)


def test_set_variables_are_read_back() -> None:
    thymio = node()
    request(thymio, MessageType.SET_VARIABLES, FREE, 5, -6)
    assert read(thymio, FREE, 2) == (5, -6)


def test_long_reads_are_answered_in_several_messages() -> None:
    answers = request(node(), MessageType.GET_VARIABLES, 0, 100)
    assert [(words[0], len(words) - 1) for words in (answer.words() for answer in answers)] == [
        (0, 47),
        (47, 47),
        (94, 6),
    ]


@pytest.mark.parametrize("words", [(639, 2), (640, 1), (65535, 65535), (0,), ()])
def test_reading_beyond_the_memory_is_not_answered(words: tuple[int, ...]) -> None:
    assert request(node(), MessageType.GET_VARIABLES, *words) == []


def test_writing_beyond_the_memory_changes_nothing() -> None:
    thymio = node()
    request(thymio, MessageType.SET_VARIABLES, 639, 1, 1)
    assert read(thymio, 639) == (0,)


def test_changed_variables_are_reported_once() -> None:
    thymio = node()
    request(thymio, MessageType.GET_CHANGED_VARIABLES)
    request(thymio, MessageType.SET_VARIABLES, address("motor.left.target"), 50)
    changes = [request(thymio, MessageType.GET_CHANGED_VARIABLES)[0].words() for _ in range(2)]
    assert changes == [(86, 1, 50), ()]


def info(thymio: Thymio, kind: DeviceInfo) -> bytes:
    payload = request(thymio, MessageType.GET_DEVICE_INFO, kind)[0].payload
    assert (payload[0], payload[1]) == (kind, len(payload) - 2)
    return payload[2:]


def set_info(thymio: Thymio, kind: int, data: bytes, length: int | None = None) -> None:
    size = len(data) if length is None else length
    payload = struct.pack("<3H", NODE_ID, kind, size) + data
    thymio.handle(Message(0, MessageType.SET_DEVICE_INFO, payload))


def test_uuid_is_reported() -> None:
    assert info(node(), DeviceInfo.UUID) == UUID


@pytest.mark.parametrize(
    ("kind", "data"),
    [(DeviceInfo.UUID, b"x" * 16), (DeviceInfo.NAME, "Übung".encode()), (DeviceInfo.RADIO, b"abcdef")],
)
def test_set_device_info_is_reported(kind: DeviceInfo, data: bytes) -> None:
    thymio = node()
    set_info(thymio, kind, data)
    assert info(thymio, kind) == data


@pytest.mark.parametrize(
    ("kind", "data"), [(DeviceInfo.UUID, b"x" * 15), (DeviceInfo.NAME, b"x" * 56), (DeviceInfo.RADIO, b"x" * 5)]
)
def test_device_info_of_the_wrong_size_is_refused(kind: DeviceInfo, data: bytes) -> None:
    thymio = node()
    before = info(thymio, kind)
    set_info(thymio, kind, data)
    assert info(thymio, kind) == before


def test_upload_stops_the_script_and_clears_the_memory() -> None:
    thymio = node()
    request(thymio, MessageType.SET_VARIABLES, address("motor.left.target"), 200, 200)
    assert thymio.targets_raw == (200, 200)
    request(thymio, MessageType.SET_BYTECODE, 0, 1)
    assert thymio.targets_raw == (0, 0)
    assert read(thymio, 0) == (NODE_ID,)


def test_reset_stops_the_wheels_and_keeps_the_identity() -> None:
    thymio = node()
    request(thymio, MessageType.SET_VARIABLES, address("motor.left.target"), 200, 200)
    request(thymio, MessageType.RESET)
    assert thymio.targets_raw == (0, 0)
    assert read(thymio, 34, 3) == (14, 1, 8)


def test_reset_switches_lights_off() -> None:
    thymio = node()
    thymio.body.lights["leds.top"] = (1, 2, 3)
    request(thymio, MessageType.RESET)
    assert thymio.body.lights == {}


def test_robot_that_is_off_ignores_messages_and_does_not_move() -> None:
    thymio = running((LOCAL_EVENTS["motor"], counting()))
    request(thymio, MessageType.SET_VARIABLES, address("motor.left.target"), 200, 200)
    thymio.body.is_on = False
    thymio.advance()
    assert thymio.targets_raw == (0, 0)
    assert request(thymio, MessageType.GET_EXECUTION_STATE) == []


def test_upload_beyond_the_bytecode_changes_nothing() -> None:
    assert request(node(), MessageType.SET_BYTECODE, 1533, 1, 2) == []


def test_init_event_runs_when_the_script_starts() -> None:
    assert read(running((0xFFFF, counting())), FREE) == (1,)


@pytest.mark.parametrize(
    ("name", "count"),
    [("motor", 200), ("buttons", 100), ("acc", 32), ("prox", 20), ("temperature", 2), ("tap", 0), ("timer0", 0)],
)
def test_local_event_has_its_rate(name: str, count: int) -> None:
    thymio = running((LOCAL_EVENTS[name], counting()))
    for _ in range(200):
        thymio.advance()
    assert read(thymio, FREE) == (count,)


@pytest.mark.parametrize(("period_ms", "count"), [(1, 1000), (3, 333), (25, 40), (1000, 1)])
def test_timer_has_a_resolution_of_a_millisecond(period_ms: int, count: int) -> None:
    thymio = running((LOCAL_EVENTS["timer1"], counting()))
    request(thymio, MessageType.SET_VARIABLES, address("timer.period") + 1, period_ms)
    for _ in range(100):
        thymio.advance()
    assert read(thymio, FREE) == (count,)


def test_timer_restarts_when_its_period_changes() -> None:
    thymio = running((LOCAL_EVENTS["timer0"], counting()))
    for period_ms, ticks in ((100, 9), (50, 4)):
        request(thymio, MessageType.SET_VARIABLES, address("timer.period"), period_ms)
        for _ in range(ticks):
            thymio.advance()
    assert read(thymio, FREE) == (0,)


def test_user_event_writes_source_and_arguments() -> None:
    thymio = running((3, counting()))
    thymio.handle(from_words(42, 3, (10, -20)))
    assert read(thymio, 1, 3) == (42, 10, -20)
    assert read(thymio, FREE) == (1,)


def test_source_of_a_local_event_is_the_robot_itself() -> None:
    thymio = running((3, counting()))
    thymio.handle(from_words(42, 3, (10,)))
    thymio.advance()
    assert read(thymio, 1, 2) == (NODE_ID, 10)


def test_user_event_without_handler_writes_nothing() -> None:
    thymio = running((3, counting()))
    thymio.handle(from_words(42, 4, (10,)))
    assert read(thymio, 1, 2) == (0, 0)


def test_arguments_beyond_thirty_two_are_cut() -> None:
    thymio = running((3, counting()))
    thymio.handle(from_words(42, 3, range(100, 150)))
    assert read(thymio, 33, 2) == (131, 14)


def test_emitted_event_carries_the_nodes_id() -> None:
    thymio = running((LOCAL_EVENTS["motor"], [0xB005, 0, 1, 0x0000]))
    thymio.advance()
    assert thymio.outbox == [from_words(NODE_ID, 5, (NODE_ID,))]


def test_too_long_emit_is_an_error_of_the_firmware() -> None:
    thymio = running((LOCAL_EVENTS["motor"], [0xB005, 0, 33, 0x0000]))
    thymio.advance()
    text = b"Argument array size is too large (>32)"
    expected = struct.pack("<H", 3) + bytes([len(text)]) + text
    assert thymio.outbox == [Message(NODE_ID, MessageType.NODE_SPECIFIC_ERROR, expected)]


def test_endless_loop_goes_on_until_another_event_of_the_network_ends_it() -> None:
    thymio = running((3, [0x9000]), (4, counting()))
    thymio.handle(from_words(0, 3))
    for _ in range(3):
        thymio.advance()
    assert thymio.outbox == []
    thymio.handle(from_words(0, 4))
    assert [message.type for message in thymio.outbox] == [MessageType.EVENT_EXECUTION_KILLED]
    assert read(thymio, FREE) == (1,)


def test_loop_that_waits_for_a_variable_ends_when_it_changes_and_events_that_waited_follow() -> None:
    waiting = [0x3000 | FREE, 0x1000, 0xA00A, 3, 0x9FFC, 0x0000]
    thymio = running((3, waiting), (LOCAL_EVENTS["motor"], counting(FREE + 1)))
    thymio.handle(from_words(0, 3))
    for _ in range(5):
        thymio.advance()
    assert read(thymio, FREE + 1) == (0,)
    request(thymio, MessageType.SET_VARIABLES, FREE, 1)
    thymio.advance()
    assert read(thymio, FREE + 1) == (1,)
    thymio.advance()
    assert read(thymio, FREE + 1) == (2,)


def test_paused_script_ignores_events_until_it_runs() -> None:
    thymio = running((LOCAL_EVENTS["motor"], counting()))
    request(thymio, MessageType.PAUSE)
    for _ in range(10):
        thymio.advance()
    assert read(thymio, FREE) == (0,)
    request(thymio, MessageType.RUN)
    thymio.advance()
    assert read(thymio, FREE) == (2,)


def test_next_event_of_a_paused_script_waits_for_steps() -> None:
    thymio = running((LOCAL_EVENTS["motor"], counting()))
    request(thymio, MessageType.PAUSE)
    thymio.outbox.clear()
    for _ in range(10):
        thymio.advance()
    assert thymio.outbox == [from_words(NODE_ID, MessageType.EXECUTION_STATE_CHANGED, (3, 3))]
    assert request(thymio, MessageType.STEP)[0].words() == (4, 3)


def test_breakpoint_is_confirmed() -> None:
    assert request(node(), MessageType.BREAKPOINT_SET, 4)[0].words() == (4, 1)


def test_sensors_are_written_before_the_events() -> None:
    thymio = running((LOCAL_EVENTS["motor"], [0x3000 | address("motor.left.speed"), 0x4000 | FREE, 0x0000]))
    thymio.body.speeds_raw = (123, -5)
    thymio.advance()
    assert read(thymio, FREE) == (123,)


@settings(deadline=None)
@given(message_type=st.sampled_from(MessageType) | st.integers(0, 0xFFFF), payload=st.binary(max_size=516))
def test_no_message_makes_a_node_raise(message_type: int, payload: bytes) -> None:
    thymio = node()
    thymio.handle(Message(0, message_type, payload))
    thymio.handle(Message(0, message_type, struct.pack("<H", NODE_ID) + payload[:514]))
    thymio.advance()


@settings(deadline=None)
@given(code=st.binary(min_size=2, max_size=500), event=st.binary(max_size=20))
def test_no_uploaded_bytes_make_a_node_raise(code: bytes, event: bytes) -> None:
    thymio = node()
    head = struct.pack("<5H", NODE_ID, 0, 5, 0xFFFF, 5)
    handler = struct.pack("<2H", 3, 5)
    thymio.handle(Message(0, MessageType.SET_BYTECODE, head + handler + code[: len(code) // 2 * 2]))
    request(thymio, MessageType.RUN)
    thymio.handle(Message(0, 3, event[: len(event) // 2 * 2]))
    thymio.advance()
    assert len(thymio.variable("event.args")) == 32


def test_header_decodes_to_the_node() -> None:
    answer = request(node(), MessageType.GET_NODE_DESCRIPTION_FRAGMENT, 9, -1)[0]
    assert decode_header(answer) == thymio_description().header()
