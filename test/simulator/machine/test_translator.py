"""Translated handlers behave like interpreted ones."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from aseba_link.aesl.compiler import ScriptCompiler, compile_code, shipped_script
from aseba_link.errors import CompilerError
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.upload import upload_messages
from aseba_link.wire.description import NativeFunction
from aseba_link.wire.message import HOST_ID, Message, MessageType, from_words
from harness.aseba.bytecode_strategies import EVENTS, VARIABLES, bytecodes
from harness.aseba.program_strategies import CONSTANTS, programs
from harness.aseba.program_strategies import EVENTS as EVENTS_OF_PROGRAMS
from harness.aseba.script_run import definitions
from harness.budgets import examples
from simulator.firmware.body import Body
from simulator.firmware.thymio import Thymio, thymio_description
from simulator.machine.block import BlockCode
from simulator.machine.processor import DescribedNative, Processor
from simulator.machine.translator import translate
from simulator.machine.vm import VirtualMachine

WORDS = st.integers(-32768, 32767)
SIZE = 200  # of the bytecode, in words
STACK_SIZE = 8
DESCRIPTION = thymio_description()
NODE_ID = 1


def _swap(processor: Processor, first: int, second: int) -> None:
    memory = processor.variables
    processor.address(first, 1)
    memory[first], memory[processor.address(second, 1)] = 1, memory[first]


def _refuse(processor: Processor) -> None:
    raise processor.fault("no")


NATIVES: list[DescribedNative] = [
    (NativeFunction("nothing", "", ()), lambda _: None),
    (NativeFunction("swap", "", ((1, "first"), (1, "second"))), _swap),
    (NativeFunction("refuse", "", ()), _refuse),
]


class Machine:
    """A virtual machine, and everything of it that is visible from outside."""

    def __init__(self, bytecode: Sequence[int], memory: Sequence[int], *, interprets: bool) -> None:
        self.sent: list[tuple[int, tuple[int, ...], str]] = []
        self.machine = VirtualMachine(
            SIZE,
            STACK_SIZE,
            VARIABLES,
            natives=NATIVES,
            send=self._record,
            emit=self._record,
        )
        self.machine.set_bytecode(0, bytecode)
        self.machine.variables[:] = memory
        if interprets:
            self.machine.breakpoints.add(SIZE - 1)  # where no code is; functions know no breakpoints
        self.machine.reset()
        self.machine.run()

    def handle(self, event: int, max_steps: int) -> None:
        if self.machine.accepts(event):
            self.machine.set_up(event)
            self.machine.execute(max_steps)
        self.machine.send_state()

    def resume(self) -> None:
        """Run again after a fault has stopped the machine."""
        self.machine.run()

    def _record(self, message_type: int, words: Sequence[int], text: str = "") -> None:
        self.sent.append((message_type, tuple(words), text))


@settings(deadline=None, max_examples=examples(600), suppress_health_check=[HealthCheck.too_slow])
@given(
    bytecode=bytecodes(),
    memory=st.lists(st.integers(-3, 12) | WORDS, min_size=VARIABLES, max_size=VARIABLES),
    events=st.lists(st.sampled_from(EVENTS), min_size=1, max_size=5),
    max_steps=st.sampled_from((1, 20, 100, 3000)),
)
@pytest.mark.slow
def test_any_bytecode_behaves_as_interpreted(
    bytecode: list[int], memory: list[int], events: list[int], max_steps: int
) -> None:
    machines = [Machine(bytecode, memory, interprets=interprets) for interprets in (True, False)]
    for event in [event for event in events for _ in range(2)]:
        for each in machines:
            each.handle(event, max_steps)
            each.machine.execute(max_steps)
            each.resume()
        assert machines[0].sent == machines[1].sent
        assert machines[0].machine.variables == machines[1].machine.variables


class Robot:
    """A Thymio that runs a script, and every message that it sends."""

    def __init__(self, upload: Sequence[Message], *, interprets: bool) -> None:
        self.thymio = Thymio(NODE_ID, bytes(16), Body())
        if interprets:
            self._command(MessageType.BREAKPOINT_SET, DESCRIPTION.bytecode_size - 1)
        self.thymio.outbox.clear()
        for message in upload:
            self.thymio.handle(message)

    def live(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self.thymio.handle(message)
            self.thymio.advance()
            self._command(MessageType.GET_EXECUTION_STATE)
        self._command(MessageType.GET_VARIABLES, 0, DESCRIPTION.variables_size)

    def _command(self, message_type: int, *words: int) -> None:
        self.thymio.handle(from_words(HOST_ID, message_type, (NODE_ID, *words)))


def both(upload: Sequence[Message], messages: Sequence[Message]) -> list[list[Message]]:
    """Return the messages of an interpreting robot, and of a translating one."""
    robots = [Robot(upload, interprets=interprets) for interprets in (True, False)]
    for robot in robots:
        robot.live(messages)
    return [robot.thymio.outbox for robot in robots]


@settings(
    deadline=None, max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(
    program=programs(), events=st.lists(st.tuples(st.sampled_from((0, 1, 3)), st.lists(WORDS, max_size=3)), max_size=4)
)
@pytest.mark.slow
def test_any_program_behaves_as_interpreted(program: str, events: list[tuple[int, list[int]]]) -> None:
    try:
        script = compile_code(program, definitions(EVENTS_OF_PROGRAMS), CONSTANTS, DESCRIPTION)
    except CompilerError:
        reject()
    messages = [from_words(HOST_ID, rank, words) for rank, words in events for _ in range(2)]
    interpreted, translated = both(upload_messages(NODE_ID, script, DESCRIPTION), messages)
    assert translated == interpreted


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(
    commands=st.lists(
        st.builds(
            lambda rank, words: from_words(HOST_ID, rank, (NODE_ID, *words)),
            st.sampled_from((0, *range(19, 29))),
            st.lists(st.integers(-2, 40), min_size=14, max_size=14),
        ),
        max_size=20,
    )
)
def test_the_shipped_script_behaves_as_interpreted(commands: list[Message]) -> None:
    script = ScriptCompiler(shipped_script())(Node(NodeAddress("memory", NODE_ID), DESCRIPTION, ""))
    assert script is not None
    interpreted, translated = both(upload_messages(NODE_ID, script, DESCRIPTION), commands)
    assert translated == interpreted


def code(*words: int) -> BlockCode:
    return BlockCode((*words, *[0] * (SIZE - len(words))), (0, 2, 0), VARIABLES, STACK_SIZE)


def test_machines_with_the_same_code_share_a_translation() -> None:
    assert translate(code(0x1001, 0x4000), 0) is translate(code(0x1001, 0x4000), 0)


def test_loop_is_left_to_the_interpreter_when_its_steps_run_out() -> None:
    machine = Machine([3, 0xFFFF, 3, 0x9000], [0] * VARIABLES, interprets=False)
    machine.sent.clear()
    machine.handle(0xFFFF, 1000)
    assert machine.sent[-1] == (MessageType.EXECUTION_STATE_CHANGED, (3, 1), "")
    assert machine.machine.is_busy


def steps_taken(code_words: Sequence[int], memory: Sequence[int]) -> int:
    """Return the smallest number of steps in which a handler ends."""
    for max_steps in range(1, 2000):
        machine = Machine([3, 0xFFFF, 3, *code_words], memory, interprets=False)
        machine.handle(0xFFFF, max_steps)
        if machine.machine.flags == 0:
            return max_steps
    raise AssertionError("it does not end")


@pytest.mark.parametrize(("turns", "steps"), [(1, 12), (2, 20), (100, 804)])
def test_last_allowed_step_is_executed(turns: int, steps: int) -> None:
    # while m[0] > 0 do m[0] -= 1 end: eight instructions per iteration, and four to end
    loop = [0x3000, 0x1000, 0xA00C, 7, 0x3000, 0x1001, 0x8003, 0x4000, 0x9FF8, 0x0000]
    assert steps_taken(loop, [turns, *[0] * (VARIABLES - 1)]) == steps


@pytest.mark.parametrize(
    "endless",
    [
        pytest.param([0x9000], id="one block"),
        pytest.param([0x3000, 0x1000, 0xA00A, 3, 0x9FFC, 0x9FFB], id="two ways back"),
        pytest.param([0x3000, 0x1000, 0xA00A, 3, 0x9003, 0x9FFB, 0x9FFF, 0x9FFF], id="jump into a loop"),
    ],
)
def test_endless_loops_are_translated(endless: list[int]) -> None:
    machine = Machine([3, 0xFFFF, 3, *endless], [0] * VARIABLES, interprets=False)
    machine.handle(0xFFFF, 1000)
    assert machine.machine.is_busy


@pytest.mark.parametrize(("index", "is_inside"), [(0, True), (3, True), (4, False), (-1, False)])
@pytest.mark.parametrize("access", [[0x3000, 0x5005, 4, 0x4001], [0x1007, 0x3000, 0x6005, 4]])
def test_computed_index_is_checked_against_its_array(access: list[int], index: int, is_inside: bool) -> None:
    machine = Machine([3, 0xFFFF, 3, *access, 0], [index, *[0] * (VARIABLES - 1)], interprets=False)
    machine.handle(0xFFFF, 1000)
    faults = [message_type for message_type, _, _ in machine.sent]
    assert (MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS not in faults) is is_inside


EXTREMES = st.sampled_from((-32768, -32767, -1, 0, 1, 16, 17, 31, 32, 32767)) | WORDS


@settings(deadline=None, max_examples=examples(300))
@given(operation=st.sampled_from([0x7000 | unary for unary in range(3)] + [0x8000 | number for number in range(18)]),
       left=EXTREMES, right=EXTREMES)  # fmt: skip
def test_operators_compute_as_interpreted(operation: int, left: int, right: int) -> None:
    code_words = [3, 0xFFFF, 3, 0x3000, 0x3001, operation, 0x4002, 0]
    machines = [Machine(code_words, [left, right, *[0] * (VARIABLES - 2)], interprets=each) for each in (True, False)]
    for each in machines:
        each.handle(0xFFFF, 100)
    assert machines[0].sent == machines[1].sent
    assert machines[0].machine.variables == machines[1].machine.variables
