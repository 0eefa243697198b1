"""The parts of a handler: basic blocks, which are bytecode without jumps, and the places where they begin."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CodePlace:
    """Where a block begins, and the words of its stack, None for unknown ones."""

    pc: int
    stack: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockCode:
    """The bytecode to translate, and its machine; `arities` are those of the native functions."""

    bytecode: tuple[int, ...]
    arities: tuple[int, ...]
    variables_size: int
    stack_size: int


@dataclass(slots=True)
class Block:
    """Lines of Python, and where it goes on: nowhere, at one place, or at two, the first for a true condition.

    A block that only ends the handler has its `end`.
    """

    lines: list[str] = field(default_factory=list)
    count: int = 0  # of instructions
    condition: str = ""
    next: tuple[CodePlace, ...] = ()
    end: int | None = None
