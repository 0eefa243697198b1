"""The contract of every Thymio node: its description, its memory, and the rates of its events.

`THYMIO_TARGET='ser:name=Thymio-II' pytest test/test_thymio_contract*.py -k target` checks a real robot against it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aseba_link.errors import ConnectionLostError
from aseba_link.wire.bytecode import STOPPED
from aseba_link.wire.message import HOST_ID, DeviceInfo, Message, MessageType, from_words
from harness.aseba.contract_host import COUNTS, PING, ContractHost
from harness.aseba.contract_nodes import EVERY_NODE, ON_OUR_CLOCK, PROGRAMS, reached
from harness.aseba.thymio_contract import BeyondMemory

RATES_S = 3.0
WINDOWS = 10  # one of these must show the rates: radio may delay the others
RATE_TOLERANCE = 0.05

COUNTING = """
var counts[6]
call math.fill(counts, 0)
timer.period[0] = 20
onevent motor
counts[0]++
onevent buttons
counts[2]++
onevent acc
counts[3]++
onevent timer0
counts[4]++
onevent prox
counts[1]++
emit counts counts
"""
COUNTED = ("motor", "prox", "buttons", "acc", "timer0")


@pytest.fixture(params=EVERY_NODE)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ContractHost]:
    with reached(request.param, tmp_path) as found:
        yield found


def test_node_reports_its_presence_and_protocol(host: ContractHost) -> None:
    assert host.protocol_version == host.terms.protocol_version


def test_description_lists_the_variables_in_the_order_of_memory(host: ContractHost) -> None:
    described = tuple((variable.name, (variable.size,)) for variable in host.description.variables)
    assert described == host.terms.variables


def test_description_lists_the_local_events(host: ContractHost) -> None:
    assert tuple(event.name for event in host.description.local_events) == host.terms.local_events


def test_description_lists_the_native_functions(host: ContractHost) -> None:
    functions = host.description.native_functions
    described = tuple((function.name, tuple(size for size, _ in function.parameters)) for function in functions)
    assert described == host.terms.functions


def test_description_contains_name_and_sizes(host: ContractHost) -> None:
    described = host.description
    assert (described.name, described.bytecode_size, described.stack_size) == ("thymio-II", 1534, 32)
    assert described.variables_size == host.free + host.terms.free_words


def test_contract_description_is_complete(host: ContractHost) -> None:
    host.send(MessageType.GET_NODE_DESCRIPTION, host.protocol_version)
    described = host.description
    items = len(described.variables) + len(described.local_events) + len(described.native_functions)
    kinds = range(MessageType.DESCRIPTION, MessageType.NATIVE_FUNCTION_DESCRIPTION + 1)
    assert len([message for message in host.received(1.0) if message.type in kinds]) == 1 + items


def test_uuid_is_reported_since_protocol_6(host: ContractHost) -> None:
    assert len(host.identity.uuid) == (32 if host.terms.protocol_version >= 6 else 0)


def test_old_protocols_have_no_fragments_and_no_device_info(host: ContractHost) -> None:
    host.send(MessageType.GET_NODE_DESCRIPTION_FRAGMENT, host.protocol_version, 0)
    host.send(MessageType.GET_DEVICE_INFO, DeviceInfo.UUID)
    answers = {message.type for message in host.received()}
    told = {MessageType.NAMED_VARIABLE_DESCRIPTION, MessageType.DEVICE_INFO}
    assert answers == (told if host.terms.protocol_version >= 8 else set())


def test_memory_contains_firmware_and_product(host: ContractHost) -> None:
    assert tuple(host.read(host.address("_fwversion"), 2)) == host.terms.firmware
    assert host.read(host.address("_productId"), 1) == [8]


def test_written_words_are_read_back(host: ContractHost) -> None:
    words = [-32768, -1, 0, 1, 32767, *range(60)]
    host.send(MessageType.SET_VARIABLES, host.free, *words)
    assert host.read(host.free, len(words)) == words


def test_last_word_of_memory_is_usable(host: ContractHost) -> None:
    last = host.description.variables_size - 1
    host.send(MessageType.SET_VARIABLES, last, 42)
    assert host.read(last, 1) == [42]


@pytest.mark.parametrize(
    "request_words",
    [(MessageType.GET_VARIABLES, 639, 2), (MessageType.SET_VARIABLES, 640, 1), (MessageType.BREAKPOINT_SET, 1534)],
    ids=lambda words: words[0].name,
)
def test_requests_beyond_the_memory_are_refused_or_fatal(host: ContractHost, request_words: tuple[int, ...]) -> None:
    if host.terms.beyond_memory is BeyondMemory.UNTRIED:
        pytest.skip("unknown what a real robot would overwrite")
    host.send(*request_words)
    if host.terms.beyond_memory is BeyondMemory.FATAL:
        with pytest.raises(ConnectionLostError):
            host.received(10.0)
        return
    refusals = [message.words() for message in host.received()]
    assert refusals == ([(1534, 0)] if request_words[0] == MessageType.BREAKPOINT_SET else [])
    assert host.state()[1] == STOPPED


UNKNOWN = {
    "a command of the future": lambda host: from_words(HOST_ID, 0xA0FF, (host.node_id, 1, 2)),
    "a command without words": lambda host: from_words(HOST_ID, 0xA0FF),
    "an odd number of bytes": lambda host: Message(HOST_ID, 0xA0FE, bytes([host.node_id & 0xFF, host.node_id >> 8, 1])),
    "a report of another node": lambda host: from_words(host.node_id + 1, MessageType.VARIABLES, (0, 1)),
    "a report of the future": lambda host: from_words(host.node_id + 1, 0x9042, (1, 2, 3)),
    "a command for another node": lambda host: from_words(HOST_ID, MessageType.RESET, (host.node_id + 1,)),
    "an event without arguments": lambda host: from_words(HOST_ID, PING),
    "an event of the future": lambda host: from_words(HOST_ID, 0x7FFF, range(258)),
}


@pytest.mark.parametrize("unknown", UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_messages_have_no_effect(host: ContractHost, unknown: Callable[[ContractHost], Message]) -> None:
    host.run("var a = 7")
    host.send_message(unknown(host))
    assert host.received() == []
    assert host.state()[1] == 0
    assert host.read(host.free, 1) == [7]


@pytest.mark.parametrize("host", ON_OUR_CLOCK, indirect=True)
def test_local_events_have_their_rates(host: ContractHost) -> None:
    host.run(COUNTING)
    wanted = pytest.approx(host.terms.rates_hz, rel=RATE_TOLERANCE)
    assert any(host.rates_hz(COUNTS, COUNTED, RATES_S) == wanted for _ in range(WINDOWS))


@pytest.mark.parametrize("host", PROGRAMS, indirect=True)
def test_local_events_of_a_program_have_their_rates_in_its_own_time(host: ContractHost) -> None:
    host.run(COUNTING)
    rates_hz = host.own_rates_hz(COUNTS, COUNTED, RATES_S)
    assert rates_hz == pytest.approx(host.terms.rates_hz, rel=RATE_TOLERANCE)
