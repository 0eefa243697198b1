"""Basic blocks of a handler, which are bytecode without jumps, and the places where they start."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CodePlace:
    """The place where a block starts, and the words on its stack, None for unknown ones."""

    pc: int
    stack: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockCode:
    """The bytecode to translate, and the sizes of its machine; `arities` are those of the native functions."""

    bytecode: tuple[int, ...]
    arities: tuple[int, ...]
    variables_size: int
    stack_size: int


@dataclass(slots=True)
class Block:
    """Lines of Python, and the next places: none, one, or two, the first for a true condition.

    `end` is the place where the handler ends, for a block that does nothing else.
    """

    lines: list[str] = field(default_factory=list)
    count: int = 0  # of instructions
    condition: str = ""
    next: tuple[CodePlace, ...] = ()
    end: int | None = None
