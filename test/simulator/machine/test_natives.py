"""The standard native functions, against independent formulas."""

import math
import struct
import zlib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.wire.bytecode import STOPPED
from aseba_link.wire.message import MessageType
from simulator.firmware.body import Body, Sound
from simulator.firmware.thymio import thymio_description
from simulator.firmware.thymio_natives import power_natives, system_natives, thymio_natives
from simulator.machine.angles import arc_tangent, cosine, sine
from simulator.machine.deque import DEQUES
from simulator.machine.natives import Random, mathematics
from simulator.machine.vm import VirtualMachine

WORDS = st.integers(-32768, 32767)
ANGLES = WORDS
MEMORY_SIZE = 64
INIT = 0xFFFF


class Caller:
    """Calls natives by name, through bytecode; `memory` is the machine's."""

    def __init__(self) -> None:
        self.body = Body()
        natives = [
            *system_natives(),
            *mathematics(Random(1)),
            *DEQUES,
            *thymio_natives(self.body),
            *power_natives(self.body),
        ]
        self.names = [description.name for description, _ in natives]
        self.sent: list[int] = []
        self.machine = VirtualMachine(200, 32, MEMORY_SIZE, natives=natives, send=self._record, emit=lambda *_: None)
        self.memory = self.machine.variables

    def call(self, name: str, *arguments: int) -> "Caller":
        """Call a native; the arguments are addresses by parameter, then sizes of templates."""
        code: list[int] = []
        for argument in reversed(arguments):
            code += [0x2000, argument & 0xFFFF]
        self.machine.set_bytecode(0, [3, INIT, 3, *code, 0xC000 | self.names.index(name), 0x0000])
        self.machine.flags &= ~STOPPED
        self.machine.set_up(INIT)
        self.machine.execute(1000)
        return self

    def _record(self, message_type: int, words: Sequence[int], text: str) -> None:
        self.sent.append(message_type)


def wrapped(value: int) -> int:
    return int.from_bytes((value & 0xFFFF).to_bytes(2, "little"), "little", signed=True)


def combined(name: str, left: int, right: int) -> int:
    caller = Caller()
    caller.memory[0:2] = [left, right]
    return caller.call(name, 2, 0, 1, 1).memory[2]


@settings(deadline=None)
@given(left=WORDS, right=WORDS)
def test_sums_and_products_wrap_at_16_bits(left: int, right: int) -> None:
    assert combined("math.add", left, right) == wrapped(left + right)
    assert combined("math.sub", left, right) == wrapped(left - right)
    assert combined("math.mul", left, right) == wrapped(left * right)
    assert combined("math.min", left, right) == min(left, right)
    assert combined("math.max", left, right) == max(left, right)


@settings(deadline=None)
@given(left=WORDS, right=WORDS.filter(bool))
def test_division_rounds_towards_zero(left: int, right: int) -> None:
    assert combined("math.div", left, right) == wrapped(math.trunc(left / right))


@settings(deadline=None)
@given(a=WORDS, b=WORDS, c=WORDS.filter(bool))
def test_muldiv_keeps_32_bits_in_between(a: int, b: int, c: int) -> None:
    caller = Caller()
    caller.memory[0:3] = [a, b, c]
    assert caller.call("math.muldiv", 3, 0, 1, 2, 1).memory[3] == wrapped(math.trunc(a * b / c))


@pytest.mark.parametrize(("name", "arguments"), [("math.div", (2, 0, 1, 1)), ("math.muldiv", (3, 0, 0, 1, 1))])
def test_division_by_zero_stops_the_script(name: str, arguments: tuple[int, ...]) -> None:
    caller = Caller().call(name, *arguments)
    assert caller.sent == [MessageType.DIVISION_BY_ZERO]
    assert caller.machine.flags == STOPPED


@settings(deadline=None)
@given(value=st.integers(0, 32767))
def test_sqrt_is_the_largest_root_that_fits(value: int) -> None:
    caller = Caller()
    caller.memory[0] = value
    root = caller.call("math.sqrt", 1, 0, 1).memory[1]
    assert root**2 <= value < (root + 1) ** 2


def test_sqrt_of_a_negative_number_is_a_node_error() -> None:
    caller = Caller()
    caller.memory[0] = -1
    assert caller.call("math.sqrt", 1, 0, 1).sent == [MessageType.NODE_SPECIFIC_ERROR]


@settings(deadline=None)
@given(angle=ANGLES)
def test_sine_is_within_four_units_of_the_true_one(angle: int) -> None:
    assert sine(angle) == pytest.approx(32767 * math.sin(math.pi * angle / 32768), abs=4)


