"""A sequence of instructions of the Aseba virtual machine."""

from typing import assert_never

from aseba_link.aesl.syntax.expression import Binary, Element, Number, Place, Scalar, Unary, Word
from aseba_link.wire.bytecode import LARGEST_OPERAND, Operation


class Instructions:
    """Code words, with the current and the largest number of words on the stack."""

    def __init__(self) -> None:
        self.words: list[int] = []
        self.depth = 0
        self.largest_depth = 0

    def add(self, operation: Operation, operand: int, pushes: int, *further: int) -> None:
        """Append an instruction that adds `pushes` words to the stack."""
        self.words.append(operation << 12 | operand)
        if further:
            self.words += [word & 0xFFFF for word in further]
        self.depth += pushes
        self.largest_depth = max(self.largest_depth, self.depth)

    def push(self, scalar: Scalar) -> None:
        """Append the instructions that put a scalar on the stack."""
        if isinstance(scalar, Number):
            self._push_number(scalar.value)
        elif isinstance(scalar, Word):
            self.add(Operation.LOAD, scalar.address, 1)
        elif isinstance(scalar, Element):
            self.push(scalar.index)
            self.add(Operation.LOAD_INDIRECT, scalar.start, 0, scalar.size)
        elif isinstance(scalar, Unary):
            self.push(scalar.operand)
            self.add(Operation.UNARY, scalar.operator, 0)
        elif isinstance(scalar, Binary):
            self.push(scalar.left)
            self.push(scalar.right)
            self.add(Operation.BINARY, scalar.operator, -1)
        else:
            assert_never(scalar)

    def _push_number(self, value: int) -> None:
        word = ((value + 0x8000) & 0xFFFF) - 0x8000
        if -0x800 <= word <= 0x7FF:
            self.add(Operation.SMALL_IMMEDIATE, word & LARGEST_OPERAND, 1)
        else:
            self.add(Operation.LARGE_IMMEDIATE, 0, 1, word)

    def pop(self, place: Place) -> None:
        """Append the instructions that write the top of the stack to a place."""
        if isinstance(place, Word):
            self.add(Operation.STORE, place.address, -1)
            return
        self.push(place.index)
        self.add(Operation.STORE_INDIRECT, place.start, -2, place.size)
