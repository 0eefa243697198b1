"""Translates handlers to Python functions: basic blocks become nested `if` and `while` statements.

Faults, and what does not fit into these statements, such as a jump into a loop, are left to the interpreter, so a
function never does anything that the interpreter would not do.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from aseba_link.wire.operators import divide, remainder
from simulator.machine.block import Block, BlockCode, CodePlace
from simulator.machine.block_reader import BlockReader, leave
from simulator.machine.flow import Flow
from simulator.machine.processor import Processor
from thymio_base.texts.decimal_text import whole_number

_CACHED_TRANSLATIONS = 1024
_MOST_BLOCKS = 600  # a script fills 1534 words; a subroutine counts for each of its calls
_DEEPEST = 40  # nested blocks; Python's own compiler accepts no more than 100
_MOST_LOOPS = 10  # nested loops; Python accepts 20

_NEEDS_COUNT = re.compile(r"\bn [<-] ")
_EQUAL_WORDS = re.compile(r"m\[(\d+)\] == m\[(\d+)\]")

Function = Callable[[Processor, list[int], int], int]


@dataclass(frozen=True, slots=True)
class Guard:
    """Two words that must be equal, otherwise the handler ends at `end` without doing anything."""

    left: int
    right: int
    end: int


@dataclass(frozen=True, slots=True)
class Translation:
    """A handler as a function of the processor, its memory, and the number of instructions allowed.

    It returns `ENDED` minus the place where the handler ended or, if it leaves the handler to the interpreter, the
    number of instructions still allowed. `longest` is the smallest number of instructions it may be called with.
    """

    entry: int
    function: Function
    longest: int
    guard: Guard | None


@dataclass(frozen=True, slots=True)
class _Loop:
    start: CodePlace
    end: CodePlace | None


@lru_cache(maxsize=_CACHED_TRANSLATIONS)
def translate(code: BlockCode, entry: int) -> Translation:
    """Return the translated handler at `entry`; machines with the same code share it."""
    blocks = _read_blocks(code, CodePlace(entry))
    writer = _Writer(blocks, CodePlace(entry))
    if not any(_NEEDS_COUNT.search(line) for line in writer.lines):
        writer = _Writer(blocks, CodePlace(entry), counts=False)
    scope = {"divide": divide, "remainder": remainder, "LONGEST": writer.longest}
    exec("\n".join(["def handler(p, m, n):", *_indented(writer.lines)]), scope)
    guard = _guard(blocks, blocks[CodePlace(entry)])
    return Translation(entry, scope["handler"], writer.longest, guard)  # type: ignore[arg-type]  # set by `exec`


def _read_blocks(code: BlockCode, entry: CodePlace) -> dict[CodePlace, Block]:
    """Return the reachable blocks; each ends where another starts, so that paths can meet there."""
    stops = {entry.pc}
    while True:
        blocks = _blocks_between(code, entry, stops)
        found = {place.pc for place in blocks}
        if found <= stops:
            return blocks
        stops |= found


def _blocks_between(code: BlockCode, entry: CodePlace, stops: set[int]) -> dict[CodePlace, Block]:
    blocks: dict[CodePlace, Block] = {}
    waiting = [entry]
    while waiting:
        place = waiting.pop()
        if place not in blocks:
            is_room = len(blocks) < _MOST_BLOCKS
            blocks[place] = BlockReader(code, place, stops).block if is_room else Block([leave(place)])
            waiting += blocks[place].next
    return blocks


def _guard(blocks: dict[CodePlace, Block], first: Block) -> Guard | None:
    """Return the guard of a handler: an event for one robot reaches all robots, so handlers first compare the id."""
    words = _EQUAL_WORDS.fullmatch(first.condition)
    if words is None or len(first.lines) != 1:  # one line counts the instructions
        return None
    end = blocks[first.next[1]].end
    return None if end is None else Guard(whole_number(words[1]), whole_number(words[2]), end)


class _Writer:
    """Writes the lines of a function; instructions are counted only if loops or the interpreter need it."""

    def __init__(self, blocks: dict[CodePlace, Block], entry: CodePlace, *, counts: bool = True) -> None:
        self.longest = 1
        self._counts = counts
        self._blocks = blocks
        self._flow = Flow(blocks, entry)
        self._room = 2 * _MOST_BLOCKS  # blocks on several paths are written several times
        self.lines = self._write(entry, None, [], 1)

    def _write(self, place: CodePlace | None, goal: CodePlace | None, loops: list[_Loop], depth: int) -> list[str]:
        lines: list[str] = []
        while place is not None and place != goal:
            jump = self._jump(place, loops, depth)
            if jump:
                return [*lines, jump]
            write = self._write_loop if place in self._flow.loops else self._write_block
            more, place = write(place, loops, depth)
            lines += more
        return lines

    def _jump(self, place: CodePlace, loops: list[_Loop], depth: int) -> str:
        """Return the line that jumps to a place already written elsewhere, or ""."""
        if loops and place == loops[-1].end:
            return "break"
        if loops and place == loops[-1].start:
            return "continue"
        is_open = any(place == loop.start for loop in loops)
        if is_open or depth > _DEEPEST or len(loops) > _MOST_LOOPS or self._room == 0:
            return leave(place)
        return ""

    def _write_loop(self, place: CodePlace, loops: list[_Loop], depth: int) -> tuple[list[str], CodePlace | None]:
        """Return the lines of a loop, and the place after it."""
        end = self._flow.meeting(place)
        closed = {loop.start for loop in loops}
        while end is not None and self._flow.reaches(end, place, closed):
            end = self._flow.meeting(end)
        inner = [*loops, _Loop(place, end)]
        lines, following = self._write_block(place, inner, depth + 1)
        lines += self._write(following, None, inner, depth + 1)
        return ["while True:", *_indented([f"if n < LONGEST: {leave(place)}", *lines])], end

    def _write_block(self, place: CodePlace, loops: list[_Loop], depth: int) -> tuple[list[str], CodePlace | None]:
        """Return the lines of a block and of the branches after it, and the place where these meet."""
        block = self._blocks[place]
        self.longest += block.count
        self._room -= 1
        lines = [line for line in block.lines if self._counts or not line.startswith("n -= ")]
        if len(block.next) < 2:
            return lines, (block.next or (None,))[0]
        meeting = self._flow.meeting(place)
        then, otherwise = (self._write(target, meeting, loops, depth + 1) for target in block.next)
        return [*lines, *_conditional(block.condition, then, otherwise)], meeting


def _conditional(condition: str, then: list[str], otherwise: list[str]) -> list[str]:
    lines = [f"if {condition}:", *_indented(then or ["pass"])]
    return [*lines, "else:", *_indented(otherwise)] if otherwise else lines


def _indented(lines: list[str]) -> list[str]:
    return [f" {line}" for line in lines]
