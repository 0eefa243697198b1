"""Combines scalars, and simplifies the results as far as possible at compile time.

Results match those of Aseba's own compiler, even where they differ from run time: numbers have 32 bits, a quotient by
a power of two is rounded down, and a product with 0 evaluates nothing.
"""

from typing import assert_never

from aseba_link.aesl.syntax.expression import Binary, Number, Scalar, Unary
from aseba_link.aesl.syntax.lexer import Token
from aseba_link.wire.operators import RESULTS, BinaryOperator, UnaryOperator

_Op = BinaryOperator

_INVERSES = {
    _Op.EQUAL: _Op.NOT_EQUAL,
    _Op.NOT_EQUAL: _Op.EQUAL,
    _Op.GREATER: _Op.LESS_EQUAL,
    _Op.LESS_EQUAL: _Op.GREATER,
    _Op.LESS: _Op.GREATER_EQUAL,
    _Op.GREATER_EQUAL: _Op.LESS,
    _Op.OR: _Op.AND,
    _Op.AND: _Op.OR,
}


def unary(operator: UnaryOperator, operand: Scalar, token: Token) -> Scalar:
    """Return the scalar `operator operand`; raises CompilerError."""
    if not isinstance(operand, Number):
        return Unary(operator, operand)
    match operator:
        case UnaryOperator.MINUS:
            return Number(_wrap(-operand.value))
        case UnaryOperator.BIT_NOT:
            return Number(~operand.value)
        case UnaryOperator.ABS:
            if operand.value == -0x8000:
                raise token.error("the absolute value of -32768 does not fit 16 bits")
            return Number(_wrap(abs(operand.value)))
        case _:
            assert_never(operator)


def binary(operator: BinaryOperator, left: Scalar, right: Scalar, token: Token) -> Scalar:
    """Return the scalar `left operator right`; raises CompilerError."""
    if operator is _Op.DIVIDE and isinstance(right, Number) and right.value == 0:
        raise token.error("division by zero")
    if isinstance(left, Number) and isinstance(right, Number):
        if operator is _Op.MODULO and right.value == 0:
            raise token.error("division by zero")
        return Number(_wrap(int(RESULTS[operator](left.value, right.value))))
    if isinstance(right, Number):
        return _with_number(operator, left, right.value, is_right=True)
    if isinstance(left, Number):
        return _with_number(operator, right, left.value, is_right=False)
    return Binary(operator, left, right)


def negated(condition: Scalar) -> Scalar:
    """Return the opposite of a condition; `not` needs no extra code."""
    if isinstance(condition, Number):
        return Number(int(condition.value == 0))
    if not isinstance(condition, Binary):
        raise AssertionError(f"{condition} is not a condition")
    left, right = condition.left, condition.right
    if condition.operator in (_Op.OR, _Op.AND):
        left, right = negated(left), negated(right)
    return Binary(_INVERSES[condition.operator], left, right)


def _with_number(operator: BinaryOperator, other: Scalar, number: int, *, is_right: bool) -> Scalar:
    """Return `other operator number`, or `number operator other` if the number is on the left."""
    if _is_neutral(operator, number, is_right=is_right):
        return other
    absorbed = _absorbed(operator, number)
    if absorbed is not None:
        return absorbed
    if not is_right:
        return Binary(operator, Number(number), other)
    if operator is _Op.DIVIDE and number > 0 and number.bit_count() == 1:
        return Binary(_Op.SHIFT_RIGHT, other, Number(number.bit_length() - 1))
    return Binary(operator, other, Number(number))


def _is_neutral(operator: BinaryOperator, number: int, *, is_right: bool) -> bool:
    """Return whether an operation with this number changes nothing."""
    if operator in (_Op.DIVIDE, _Op.SUBTRACT) and not is_right:
        return False
    if operator is _Op.AND:
        return number != 0
    neutral = {
        _Op.MULTIPLY: 1,
        _Op.DIVIDE: 1,
        _Op.ADD: 0,
        _Op.SUBTRACT: 0,
        _Op.BIT_OR: 0,
        _Op.OR: 0,
        _Op.BIT_AND: -1,
    }
    return neutral.get(operator) == number


def _absorbed(operator: BinaryOperator, number: int) -> Number | None:
    """Return the result of an operation if `number` alone determines it, else None."""
    if operator in (_Op.MULTIPLY, _Op.BIT_AND, _Op.AND) and number == 0:
        return Number(0)
    if operator is _Op.BIT_OR and number == -1:
        return Number(-1)
    if operator is _Op.OR and number != 0:
        return Number(1)
    return None


def _wrap(value: int) -> int:
    """Return the low 32 bits of a number as a signed integer."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000
