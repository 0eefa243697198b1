"""Basic blocks of a handler: bytecode without jumps, and the places where it starts."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CodePlace:
    """The start of a block, and the words on its stack; None for unknown words."""

    pc: int
    stack: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockCode:
    """The bytecode to translate, and its machine's sizes; `arities` are those of the native functions."""

    bytecode: tuple[int, ...]
    arities: tuple[int, ...]
    variables_size: int
    stack_size: int


@dataclass(slots=True)
class Block:
    """Lines of Python, and the next places: none, one, or two; of two, the first is for a true condition.

    `end` is the place where the handler ends, if the block does nothing else.
    """

    lines: list[str] = field(default_factory=list)
    count: int = 0  # of instructions
    condition: str = ""
    next: tuple[CodePlace, ...] = ()
    end: int | None = None
