"""The virtual machine, driven with bytecode written by hand."""

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.wire.bytecode import EVENT_ACTIVE, START_EVENT, STOPPED
from aseba_link.wire.description import NativeFunction
from aseba_link.wire.message import MessageType
from simulator.machine.vm import VirtualMachine

CODE = 3  # start of the code of a script with one handler
LIMIT = 2000
STOP = 0x0000
NOTHING = (NativeFunction("nothing", "", ()), lambda _: None)
RETURN = 0xE000


class Recorder:
    """A machine, with its messages and emitted events."""

    def __init__(self, code: Sequence[int], event: int = START_EVENT) -> None:
        self.sent: list[tuple[int, tuple[int, ...], str]] = []
        self.emitted: list[tuple[int, tuple[int, ...]]] = []
        self.machine = VirtualMachine(200, 8, 40, natives=[NOTHING], send=self._record, emit=self._emit)
        self.machine.set_bytecode(0, [CODE, event, CODE, *code])

    def run(self, event: int = START_EVENT) -> "Recorder":
        """Handle an event from a running state."""
        self.machine.flags &= ~STOPPED
        self.machine.set_up(event)
        self.machine.execute(LIMIT)
        return self

    def types(self) -> list[int]:
        """Return the types of the messages."""
        return [message_type for message_type, _, _ in self.sent]

    def _record(self, message_type: int, words: Sequence[int], text: str) -> None:
        self.sent.append((message_type, tuple(words), text))

    def _emit(self, rank: int, args: Sequence[int]) -> None:
        self.emitted.append((rank, tuple(args)))


def push(value: int) -> list[int]:
    return [0x2000, value & 0xFFFF]


def binary(operator: int, left: int, right: int) -> int:
    code = [*push(left), *push(right), 0x8000 | operator, 0x4000, STOP]
    return Recorder(code).run().machine.variables[0]


@pytest.mark.parametrize(
    ("operator", "left", "right", "result"),
    [
        (0, 3, 4, 48),
        (1, -16, 2, -4),
        (2, 32767, 1, -32768),
        (3, -32768, 1, 32767),
        (4, 300, 300, 24464),
        (5, -7, 2, -3),
        (5, -32768, -1, -32768),
        (6, -7, 2, -1),
        (6, 7, -2, 1),
        (7, 5, 3, 7),
        (8, 5, 3, 6),
        (9, 5, 3, 1),
        (10, 4, 4, 1),
        (11, 4, 4, 0),
        (12, 5, 4, 1),
        (13, 4, 4, 1),
        (14, -5, 4, 1),
        (15, 5, 4, 0),
        (16, 0, -3, 1),
        (17, 2, 0, 0),
    ],
)
def test_binary_operator_computes_in_16_bits_as_c_does(operator: int, left: int, right: int, result: int) -> None:
    assert binary(operator, left, right) == result


@pytest.mark.parametrize(("operator", "value", "result"), [(0, -32768, -32768), (1, -5, 5), (2, 5, -6)])
def test_unary_operator_computes_in_16_bits(operator: int, value: int, result: int) -> None:
    assert Recorder([*push(value), 0x7000 | operator, 0x4000, STOP]).run().machine.variables[0] == result


def test_small_immediate_is_signed_12_bits() -> None:
    assert Recorder([0x1FFF, 0x4000, STOP]).run().machine.variables[0] == -1


def test_array_element_is_stored_and_loaded_by_index() -> None:
    code = [*push(77), *push(2), 0x6005, 4, *push(2), 0x5005, 4, 0x4000, STOP]
    assert Recorder(code).run().machine.variables[0] == 77


def test_array_index_out_of_bounds_stops_and_reports_place_size_and_index() -> None:
    recorder = Recorder([*push(-1), 0x5005, 4, STOP]).run()
    assert recorder.sent[-1] == (MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS, (CODE + 2, 4, 0xFFFF), "")
    assert recorder.machine.flags == STOPPED


