"""The contract of every Thymio node for scripts: running, events, faults, and debugging."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aseba_link.wire.bytecode import EVENT_ACTIVE, STOPPED
from aseba_link.wire.message import HOST_ID, MessageType
from harness.aseba.contract_host import LONG, PING, PONG, ContractHost
from harness.aseba.contract_nodes import EVERY_NODE, reached


@pytest.fixture(params=EVERY_NODE)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ContractHost]:
    with reached(request.param, tmp_path) as found:
        yield found


def test_script_runs_on_command(host: ContractHost) -> None:
    host.upload("var a = 7")
    assert host.state()[1] == STOPPED | EVENT_ACTIVE
    assert host.read(host.free, 1) != [7]
    host.send(MessageType.RUN)
    assert host.state()[1] == 0
    assert host.read(host.free, 1) == [7]


def test_longest_script_is_uploaded_in_pieces(host: ContractHost) -> None:
    host.run("var a = 0\n" + "a = a + 1\n" * 300)
    assert host.read(host.free, 1) == [300]


def test_events_arrive_with_source_and_arguments(host: ContractHost) -> None:
    host.run("onevent ping\nemit pong [event.source, event.args[0], event.args[1], event.args[3]]")
    host.emit(PING, 10, -20, 30, -40)
    answer = host.wait_for(PONG)
    assert (answer.source, answer.words()) == (host.node_id, (HOST_ID, 10, -20, -40))


def test_events_without_handler_are_ignored(host: ContractHost) -> None:
    host.run("var a\nonevent ping\na = event.args[0]\nemit pong [a, a, a, a]")
    host.emit(LONG, *range(32))
    host.emit(PING, 5)
    assert host.wait_for(PONG).words() == (5, 5, 5, 5)


def test_longest_event_of_the_firmware_is_sent_whole(host: ContractHost) -> None:
    host.run("onevent ping\nemit long event.args")
    host.emit(LONG)
    host.emit(PING, *range(100, 132))
    assert host.wait_for(LONG).words() == tuple(range(100, 132))


def test_event_beyond_the_limit_is_a_fault(host: ContractHost) -> None:
    place = host.upload("var a[33]\na[0] = 5\n")
    host.send(MessageType.SET_BYTECODE, place, 0xB000 | LONG, host.free, 33, 0)
    host.send(MessageType.RUN)
    kinds = [message.type for message in host.received() if message.type in (LONG, MessageType.NODE_SPECIFIC_ERROR)]
    assert kinds == [MessageType.NODE_SPECIFIC_ERROR if host.terms.most_emitted < 33 else LONG]


@pytest.mark.parametrize(
    ("code", "fault", "details"),
    [
        ("var a = 0\nonevent ping\na = 10 / a", MessageType.DIVISION_BY_ZERO, ()),
        ("var a = 0\nonevent ping\na = 10 % a", MessageType.DIVISION_BY_ZERO, ()),
        ("var a[3]\nvar k = 3\nonevent ping\nk = a[k]", MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS, (3, 3)),
        ("var a[3]\nvar k = -1\nonevent ping\na[k] = 1", MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS, (3, 0xFFFF)),
    ],
)
def test_faults_are_reported_and_stop_the_script(
    host: ContractHost, code: str, fault: MessageType, details: tuple[int, ...]
) -> None:
    host.run(code)
    host.emit(PING)
    assert host.wait_for(fault).unsigned_words()[1:] == details
    assert host.state()[1] == STOPPED


def test_script_continues_with_the_next_event_after_a_fault(host: ContractHost) -> None:
    host.run("var a\nonevent ping\na = 10 / event.args[0]\nemit pong [a, a, a, a]")
    host.emit(PING, 0)
    host.wait_for(MessageType.DIVISION_BY_ZERO)
    host.send(MessageType.RUN)
    host.emit(PING, 2)
    assert host.wait_for(PONG).words() == (5, 5, 5, 5)


def test_stopped_script_handles_no_events_until_it_runs(host: ContractHost) -> None:
    host.run("var a = 0\nonevent timer0\na = a + 1\nonevent ping\ntimer.period[0] = 20")
    host.emit(PING)
    host.received()
    host.send(MessageType.STOP)
    assert host.state()[1] & STOPPED
    count = host.read(host.free, 1)
    host.received()
    assert host.read(host.free, 1) == count
    host.send(MessageType.RUN)
    assert host.state()[1] == 0
    assert host.read(host.free, 1) > count


def test_steps_execute_one_instruction_each(host: ContractHost) -> None:
    start = host.upload("var a = 0x1234\nvar b = 5")
    places = []
    for _ in range(4):
        host.send(MessageType.STEP)
        places.append(host.wait_for(MessageType.EXECUTION_STATE_CHANGED).unsigned_words())
    active = STOPPED | EVENT_ACTIVE
    assert places == [(start + words, active) for words in (2, 3, 4, 5)]
    assert host.read(host.free, 2) == [0x1234, 5]


def test_script_stops_at_a_breakpoint(host: ContractHost) -> None:
    start = host.upload("var a = 0x1234\nvar b = 5")
    host.send(MessageType.SET_VARIABLES, host.free, 0, 0)
    result = host.request(MessageType.BREAKPOINT_SET, start + 3, answer=MessageType.BREAKPOINT_SET_RESULT)
    assert result.words() == (start + 3, 1)
    host.send(MessageType.RUN)
    assert host.state() == (start + 3, STOPPED | EVENT_ACTIVE)
    assert host.read(host.free, 2) == [0x1234, 0]
    host.send(MessageType.BREAKPOINT_CLEAR, start + 3)
    host.send(MessageType.RUN)
    assert host.state()[1] == 0
    assert host.read(host.free, 2) == [0x1234, 5]


def test_pause_keeps_the_current_event_and_drops_new_events(host: ContractHost) -> None:
    host.upload("var a = 1\nonevent ping\na = 2")
    host.send(MessageType.PAUSE)
    host.emit(PING, 77)
    assert host.state()[1] == STOPPED | EVENT_ACTIVE
    assert host.read(host.address("event.args"), 1) == [0]


def test_reset_restarts_the_script(host: ContractHost) -> None:
    host.run("var a = 1\nonevent ping\na = 2")
    host.send(MessageType.SET_VARIABLES, host.free + 1, 42)
    host.send(MessageType.RESET)
    assert host.state()[1] == STOPPED | EVENT_ACTIVE
    assert host.read(host.free, 2) == ([0, 0] if host.terms.reset_clears else [1, 42])
    host.send(MessageType.RUN)
    host.received()
    assert host.read(host.free, 1) == [1]


def test_native_functions_compute(host: ContractHost) -> None:
    host.run("""
        var words[4] = [3, -1, 2, 0]
        var product
        var root
        call math.sort(words)
        call math.muldiv(product, 20000, 3, 4)
        call math.sqrt(root, 10000)
        """)
    assert host.read(host.free, 6) == [-1, 0, 2, 3, 15000, 100]
