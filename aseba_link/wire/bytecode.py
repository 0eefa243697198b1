"""Bytecode of the Aseba virtual machine, which nodes run.

Layout (Aseba common/consts.h): word 0 is the length of the event table including itself, followed by pairs of event
id and handler address, then the code. The upper four bits of a code word are its operation.
"""

from dataclasses import dataclass
from enum import IntEnum

from aseba_link.errors import CompilerError
from aseba_link.wire.description import Variable

START_EVENT = 0xFFFF  # raised when the script starts
FIRST_LOCAL_EVENT = 0xFFFE  # local event k of a node has id FIRST_LOCAL_EVENT - k
EVENT_ACTIVE = 1  # in an execution state: an event is being handled
STOPPED = 2  # in an execution state: event handlers wait until a host steps or runs them
LARGEST_OPERAND = 0x0FFF  # in the lower 12 bits of a code word: an address, a rank, a number
WHEN = 1 << 8  # in a conditional branch: taken only when the condition becomes true


class Operation(IntEnum):
    """The upper four bits of a code word; some operations take further words."""

    STOP = 0x0  # end of the event's handling
    SMALL_IMMEDIATE = 0x1  # push the signed lower 12 bits
    LARGE_IMMEDIATE = 0x2  # push the next word
    LOAD = 0x3  # push the word at an address
    STORE = 0x4  # pop a word to an address
    LOAD_INDIRECT = 0x5  # pop an index, push that word of the array at an address; next word: the array's size
    STORE_INDIRECT = 0x6  # pop an index, then a word into that place of the array at an address; next word: its size
    UNARY = 0x7  # apply an operator to the word on top of the stack
    BINARY = 0x8  # apply an operator to the two words on top of the stack
    JUMP = 0x9  # by the signed lower 12 bits
    CONDITIONAL_BRANCH = 0xA  # compare and continue, else jump by the next word
    EMIT = 0xB  # an event; the next words are address and size of its arguments
    CALL_NATIVE = 0xC  # a function that pops the addresses of its arguments, then sizes
    CALL_SUBROUTINE = 0xD  # push the address of the next word and go to an address
    RETURN = 0xE  # from a subroutine


@dataclass(frozen=True, slots=True)
class CompiledScript:
    """A script compiled for one kind of node: unsigned 16 bit words, and its variables, which follow the node's own."""

    bytecode: tuple[int, ...]
    variables: tuple[Variable, ...] = ()

    def __post_init__(self) -> None:
        if not all(0 <= word <= 0xFFFF for word in self.bytecode):
            raise CompilerError("bytecode contains a number that is not a 16 bit word")
