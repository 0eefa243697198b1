"""The operators of AESL and their results, for the compiler and the simulated machine."""

from collections.abc import Callable, Mapping
from enum import IntEnum


class UnaryOperator(IntEnum):
    """Numbered as in bytecode (Aseba common/consts.h)."""

    MINUS = 0
    ABS = 1
    BIT_NOT = 2


class BinaryOperator(IntEnum):
    """Numbered as in bytecode (Aseba common/consts.h)."""

    SHIFT_LEFT = 0
    SHIFT_RIGHT = 1
    ADD = 2
    SUBTRACT = 3
    MULTIPLY = 4
    DIVIDE = 5
    MODULO = 6
    BIT_OR = 7
    BIT_XOR = 8
    BIT_AND = 9
    EQUAL = 10
    NOT_EQUAL = 11
    GREATER = 12
    GREATER_EQUAL = 13
    LESS = 14
    LESS_EQUAL = 15
    OR = 16
    AND = 17


def divide(left: int, right: int) -> int:
    """Return the quotient, rounded towards zero as in C."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def remainder(left: int, right: int) -> int:
    """Return the remainder of `divide`; it has the sign of `left`."""
    return left - right * divide(left, right)


# before truncation to 16 bits; shifts use the low five bits of their count, like the processors that run Aseba
RESULTS: Mapping[BinaryOperator, Callable[[int, int], int]] = {
    BinaryOperator.SHIFT_LEFT: lambda left, right: left << (right & 31),
    BinaryOperator.SHIFT_RIGHT: lambda left, right: left >> (right & 31),
    BinaryOperator.ADD: lambda left, right: left + right,
    BinaryOperator.SUBTRACT: lambda left, right: left - right,
    BinaryOperator.MULTIPLY: lambda left, right: left * right,
    BinaryOperator.DIVIDE: divide,
    BinaryOperator.MODULO: remainder,
    BinaryOperator.BIT_OR: lambda left, right: left | right,
    BinaryOperator.BIT_XOR: lambda left, right: left ^ right,
    BinaryOperator.BIT_AND: lambda left, right: left & right,
    BinaryOperator.EQUAL: lambda left, right: left == right,
    BinaryOperator.NOT_EQUAL: lambda left, right: left != right,
    BinaryOperator.GREATER: lambda left, right: left > right,
    BinaryOperator.GREATER_EQUAL: lambda left, right: left >= right,
    BinaryOperator.LESS: lambda left, right: left < right,
    BinaryOperator.LESS_EQUAL: lambda left, right: left <= right,
    BinaryOperator.OR: lambda left, right: left != 0 or right != 0,
    BinaryOperator.AND: lambda left, right: left != 0 and right != 0,
}
