"""Python expressions for the stack words of a handler that is being translated.

Sums rarely leave the range of a word: a sum `x` is compared first, and wrapped only if needed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from aseba_link.wire.operators import BinaryOperator, UnaryOperator


@dataclass(frozen=True, slots=True)
class StackExpression:
    """A word of the stack.

    `constant` is its value, if known. `reads`: it must be evaluated before memory changes. `truth`: it is a Python
    condition, worth 1 or 0 as a word.
    """

    text: str
    constant: int | None = None
    reads: bool = False
    truth: bool = False

    @property
    def word(self) -> str:
        """The expression as a number."""
        return f"(1 if {self.text} else 0)" if self.truth else self.text

    @property
    def unsigned(self) -> str:
        """The expression as an unsigned word."""
        return f"{self.word} & 0xFFFF" if self.constant is None else str(self.constant & 0xFFFF)


class _Result(Enum):
    """The kind of result that an operator on two words has."""

    WORD = "({})"  # a word
    WIDE = "(x if -0x8001 < (x := {}) < 0x8000 else (x + 0x8000 & 0xFFFF) - 0x8000)"  # wrapped to a word
    HIGH = "(x if (x := {}) < 0x8000 else x - 0x10000)"  # wrapped; never too low
    LOW = "(x if (x := {}) > -0x8001 else x + 0x10000)"  # wrapped; never too high
    TRUTH = "{}"  # true or false


# these give the same results as `aseba_link.wire.operators`; a test compares both
_BINARY = {
    BinaryOperator.SHIFT_LEFT: ("({} << ({} & 31))", _Result.WIDE),
    BinaryOperator.SHIFT_RIGHT: ("{} >> ({} & 31)", _Result.WORD),
    BinaryOperator.ADD: ("{} + {}", _Result.WIDE),
    BinaryOperator.SUBTRACT: ("{} - {}", _Result.WIDE),
    BinaryOperator.MULTIPLY: ("{} * {}", _Result.WIDE),
    BinaryOperator.DIVIDE: ("divide({}, {})", _Result.WIDE),
    BinaryOperator.MODULO: ("remainder({}, {})", _Result.WORD),
    BinaryOperator.BIT_OR: ("{} | {}", _Result.WORD),
    BinaryOperator.BIT_XOR: ("{} ^ {}", _Result.WORD),
    BinaryOperator.BIT_AND: ("{} & {}", _Result.WORD),
    BinaryOperator.EQUAL: ("{} == {}", _Result.TRUTH),
    BinaryOperator.NOT_EQUAL: ("{} != {}", _Result.TRUTH),
    BinaryOperator.GREATER: ("{} > {}", _Result.TRUTH),
    BinaryOperator.GREATER_EQUAL: ("{} >= {}", _Result.TRUTH),
    BinaryOperator.LESS: ("{} < {}", _Result.TRUTH),
    BinaryOperator.LESS_EQUAL: ("{} <= {}", _Result.TRUTH),
}
_SUMS = (BinaryOperator.ADD, BinaryOperator.SUBTRACT)
_LOGIC = {BinaryOperator.OR: "({} or {})", BinaryOperator.AND: "({} and {})"}
UNARY: dict[int, Callable[[str], str]] = {
    UnaryOperator.MINUS: lambda text: _Result.HIGH.value.format(f"-{text}"),
    UnaryOperator.ABS: lambda text: _Result.HIGH.value.format(f"abs({text})"),
    UnaryOperator.BIT_NOT: lambda text: f"(~{text})",
}


def constant(value: int) -> StackExpression:
    """Return the expression of a known number."""
    return StackExpression(f"({value})" if value < 0 else str(value), constant=value)


def unary(operator: int, operand: StackExpression) -> StackExpression:
    """Return an operator's result."""
    return StackExpression(UNARY[operator](operand.word), reads=operand.reads)


def binary(operator: int, left: StackExpression, right: StackExpression) -> StackExpression:
    """Return an operator's result; the caller ensures that a divisor is not 0."""
    reads = left.reads or right.reads
    if operator in _LOGIC:
        text = _LOGIC[BinaryOperator(operator)].format(left.text, right.text)
        return StackExpression(text, reads=reads, truth=True)
    template, result = _BINARY[BinaryOperator(operator)]
    if operator in _SUMS and right.constant is not None:
        result = _Result.HIGH if (right.constant > 0) == (operator == BinaryOperator.ADD) else _Result.LOW
    text = result.value.format(template.format(left.word, right.word))
    return StackExpression(text, reads=reads, truth=result is _Result.TRUTH)
