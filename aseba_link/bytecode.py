"""Bytecode of the Aseba virtual machine: what a node runs, and how event ids are changed inside it.

Layout (Aseba common/consts.h): word 0 is the length of the event table including itself, then come pairs of
event id and handler address, then the code. The upper four bits of a code word are its operation.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from aseba_link.errors import CompilerError
from aseba_link.message import FIRST_SYSTEM_TYPE

MAX_USER_EVENT = 0x0FFF  # the id of an emitted event stands in the lower 12 bits of EMIT

_LARGE_IMMEDIATE = 0x2
_LOAD_INDIRECT = 0x5
_STORE_INDIRECT = 0x6
_CONDITIONAL_BRANCH = 0xA
_EMIT = 0xB
_LENGTHS = {_LARGE_IMMEDIATE: 2, _LOAD_INDIRECT: 2, _STORE_INDIRECT: 2, _CONDITIONAL_BRANCH: 2, _EMIT: 3}  # others: 1


@dataclass(frozen=True, slots=True)
class CompiledScript:
    """A script as one kind of node runs it: unsigned 16 bit words."""

    bytecode: tuple[int, ...]

    def __post_init__(self) -> None:
        if not all(0 <= word <= 0xFFFF for word in self.bytecode):
            raise CompilerError("bytecode holds a number that is not a 16 bit word")


def renumber_events(bytecode: tuple[int, ...], new_ids: Mapping[int, int]) -> tuple[int, ...]:
    """Return `bytecode` with every user event id replaced, both where it is handled and where it is emitted.

    Raises
    ------
    CompilerError
        This is not bytecode, or it uses an event that `new_ids` does not hold.
    """
    words = list(bytecode)
    try:
        table_end = words[0]
        for position in range(1, table_end, 2):
            if words[position] < FIRST_SYSTEM_TYPE:
                words[position] = new_ids[words[position]]
        position = table_end
        while position < len(words):
            operation = words[position] >> 12
            if operation == _EMIT:
                words[position] = _EMIT << 12 | new_ids[words[position] & MAX_USER_EVENT]
            position += _LENGTHS.get(operation, 1)
    except (IndexError, KeyError) as error:
        raise CompilerError(f"the compiler's bytecode is not understood ({error!r})") from error
    return tuple(words)