def test_array_that_reaches_beyond_16_bits_stops_the_script() -> None:
    recorder = Recorder([*push(-2), 0x5FFF, 0xFFFF, STOP]).run()
    assert recorder.sent == [(MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS, (CODE + 2, 40, (0xFFF - 2) & 0xFFFF), "")]


@pytest.mark.parametrize("operator", [5, 6])
def test_division_by_zero_stops_and_reports_the_place(operator: int) -> None:
    recorder = Recorder([*push(1), *push(0), 0x8000 | operator, STOP]).run()
    assert recorder.sent == [(MessageType.DIVISION_BY_ZERO, (CODE + 4,), "")]
    assert recorder.machine.flags == STOPPED


def test_subroutine_returns_to_the_instruction_after_its_call() -> None:
    code = [0xD000 | (CODE + 4), *push(9), STOP, *push(5), 0x4000, RETURN]
    machine = Recorder(code).run().machine
    assert machine.variables[0] == 5
    assert machine.flags == 0


def when_positive() -> Recorder:
    """Return a machine that adds 1 to word 1 each time that word 0 becomes positive."""
    add = [0x3001, 0x1001, 0x8002, 0x4001]
    return Recorder([0x3000, 0x1000, 0xA10C, 2 + len(add), *add, STOP])


def test_when_is_entered_only_when_its_condition_becomes_true() -> None:
    recorder = when_positive()
    for value in (1, 1, 0, 1):
        recorder.machine.variables[0] = value
        recorder.run()
    assert recorder.machine.variables[1] == 2


def test_reset_clears_when_conditions() -> None:
    recorder = when_positive()
    recorder.machine.variables[0] = 1
    recorder.run()
    recorder.machine.reset()
    recorder.run()
    assert recorder.machine.variables[1] == 2


def test_emit_passes_rank_and_arguments() -> None:
    recorder = Recorder([0xB003, 4, 2, STOP])
    recorder.machine.variables[4:6] = [10, -10]
    assert recorder.run().emitted == [(3, (10, -10))]


def test_emit_of_more_than_32_words_is_refused() -> None:
    recorder = Recorder([0xB003, 0, 33, STOP]).run()
    assert recorder.sent[-1][0] == MessageType.NODE_SPECIFIC_ERROR
    assert recorder.sent[-1][2] == "Argument array size is too large (>32)"
    assert recorder.emitted == []


def test_emit_from_beyond_the_memory_is_refused() -> None:
    recorder = Recorder([0xB003, 30, 20, STOP]).run()
    assert recorder.types() == [MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS]
    assert recorder.emitted == []


@pytest.mark.parametrize(
    "code",
    [
        pytest.param([0x1001, 0x9FFF], id="stack overflow"),
        pytest.param([0xD000 | CODE], id="endless recursion"),
        pytest.param([0x8002], id="stack underflow"),
        pytest.param([0x9FF0], id="jump before the code"),
        pytest.param([0x97FF], id="jump behind the code"),
        pytest.param([0xDFFF], id="subroutine outside of the code"),
        pytest.param([0xF000], id="unknown instruction"),
        pytest.param([0xC001], id="unknown native"),
        pytest.param([0x1001, 0x70FF], id="unknown unary operator"),
        pytest.param([0x1001, 0x1001, 0x80FF], id="unknown binary operator"),
    ],
)
def test_hostile_code_stops_with_a_node_error(code: list[int]) -> None:
    recorder = Recorder(code).run()
    assert recorder.types() == [MessageType.NODE_SPECIFIC_ERROR]
    assert recorder.machine.flags == STOPPED


@settings(deadline=None)
@given(
    code=st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=197),
    memory=st.lists(st.integers(-32768, 32767), min_size=40, max_size=40),
)
def test_machine_ends_any_bytecode_without_raising(code: list[int], memory: list[int]) -> None:
    recorder = Recorder(code)
    recorder.machine.variables[:] = memory
    recorder.run()
    assert not recorder.machine.flags & EVENT_ACTIVE
    assert all(-32768 <= word <= 32767 for word in recorder.machine.variables)
    assert all(0 <= word <= 0xFFFF for _, words, _ in recorder.sent for word in words)