@settings(deadline=None)
@given(angle=ANGLES)
def test_cosine_is_within_four_units_of_the_true_one(angle: int) -> None:
    assert cosine(angle) == pytest.approx(32767 * math.cos(math.pi * angle / 32768), abs=4)


@pytest.mark.parametrize(
    ("angle", "expected"), [(0, 0), (16384, 32767), (-16384, -32767), (-32768, 0), (128, 403), (64, 201)]
)
def test_sine_is_exact_at_the_entries_of_its_table(angle: int, expected: int) -> None:
    assert sine(angle) == expected


@settings(deadline=None)
@given(y=WORDS.filter(lambda word: word > -32768), x=WORDS.filter(lambda word: word not in (0, -32768)))
def test_arc_tangent_is_within_forty_units_of_the_true_one(y: int, x: int) -> None:
    # a 32nd of the widest gap between two entries (614 / 32) is cut off, and entries are up to 20 above the curve
    difference = arc_tangent(y, x) - 32768 / math.pi * math.atan2(y, x)
    assert abs((difference + 32768) % 65536 - 32768) <= 40


@pytest.mark.parametrize(
    ("y", "x", "expected"),
    [(0, 0, 0), (0, 5, 0), (0, -5, -32768), (5, 0, 16384), (-5, 0, -16384), (7, 7, 8203), (-7, -7, -24565)],
)
def test_arc_tangent_has_its_entries_on_axes_and_diagonals(y: int, x: int, expected: int) -> None:
    assert arc_tangent(y, x) == expected


def test_all_sines_are_those_of_the_original_machine() -> None:
    sines = [sine(angle) for angle in range(-32768, 32768)]
    assert zlib.crc32(struct.pack("<65536h", *sines)) == 2623549510  # of what its native function returns


def test_arc_tangents_are_those_of_the_original_machine() -> None:
    words = [(y, x) for y in range(-32768, 32768, 331) for x in range(-32768, 32768, 337)]
    words += [(y, x) for y in range(-40, 41) for x in range(-40, 41)]
    found = [arc_tangent(y, x) for y, x in words]
    assert zlib.crc32(struct.pack(f"<{len(found)}h", *found)) == 1623687148  # of what its native function returns


def test_rot2_turns_by_a_quarter() -> None:
    caller = Caller()
    caller.memory[0:3] = [1000, 0, 16384]
    assert caller.call("math.rot2", 4, 0, 2).memory[4:6] == [0, 999]


def test_copy_fill_and_addscalar_treat_every_element() -> None:
    caller = Caller()
    caller.memory[0:3] = [1, 2, 3]
    caller.call("math.copy", 10, 0, 3).call("math.fill", 20, 2, 3).call("math.addscalar", 30, 0, 2, 3)
    assert [caller.memory[start : start + 3] for start in (10, 20, 30)] == [[1, 2, 3], [3, 3, 3], [4, 5, 6]]


def test_clamp_stays_between_its_bounds() -> None:
    caller = Caller()
    caller.memory[0:9] = [-9, 0, 9, -5, -5, -5, 5, 5, 5]
    assert caller.call("math.clamp", 10, 0, 3, 6, 3).memory[10:13] == [-5, 0, 5]


