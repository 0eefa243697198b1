"""Expressions of AESL: each is one or more words, which are computed independently.

All sizes are known at compile time, so vectors are plain tuples of scalars.
"""

from dataclasses import dataclass
from enum import Enum, auto

from aseba_link.aesl.syntax.lexer import Token
from aseba_link.wire.operators import BinaryOperator, UnaryOperator


@dataclass(frozen=True, slots=True)
class Number:
    """A number that is known at compile time; it may need more than 16 bits as an intermediate result."""

    value: int


@dataclass(frozen=True, slots=True)
class Word:
    """The word of memory at an address."""

    address: int


@dataclass(frozen=True, slots=True)
class Element:
    """The word of an array that an index selects at run time."""

    start: int
    size: int
    index: "Scalar"


@dataclass(frozen=True, slots=True)
class Unary:
    """An operator on one scalar."""

    operator: UnaryOperator
    operand: "Scalar"


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator on two scalars."""

    operator: BinaryOperator
    left: "Scalar"
    right: "Scalar"


Place = Word | Element
Scalar = Number | Place | Unary | Binary


class ExpressionKind(Enum):
    """What an expression can be used for."""

    VARIABLE = auto()  # a variable, an element or a slice of it: has an address, can be written
    VALUE = auto()  # numbers
    CONDITION = auto()  # true or false


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression, and the token that errors about it name."""

    token: Token
    elements: tuple[Scalar, ...]
    kind: ExpressionKind = ExpressionKind.VALUE

    @property
    def size(self) -> int:
        """How many words it has."""
        return len(self.elements)

    @property
    def places(self) -> tuple[Place, ...]:
        """Its words of memory; only those of a variable are written."""
        return tuple(element for element in self.elements if isinstance(element, Word | Element))


def addresses_read(scalar: Scalar) -> set[int]:
    """Return every address at which a scalar may read."""
    if isinstance(scalar, Word):
        return {scalar.address}
    if isinstance(scalar, Element):
        return set(range(scalar.start, scalar.start + scalar.size)) | addresses_read(scalar.index)
    if isinstance(scalar, Unary):
        return addresses_read(scalar.operand)
    if isinstance(scalar, Binary):
        return addresses_read(scalar.left) | addresses_read(scalar.right)
    return set()