@settings(deadline=None)
@given(words=st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=200))
def test_machine_accepts_any_event_table(words: list[int]) -> None:
    recorder = Recorder([STOP])
    assert recorder.machine.set_bytecode(0, words)
    recorder.machine.reset()
    recorder.machine.run()
    recorder.machine.execute(LIMIT)
    assert not recorder.machine.flags & EVENT_ACTIVE


def test_bytecode_that_does_not_fit_is_refused() -> None:
    recorder = Recorder([STOP])
    assert not recorder.machine.set_bytecode(199, [1, 2])


def test_reset_delays_the_init_event_until_run() -> None:
    recorder = Recorder([*push(1), 0x4000, STOP])
    recorder.machine.reset()
    assert recorder.machine.flags == STOPPED | EVENT_ACTIVE
    recorder.machine.run()
    recorder.machine.execute(LIMIT)
    assert recorder.machine.variables[0] == 1


def test_step_executes_one_instruction_and_reports_the_state() -> None:
    recorder = Recorder([*push(1), 0x4000, STOP])
    recorder.machine.reset()
    recorder.machine.step()
    assert recorder.sent[-1] == (MessageType.EXECUTION_STATE_CHANGED, (CODE + 2, STOPPED | EVENT_ACTIVE), "")


def test_breakpoint_stops_before_its_instruction() -> None:
    recorder = Recorder([*push(1), 0x4000, STOP])
    assert recorder.machine.breakpoints.add(CODE + 2)
    recorder.run()
    assert recorder.sent[-1] == (MessageType.EXECUTION_STATE_CHANGED, (CODE + 2, STOPPED | EVENT_ACTIVE), "")
    assert recorder.machine.variables[0] == 0


def test_script_continues_past_a_cleared_breakpoint() -> None:
    recorder = Recorder([*push(1), 0x4000, STOP])
    recorder.machine.breakpoints.add(CODE + 2)
    recorder.run()
    recorder.machine.breakpoints.remove(CODE + 2)
    recorder.machine.run()
    recorder.machine.execute(LIMIT)
    assert recorder.machine.variables[0] == 1


def test_there_are_sixteen_breakpoints() -> None:
    machine = Recorder([STOP]).machine
    assert [machine.breakpoints.add(pc) for pc in range(17)] == [True] * 16 + [False]


def test_breakpoint_outside_of_the_code_is_refused() -> None:
    assert not Recorder([STOP]).machine.breakpoints.add(200)


def test_new_event_kills_the_waiting_one() -> None:
    recorder = Recorder([STOP])
    recorder.machine.reset()
    recorder.machine.set_up(START_EVENT)
    assert MessageType.EVENT_EXECUTION_KILLED in recorder.types()


def test_event_without_handler_is_not_set_up() -> None:
    recorder = Recorder([STOP])
    assert not recorder.machine.set_up(7)
    assert recorder.sent == []


def test_stop_drops_the_event() -> None:
    recorder = Recorder([STOP])
    recorder.machine.reset()
    recorder.machine.stop()
    assert recorder.machine.flags == STOPPED


WORDS = st.integers(-32768, 32767)


def as_word(value: int) -> int:
    """Return a number as a signed 16 bit word."""
    return int.from_bytes((value & 0xFFFF).to_bytes(2, "little"), "little", signed=True)


@settings(deadline=None)
@given(operator=st.sampled_from((2, 3, 4)), left=WORDS, right=WORDS)
def test_arithmetic_wraps_around(operator: int, left: int, right: int) -> None:
    exact = {2: left + right, 3: left - right, 4: left * right}
    assert binary(operator, left, right) == as_word(exact[operator])


@settings(deadline=None)
@given(left=WORDS, right=WORDS.filter(bool))
def test_quotient_and_remainder_truncate(left: int, right: int) -> None:
    assert binary(5, left, right) == as_word(math.trunc(Fraction(left, right)))
    assert binary(6, left, right) == int(math.fmod(left, right))


