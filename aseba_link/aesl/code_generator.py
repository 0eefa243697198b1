"""Generates the code words of one part of a script: its start, a handler or a subroutine."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from aseba_link.aesl.instructions import Instructions
from aseba_link.aesl.syntax.expression import (
    Binary,
    Element,
    Expression,
    ExpressionKind,
    Number,
    Scalar,
    Word,
    addresses_read,
)
from aseba_link.aesl.syntax.folding import negated
from aseba_link.aesl.syntax.lexer import Token
from aseba_link.aesl.syntax.statement import (
    Assignment,
    Block,
    Branch,
    Emission,
    Loop,
    NativeCall,
    Return,
    Statement,
    SubroutineCall,
)
from aseba_link.wire.bytecode import LARGEST_OPERAND, WHEN, Operation


@dataclass(frozen=True, slots=True)
class Routine:
    """The code words of a part of a script; `calls` holds the position and name of each subroutine call.

    `stack_depth` is the largest number of words that its own instructions put on the stack.
    """

    words: tuple[int, ...]
    calls: tuple[tuple[int, Token], ...]
    stack_depth: int


def generate(block: Block, end: Operation, free_memory: range) -> Routine:
    """Return the code of a part.

    Parameters
    ----------
    block
        The statements of the part.
    end
        The final operation, STOP or RETURN.
    free_memory
        The addresses available for intermediate results.

    Raises
    ------
    CompilerError
        Memory is too small for intermediate results, or a jump is too long.
    """
    generator = _Generator(end, free_memory)
    generator.add_block(block)
    return generator.routine()


class _Generator:
    def __init__(self, end: Operation, free_memory: range) -> None:
        self._end = end
        self._free_memory = free_memory
        self._temporaries = 0  # words used by the current statement, at the end of memory
        self._code = Instructions()
        self._calls: list[tuple[int, Token]] = []

    def routine(self) -> Routine:
        """Return the generated code."""
        return Routine((*self._code.words, self._end << 12), tuple(self._calls), self._code.largest_depth)

    def add_block(self, block: Block) -> None:
        """Generate the statements of a block."""
        for statement in block:
            self._temporaries = 0
            self._add_statement(statement)

    def _add_statement(self, statement: Statement) -> None:
        match statement:
            case Assignment():
                self._assign(statement)
            case Branch():
                self._branch(statement)
            case Loop():
                self._loop(statement)
            case Emission():
                self._emit(statement)
            case NativeCall():
                self._call_native(statement)
            case SubroutineCall():
                self._calls.append((len(self._code.words), statement.token))
                self._code.add(Operation.CALL_SUBROUTINE, 0, 0)
            case Return():
                self._code.add(self._end, 0, 0)

    # Statements

    def _assign(self, statement: Assignment) -> None:
        values = statement.values
        if _reads_what_it_wrote(statement):
            values = self._store_temporaries(values, statement.token)
        for place, value in zip(statement.places, values, strict=True):
            self._code.push(value)
            self._code.pop(place)

    def _branch(self, statement: Branch) -> None:
        condition, body, alternative = statement.condition, statement.body, statement.alternative
        if isinstance(condition, Number):
            self.add_block(body if condition.value else alternative)
            return
        if not body:
            condition, body, alternative = negated(condition), alternative, body
        start = len(self._code.words)
        decision = self._decide(condition, WHEN if statement.is_when else 0)
        self.add_block(body)
        jump = len(self._code.words)
        self._code.add(Operation.JUMP, 0, 0)
        self.add_block(alternative)
        if len(self._code.words) == jump + 1:
            self._code.words.pop()
        else:
            self._code.words[jump] |= _displacement(len(self._code.words) - jump, statement.token)
            jump += 1
        self._code.words[decision + 1] = jump - decision
        if len(self._code.words) == decision + 2:
            del self._code.words[start:]

    def _loop(self, statement: Loop) -> None:
        if isinstance(statement.condition, Number):
            if statement.condition.value:
                raise statement.token.error("this loop never ends")
            return
        start = len(self._code.words)
        decision = self._decide(statement.condition, 0)
        self.add_block(statement.body)
        if len(self._code.words) == decision + 2:
            del self._code.words[start:]
            return
        back = _displacement(start - len(self._code.words), statement.token)
        self._code.add(Operation.JUMP, back, 0)
        self._code.words[decision + 1] = len(self._code.words) - decision

    def _emit(self, statement: Emission) -> None:
        words: tuple[Scalar, ...] = ()
        if statement.arguments is not None:
            words = statement.arguments.elements
            if not _is_contiguous(words):
                words = self._store_temporaries(words, statement.token)
        start = words[0].address if words and isinstance(words[0], Word) else 0
        self._code.add(Operation.EMIT, statement.rank, 0, start, len(words))

    def _call_native(self, statement: NativeCall) -> None:
        """Push sizes, then addresses, each in reverse order."""
        for size in reversed(statement.sizes):
            self._code.push(Number(size))
        for argument in reversed(statement.arguments):
            self._push_address(argument)
        self._code.add(Operation.CALL_NATIVE, statement.number, -self._code.depth)

    def _push_address(self, argument: Expression) -> None:
        """Push the address of an argument; values are copied to memory for the function, which may change them."""
        first = argument.elements[0]
        if argument.kind is not ExpressionKind.VARIABLE:
            first = self._store_temporaries(argument.elements, argument.token)[0]
        if isinstance(first, Element):
            self._push_element_address(first, argument.token)
        elif isinstance(first, Word):
            self._code.push(Number(first.address))

    def _push_element_address(self, element: Element, token: Token) -> None:
        """Push the address of an array element; the element is loaded first to make the machine check the index."""
        (index,) = self._store_temporaries((element.index,), token)
        self._code.push(index)
        self._code.push(Element(element.start, element.size, index))
        self._code.pop(index)
        self._code.push(Number(element.start))
        self._code.add(Operation.BINARY, 2, -1)

    # Parts of statements

    def _decide(self, condition: Scalar, options: int) -> int:
        """Generate a conditional branch without its displacement; return its position."""
        if not isinstance(condition, Binary):
            raise AssertionError(f"{condition} is not a condition")
        self._code.push(condition.left)
        self._code.push(condition.right)
        self._code.add(Operation.CONDITIONAL_BRANCH, condition.operator | options, -2, 0)
        return len(self._code.words) - 2

    def _store_temporaries(self, values: Sequence[Scalar], token: Token) -> tuple[Word, ...]:
        """Store values in words at the end of memory, reserved for this statement."""
        self._temporaries += len(values)
        if self._temporaries > len(self._free_memory):
            room = len(self._free_memory)
            raise token.error(f"intermediate results need {self._temporaries} words of memory, {room} are free")
        start = self._free_memory.stop - self._temporaries
        words = tuple(Word(start + offset) for offset in range(len(values)))
        for word, value in zip(words, values, strict=True):
            self._code.push(value)
            self._code.pop(word)
        return words


def _reads_what_it_wrote(statement: Assignment) -> bool:
    """Return whether a value reads a word that an earlier value has overwritten."""
    written: set[int] = set()
    for place, value in zip(statement.places, statement.values, strict=True):
        if written and written & addresses_read(value):
            return True
        if isinstance(place, Word):
            written.add(place.address)
    return False


def _is_contiguous(scalars: Sequence[Scalar]) -> bool:
    """Return whether scalars are consecutive words of memory."""
    addresses = [scalar.address for scalar in scalars if isinstance(scalar, Word)]
    return len(addresses) == len(scalars) and all(second == first + 1 for first, second in pairwise(addresses))


def _displacement(distance: int, token: Token) -> int:
    """Return the operand of a jump; raises CompilerError."""
    if not -0x800 <= distance <= 0x7FF:
        raise token.error(f"the body of '{token.text}' is too long: a jump reaches 2047 words, not {abs(distance)}")
    return distance & LARGEST_OPERAND
