"""Programs compiled by our compiler, on a third-party virtual machine and on ours."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings

from aseba_link.aesl.compiler import compile_code
from aseba_link.errors import CompilerError
from aseba_link.host.upload import upload_messages
from aseba_link.wire.description import (
    assemble,
    decode_header,
    decode_local_event,
    decode_native_function,
    decode_variable,
)
from aseba_link.wire.message import HOST_ID, Message, MessageType, encode, from_words
from aseba_link.wire.stream import MessageStream
from harness.aseba.program_strategies import CONSTANTS, EVENTS, programs
from harness.aseba.script_run import ScriptRun, compiled, definitions
from harness.playground import Placed, running_playground
from thymio_base.ros.private_domain import reserve_free_port

DEADLINE_S = 120.0
NODE_ID = 1
PROTOCOL_VERSION = 5
IDLE = 0  # execution state: running, with no event being handled

pytestmark = pytest.mark.peers


class Robot:
    """The robot of a playground, which runs one script after another."""

    def __init__(self, port: int) -> None:
        self._socket = _connected(port)
        self._stream = MessageStream()
        self._received: list[Message] = []
        self._send(MessageType.GET_NODE_DESCRIPTION, NODE_ID, PROTOCOL_VERSION)
        header = decode_header(self._receive(MessageType.DESCRIPTION))
        self._description = assemble(
            header,
            [
                decode_variable(self._receive(MessageType.NAMED_VARIABLE_DESCRIPTION))
                for _ in range(header.variable_count)
            ],
            [decode_local_event(self._receive(MessageType.LOCAL_EVENT_DESCRIPTION)) for _ in range(header.event_count)],
            [
                decode_native_function(self._receive(MessageType.NATIVE_FUNCTION_DESCRIPTION))
                for _ in range(header.function_count)
            ],
        )

    def run(self, code: str) -> dict[str, list[int]]:
        """Return the variables of a script after its start; they are 0 before."""
        script = compile_code(code, definitions(EVENTS), CONSTANTS, self._description)
        own_start = sum(variable.size for variable in self._description.variables)
        own_size = sum(variable.size for variable in script.variables)
        self._send(MessageType.SET_VARIABLES, NODE_ID, own_start, *[0] * own_size)
        for message in upload_messages(NODE_ID, script, self._description):
            self._socket.sendall(encode(message))
        while self._receive(MessageType.EXECUTION_STATE_CHANGED).unsigned_words()[1] != IDLE:
            self._send(MessageType.GET_EXECUTION_STATE, NODE_ID)
        values = {}
        for variable in script.variables:
            self._received.clear()
            self._send(MessageType.GET_VARIABLES, NODE_ID, own_start, variable.size)
            values[variable.name] = list(self._receive(MessageType.VARIABLES).words()[1:])
            own_start += variable.size
        return values

    def close(self) -> None:
        self._socket.close()

    def _send(self, message_type: MessageType, *words: int) -> None:
        self._socket.sendall(encode(from_words(HOST_ID, message_type, words)))

    def _receive(self, message_type: MessageType) -> Message:
        """Wait for a message of a type; drop others."""
        while True:
            while self._received:
                message = self._received.pop(0)
                if message.type == message_type:
                    return message
            data = self._socket.recv(4096)
            assert data, "the playground has closed the connection"
            self._received += self._stream.feed(data)


def _connected(port: int) -> socket.socket:
    """Connect to a playground that may still be starting."""
    deadline_ns = time.monotonic_ns() + round(DEADLINE_S * 1e9)
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), DEADLINE_S)
        except ConnectionRefusedError:
            assert time.monotonic_ns() < deadline_ns, "the playground does not listen"
            time.sleep(0.05)


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Robot]:
    port = reserve_free_port()
    with running_playground(tmp_path_factory.mktemp("world"), [Placed(port)]), closing(Robot(port)) as found:
        yield found


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(program=programs())
def test_programs_give_the_same_results_on_both_virtual_machines(robot: Robot, program: str) -> None:
    try:
        ours = ScriptRun(compiled(program, EVENTS, CONSTANTS))
    except CompilerError:
        reject()
    assume(not ours.faults)
    assert robot.run(program) == ours.variables()