@settings(deadline=None)
@given(left=st.lists(WORDS, min_size=3, max_size=3), right=st.lists(WORDS, min_size=3, max_size=3))
def test_dot_shifts_a_sum_of_32_bits(left: list[int], right: list[int]) -> None:
    caller = Caller()
    caller.memory[0:7] = [*left, *right, 15]
    total = sum(a * b for a, b in zip(left, right, strict=True))
    in_32_bits = int.from_bytes((total & 0xFFFFFFFF).to_bytes(4, "little"), "little", signed=True)
    assert caller.call("math.dot", 10, 0, 3, 6, 3).memory[10] == wrapped(in_32_bits // 2**15)


@settings(deadline=None)
@given(words=st.lists(WORDS, min_size=1, max_size=20))
def test_stat_argbounds_and_sort_agree_with_python(words: list[int]) -> None:
    caller = Caller()
    caller.memory[: len(words)] = words
    caller.call("math.stat", 0, 30, 31, 32, len(words)).call("math.argbounds", 0, 33, 34, len(words))
    assert caller.memory[30:33] == [min(words), max(words), math.trunc(sum(words) / len(words))]
    assert caller.memory[33:35] == [words.index(min(words)), words.index(max(words))]
    assert caller.call("math.sort", 0, len(words)).memory[: len(words)] == sorted(words)


def test_rand_is_the_generator_of_the_original() -> None:
    assert Caller().call("math.rand", 0, 2).memory[0:2] == [wrapped(39022), wrapped(25173 * 39022 + 13849)]


def pushed(*words: int) -> Caller:
    """Return a caller whose memory holds a deque of capacity 4 at word 10."""
    caller = Caller()
    for word in words:
        caller.memory[0] = word
        caller.call("deque.push_back", 10, 0, 6, 1)
    return caller


def test_deque_is_a_queue() -> None:
    caller = pushed(1, 2, 3).call("deque.pop_front", 10, 1, 6, 1).call("deque.size", 10, 2, 6)
    assert caller.memory[1:3] == [1, 2]


def test_deque_pops_a_tuple_from_the_back_in_order() -> None:
    assert pushed(1, 2, 3).call("deque.pop_back", 10, 1, 6, 2).memory[1:3] == [2, 3]


def test_deque_inserts_and_erases_in_the_middle() -> None:
    caller = pushed(1, 3)
    caller.memory[0:3] = [2, 1, 2]
    caller.call("deque.insert", 10, 0, 1, 6, 1)
    caller.memory[3] = 0
    assert caller.call("deque.get", 10, 4, 3, 6, 3).memory[4:7] == [1, 2, 3]
    caller.memory[1:3] = [0, 2]
    caller.call("deque.erase", 10, 1, 2, 6)
    assert caller.call("deque.get", 10, 4, 3, 6, 1).memory[4] == 3


def test_full_deque_refuses_more() -> None:
    assert pushed(1, 2, 3, 4, 5).sent == [MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS]


def test_empty_deque_has_nothing_to_pop() -> None:
    assert Caller().call("deque.pop_front", 10, 0, 6, 1).sent == [MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS]


NAMES = Caller().names


@settings(deadline=None)
@given(
    name=st.sampled_from(NAMES),
    arguments=st.lists(st.integers(0, 0xFFFF) | st.integers(0, MEMORY_SIZE), max_size=12),
    memory=st.lists(WORDS, min_size=MEMORY_SIZE, max_size=MEMORY_SIZE),
)
def test_no_native_raises_or_leaves_the_memory(name: str, arguments: list[int], memory: list[int]) -> None:
    caller = Caller()
    caller.memory[:] = memory
    caller.call(name, *arguments)
    assert len(caller.memory) == MEMORY_SIZE
    assert all(-32768 <= word <= 32767 for word in caller.memory)


def test_the_firmware_lists_sixty_natives_in_its_order() -> None:
    names = [function.name for function in thymio_description().native_functions]
    assert len(names) == 60
    assert names == NAMES
    assert names[:5] == [
        "_system.reboot",
        "_system.settings.read",
        "_system.settings.write",
        "_system.settings.flash",
        "math.copy",
    ]
    assert names[-1] == "_poweroff"


def test_lights_are_kept_within_their_brightness() -> None:
    caller = Caller()
    caller.memory[0:3] = [99, -1, 20]
    assert caller.call("leds.top", 0, 1, 2).body.lights["leds.top"] == (32, 0, 20)


def test_missing_card_cannot_be_opened() -> None:
    assert Caller().call("sd.open", 0, 1).memory[1] == -1


def test_infrared_communication_can_be_enabled() -> None:
    caller = Caller()
    caller.memory[0] = 1
    assert caller.call("prox.comm.enable", 0).body.communicates


@pytest.mark.parametrize(
    ("ticks", "sound"),
    [(30, Sound("sound.freq", 440, 0.5)), (0, Sound("sound.freq", 440, None)), (-1, None)],
)
def test_tone_lasts_for_its_duration_in_sixtieths_of_a_second(ticks: int, sound: Sound | None) -> None:
    caller = Caller()
    caller.memory[0:2] = [440, ticks]
    assert caller.call("sound.freq", 0, 1).body.sound == sound


def test_sound_is_stopped_by_number_minus_one() -> None:
    caller = Caller()
    caller.body.sound = Sound("sound.freq", 440, None)
    caller.memory[0] = -1
    assert caller.call("sound.system", 0).body.sound is None


def test_poweroff_switches_everything_off() -> None:
    caller = Caller()
    caller.body.lights["leds.top"] = (1, 2, 3)
    caller.call("_poweroff")
    assert (caller.body.is_on, caller.body.lights) == (False, {})


@pytest.mark.parametrize(("words", "expected"), [((32767,) * 3, (9, 0)), ((-32768,) * 3, (0, 9)), ((5, 3, 5), (1, 0))])
def test_argbounds_leaves_its_results_if_no_word_is_below_or_above(
    words: tuple[int, ...], expected: tuple[int, int]
) -> None:
    caller = Caller()
    caller.memory[:5] = [*words, 9, 9]
    caller.call("math.argbounds", 0, 3, 4, 3)
    assert tuple(caller.memory[3:5]) == expected
