"""AESL expressions: each consists of one or more words, computed independently.

All sizes are known at compile time, so vectors are plain tuples of scalars. They are immutable. A script has thousands
of the plain classes; as dataclasses they would take twice as long to create.
"""

from dataclasses import dataclass
from enum import Enum, auto

from aseba_link.aesl.syntax.lexer import Token
from aseba_link.wire.operators import BinaryOperator, UnaryOperator


class Number:
    """A compile-time constant; as an intermediate result it may need more than 16 bits."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class Word:
    """A word of memory, by its address."""

    __slots__ = ("address",)

    def __init__(self, address: int) -> None:
        self.address = address


@dataclass(frozen=True, slots=True)
class Element:
    """A word of an array, selected by an index at run time."""

    start: int
    size: int
    index: "Scalar"


@dataclass(frozen=True, slots=True)
class Unary:
    """An operator applied to a scalar."""

    operator: UnaryOperator
    operand: "Scalar"


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator applied to two scalars."""

    operator: BinaryOperator
    left: "Scalar"
    right: "Scalar"


Place = Word | Element
Scalar = Number | Place | Unary | Binary


class ExpressionKind(Enum):
    """The possible uses of an expression."""

    VARIABLE = auto()  # a variable, an element or a slice of it: has an address, can be written
    VALUE = auto()  # numbers
    CONDITION = auto()  # true or false


class Expression:
    """An expression, and the token that errors refer to."""

    __slots__ = ("elements", "kind", "token")

    def __init__(self, token: Token, elements: tuple[Scalar, ...], kind: ExpressionKind = ExpressionKind.VALUE) -> None:
        self.token = token
        self.elements = elements
        self.kind = kind

    @property
    def size(self) -> int:
        """The number of words."""
        return len(self.elements)

    @property
    def places(self) -> tuple[Place, ...]:
        """The words of memory in the expression; only those of a variable are written."""
        return tuple(element for element in self.elements if isinstance(element, Word | Element))


def addresses_read(scalar: Scalar) -> set[int]:
    """Return every address that a scalar may read."""
    if isinstance(scalar, Word):
        return {scalar.address}
    if isinstance(scalar, Element):
        return set(range(scalar.start, scalar.start + scalar.size)) | addresses_read(scalar.index)
    if isinstance(scalar, Unary):
        return addresses_read(scalar.operand)
    if isinstance(scalar, Binary):
        return addresses_read(scalar.left) | addresses_read(scalar.right)
    return set()
