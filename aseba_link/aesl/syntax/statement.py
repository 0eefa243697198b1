"""The AESL statements of a node's code."""

from dataclasses import dataclass

from aseba_link.aesl.syntax.expression import Expression, Place, Scalar
from aseba_link.aesl.syntax.lexer import Token


@dataclass(frozen=True, slots=True)
class Assignment:
    """Compute all values and write each to its place; there are as many values as places."""

    token: Token
    places: tuple[Place, ...]
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """`if` and `when`; `when` runs its body when the condition becomes true."""

    token: Token
    condition: Scalar
    body: "Block"
    alternative: "Block" = ()
    is_when: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    """`while`."""

    token: Token
    condition: Scalar
    body: "Block"


@dataclass(frozen=True, slots=True)
class Emission:
    """`emit`: an event by its rank, with arguments if it has any."""

    token: Token
    rank: int
    arguments: Expression | None


@dataclass(frozen=True, slots=True)
class NativeCall:
    """`call`: a native function by its number; `sizes` are those of its parameters of variable size."""

    token: Token
    number: int
    arguments: tuple[Expression, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SubroutineCall:
    """`callsub`; the token is the subroutine's name."""

    token: Token


@dataclass(frozen=True, slots=True)
class Return:
    """`return`: leave the subroutine or the handler."""

    token: Token


Statement = Assignment | Branch | Loop | Emission | NativeCall | SubroutineCall | Return
Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """The parts of a node's code; errors name a part by its token."""

    start: tuple[Token, Block]  # runs first
    handlers: dict[int, tuple[Token, Block]]  # by event id
    subroutines: dict[str, tuple[Token, Block]]
