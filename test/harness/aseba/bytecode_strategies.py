"""Hypothesis strategies for bytecode not made by a compiler: mostly meaningful, in places malformed."""

from itertools import accumulate

from hypothesis import strategies as st

from aseba_link.wire.bytecode import WHEN

VARIABLES = 40
EVENTS = (0xFFFF, 3, 4)
_FIRST = 1 + 2 * len(EVENTS)  # start of the code, after the event table
_HERE = 0x10000  # stands for the place of a part: a word that holds it is replaced by an address
_AWAY = 0x20000  # likewise, by a displacement from the part's last two words

Part = tuple[int, ...]

_addresses = st.sampled_from((*range(VARIABLES), *(2 * list(range(4)) * 5), VARIABLES))
_small = st.integers(-3, 12)
_operators = st.sampled_from((*range(18), *range(5), *range(10, 16), 18))
_part_numbers = st.integers(0, 15)


def _joined(*parts: st.SearchStrategy[Part]) -> st.SearchStrategy[Part]:
    return st.tuples(*parts).map(lambda each: tuple(word for part in each for word in part))


def _word(operation: int, low: st.SearchStrategy[int]) -> st.SearchStrategy[Part]:
    return low.map(lambda value: (operation << 12 | value & 0x0FFF,))


_loads = _word(3, _addresses)
_large = st.sampled_from((0x7FFF, 0x8000, 0xFFFF, 17)) | st.integers(0, 0xFFFF)
_values = _loads | _word(1, _small) | _large.map(lambda word: (0x2000, word))
_store = _word(4, _addresses)
_elements = st.sampled_from((4, 12, 12, 30, 50, 0xFFFF, 0)).map(lambda size: (size,))
_goals = st.tuples(_part_numbers.map(lambda number: _AWAY + number))
_results = _joined(_values, _values, _word(8, _operators))
_statements = (
    _joined(_values, _store)
    | _joined(_results, _store)
    | _joined(_results, _values, _word(8, _operators), _store)
    | _joined(_values, _values, _store, _store)
    | _joined(_values, _word(7, st.integers(0, 2)), _store)
    | _joined(_loads, _word(5, _addresses), _elements, _store)
    | _joined(_values, _loads, _word(6, _addresses), _elements)
    | _joined(_word(0xB, st.integers(0, 5)), st.tuples(_addresses), st.sampled_from(((0,), (1,), (4,), (4,), (33,))))
    | _word(0xC, st.sampled_from((0, 2)))
    | _joined(_values, _values, st.just((0xC001,)))
)
_flow = (
    _joined(_values, _values, _word(0xA, _operators), _goals)
    | _joined(_values, _values, _word(0xA, st.integers(10, 15).map(lambda operator: operator | WHEN)), _goals)
    | st.builds(lambda number: (0x9000, _AWAY + number), _part_numbers)
    | st.tuples(_part_numbers.map(lambda number: _HERE + number))
    | st.sampled_from(((0x0000,), (0x0000,), (0xE000,)))
)
_stray = (
    _values
    | _results
    | _store
    | st.sampled_from(
        ((0xE000,), (0xF000,), (0xC003,), (0x7003,), (0xC001,), (0xDFFF,), (0x97FF,), (0x9FF0,), (0x9FFF,))
    )
    | st.lists(st.integers(0, 0xFFFF), max_size=3).map(tuple)
)
_meaningful = st.lists(_statements | _statements | _flow, min_size=8, max_size=20)
_malformed = st.lists(_statements | _flow | _stray, min_size=4, max_size=20)
_parts = _meaningful | _malformed
_entries = st.integers(0, 3) | _part_numbers


@st.composite
def bytecodes(draw: st.DrawFn) -> list[int]:
    """Return a table of three events and their code; few handlers start within an instruction."""
    parts = draw(_parts)
    starts = list(accumulate((_length(part) for part in parts), initial=_FIRST))
    handlers = [starts[draw(_entries) % len(starts)] + draw(st.sampled_from((0, 0, 0, 0, 1))) for _ in EVENTS]
    table = [word for event, handler in zip(EVENTS, handlers, strict=True) for word in (event, handler)]
    code = [word for part, start in zip(parts, starts, strict=False) for word in _placed(part, start, starts)]
    return [_FIRST, *table, *code]


def _length(part: Part) -> int:
    return len(part) - (part[0:1] == (0x9000,) and part[-1] >= _AWAY)


def _placed(part: Part, start: int, starts: list[int]) -> list[int]:
    """Return a part at its place, with the places of its jump targets."""
    if not part or part[-1] < _HERE:
        return list(part)
    goal = starts[part[-1] % _HERE % len(starts)]
    if part[-1] < _AWAY:
        return [0xD000 | goal]
    if part[0] == 0x9000:
        return [0x9000 | (goal - start) & 0x0FFF]
    branch = start + len(part) - 2
    return [*part[:-1], (goal - branch) & 0xFFFF]
