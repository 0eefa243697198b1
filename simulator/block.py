"""What a handler is cut into: basic blocks, which are bytecode without jumps, and the places where they begin."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block begins, and the words of the stack there, None for those that are not known."""

    pc: int
    stack: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Code:
    """What is translated, and the machine for which it is; `arities` are those of the native functions."""

    bytecode: tuple[int, ...]
    arities: tuple[int, ...]
    variables_size: int
    stack_size: int


@dataclass(slots=True)
class Block:
    """Lines, and where it goes on: nowhere, at one place, or at two, of which the first is for a true condition.

    A block that does nothing but end the handler has its `end`.
    """

    lines: list[str] = field(default_factory=list)
    count: int = 0  # of instructions
    condition: str = ""
    next: tuple[Place, ...] = ()
    end: int | None = None