@settings(deadline=None)
@given(value=WORDS, count=st.integers(0, 15))
def test_shifts_multiply_and_divide_by_powers_of_two(value: int, count: int) -> None:
    assert binary(0, value, count) == as_word(value * 2**count)
    assert binary(1, value, count) == math.floor(Fraction(value, 2**count))


@settings(deadline=None)
@given(left=WORDS, right=WORDS)
def test_comparisons_give_one_or_zero(left: int, right: int) -> None:
    results = [binary(operator, left, right) for operator in range(10, 16)]
    assert results == [left == right, left != right, left > right, left >= right, left < right, left <= right]


@pytest.mark.parametrize(("left", "right", "either", "both"), [(0, 0, 0, 0), (0, 5, 1, 0), (-1, 0, 1, 0), (2, 4, 1, 1)])
def test_logic_treats_every_nonzero_number_as_true(left: int, right: int, either: int, both: int) -> None:
    assert [binary(16, left, right), binary(17, left, right)] == [either, both]


def test_emit_of_32_words_is_sent() -> None:
    recorder = Recorder([0xB003, 0, 32, STOP]).run()
    assert recorder.emitted == [(3, (0,) * 32)]


@pytest.mark.parametrize(("index", "is_inside"), [(0, True), (3, True), (4, False), (-1, False)])
def test_array_is_written_only_inside_of_its_bounds(index: int, is_inside: bool) -> None:
    recorder = Recorder([*push(77), *push(index), 0x6005, 4, STOP]).run()
    assert (77 in recorder.machine.variables) is is_inside


def test_if_branch_is_entered_each_time() -> None:
    add = [0x3001, 0x1001, 0x8002, 0x4001]
    recorder = Recorder([0x3000, 0x1000, 0xA00C, 2 + len(add), *add, STOP])
    recorder.machine.variables[0] = 1
    assert recorder.run().run().machine.variables[1] == 2


def test_subroutines_nest() -> None:
    outer, inner = CODE + 2, CODE + 4
    machine = Recorder([0xD000 | outer, STOP, 0xD000 | inner, RETURN, *push(5), 0x4000, RETURN]).run().machine
    assert (machine.variables[0], machine.flags) == (5, 0)


def test_first_of_two_handlers_of_an_event_runs() -> None:
    recorder = Recorder([])
    recorder.machine.set_bytecode(0, [5, 7, 5, 7, 6, STOP, 0xF000])
    assert recorder.run(7).sent == []


def test_killed_event_is_reported_with_its_place() -> None:
    recorder = Recorder([*push(1), 0x4000, STOP])
    recorder.machine.reset()
    recorder.machine.step()
    recorder.sent.clear()
    recorder.machine.set_up(START_EVENT)
    assert recorder.sent == [
        (MessageType.EVENT_EXECUTION_KILLED, (CODE + 2,), ""),
        (MessageType.EXECUTION_STATE_CHANGED, (CODE, STOPPED | EVENT_ACTIVE), ""),
    ]


def test_killed_event_leaves_nothing_on_the_stack() -> None:
    recorder = Recorder([*push(1), 0x8002, STOP])
    recorder.machine.reset()
    for _ in range(20):
        recorder.machine.step()
        recorder.machine.set_up(START_EVENT)
    assert MessageType.NODE_SPECIFIC_ERROR not in recorder.types()


def test_pause_keeps_the_event_at_its_place() -> None:
    recorder = Recorder([*push(1), 0x4000, STOP])
    recorder.machine.reset()
    recorder.machine.step()
    recorder.machine.run()
    recorder.machine.pause()
    assert recorder.sent[-1] == (MessageType.EXECUTION_STATE_CHANGED, (CODE + 2, STOPPED | EVENT_ACTIVE), "")


def test_step_without_an_event_does_nothing() -> None:
    recorder = Recorder([STOP])
    recorder.machine.step()
    assert recorder.sent == []


def test_running_event_sends_no_messages() -> None:
    assert Recorder([*push(1), 0x4000, STOP]).run().sent == []
