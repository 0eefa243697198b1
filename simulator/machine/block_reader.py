"""Translates the bytecode of a basic block to lines of Python.

The stack is known while translating: return addresses are numbers, so a subroutine is translated once for each place
that calls it; other words become expressions and, from one block to the next, variables `s0`, `s1`... by depth. Where
an instruction would fault or cannot be translated, a line leaves the function, and the interpreter takes over. `p` is
the processor, `m` its memory, and `n` the number of instructions that may still be executed.
"""

from collections.abc import Callable, Sequence

from aseba_link.wire.bytecode import WHEN, Operation
from aseba_link.wire.operators import BinaryOperator
from simulator.machine import stack_expression
from simulator.machine.block import Block, BlockCode, CodePlace
from simulator.machine.processor import MAX_EMIT_WORDS, signed
from simulator.machine.stack_expression import StackExpression

ENDED = -1  # a translated function returns this minus the place where the handler ended
_LONGEST_TEXT = 200  # of an expression; Python's own parser rejects deep ones
_DIVISIONS = (BinaryOperator.DIVIDE, BinaryOperator.MODULO)


def leave(place: CodePlace, count: int = 0) -> str:
    """Return the line that leaves a function at the start of a block."""
    return _leave(place.pc, _entries(place), count)


class _UntranslatableError(Exception):
    """The interpreter must execute this instruction; nothing has changed yet."""


class BlockReader:
    """Reads a block; `stops` are the places where it ends even if no instruction ends it."""

    def __init__(self, code: BlockCode, place: CodePlace, stops: set[int]) -> None:
        self.block = Block()
        self._code = code
        self._pc = place.pc
        self._stack = _entries(place)
        self._names = 0
        self._is_open = True
        try:
            while self._is_open:
                if self._pc in stops and self._pc != place.pc:
                    self._end_block(self._pc)
                else:
                    self._instruction(self._operand(0))
        except _UntranslatableError:
            self.block.lines.append(self._left())

    def _instruction(self, word: int) -> None:
        table: dict[int, Callable[[int], None]] = {
            Operation.STOP: self._stop,
            Operation.SMALL_IMMEDIATE: lambda low: self._push(stack_expression.constant(_signed12(low)), 1),
            Operation.LARGE_IMMEDIATE: lambda _: self._push(stack_expression.constant(signed(self._operand(1))), 2),
            Operation.LOAD: self._load,
            Operation.STORE: self._store,
            Operation.LOAD_INDIRECT: self._load_indirect,
            Operation.STORE_INDIRECT: self._store_indirect,
            Operation.UNARY: self._unary,
            Operation.BINARY: self._binary,
            Operation.JUMP: lambda low: self._jump(self._pc + _signed12(low)),
            Operation.CONDITIONAL_BRANCH: self._branch,
            Operation.EMIT: self._emit,
            Operation.CALL_NATIVE: self._call_native,
            Operation.CALL_SUBROUTINE: self._call_subroutine,
            Operation.RETURN: self._return,
        }
        _require(word >> 12 in table)
        table[word >> 12](word & 0x0FFF)

    # Instructions; each gets the low 12 bits of its word and checks its requirements before changing anything

    def _stop(self, _: int) -> None:
        if not self.block.lines:
            self.block.end = self._pc
        self.block.lines.append(f"return {ENDED - self._pc}")
        self._is_open = False

    def _load(self, address: int) -> None:
        _require(address < self._code.variables_size)
        self._push(StackExpression(f"m[{address}]", reads=True), 1)

    def _store(self, address: int) -> None:
        _require(len(self._stack) >= 1 and address < self._code.variables_size)
        value = self._stack.pop()
        self._evaluate_memory_reads()
        self._append(f"m[{address}] = {value.word}", 1)

    def _load_indirect(self, start: int) -> None:
        _require(len(self._stack) >= 1)
        element = self._element(start)
        self._stack.pop()
        self._push(StackExpression(element, reads=True), 2)

    def _store_indirect(self, start: int) -> None:
        _require(len(self._stack) >= 2)
        element = self._element(start)
        self._stack.pop()
        value = self._stack.pop()
        self._evaluate_memory_reads()
        self._append(f"{element} = {value.word}", 2)

    def _element(self, start: int) -> str:
        """Return the array element whose index is on the stack."""
        length = min(self._operand(1), self._code.variables_size - start)
        index = self._stack[-1]
        if index.constant is not None:
            _require(0 <= index.constant < length)
            return f"m[{start + index.constant}]"
        name = self._named(-1)
        self.block.lines += [f"if not 0 <= {name} < {length}:", f"    {self._left()}"]
        return f"m[{start} + {name}]"

    def _unary(self, operator: int) -> None:
        _require(len(self._stack) >= 1 and operator & 0xFF in stack_expression.UNARY)
        self._push(stack_expression.unary(operator & 0xFF, self._stack.pop()), 1)

    def _binary(self, operator: int) -> None:
        self._push(self._result(operator & 0xFF), 1)

    def _result(self, operator: int) -> StackExpression:
        """Pop two words and return the result of an operator on them."""
        _require(len(self._stack) >= 2 and operator < len(BinaryOperator))
        if operator in _DIVISIONS and not self._stack[-1].constant:
            divisor = self._named(-1)
            self.block.lines += [f"if {divisor} == 0:", f"    {self._left()}"]
        right, left = self._stack.pop(), self._stack.pop()
        return stack_expression.binary(operator, left, right)

    def _jump(self, target: int) -> None:
        _require(0 <= target < len(self._code.bytecode))
        self.block.count += 1
        self._end_block(target)

    def _branch(self, options: int) -> None:
        targets = (self._pc + 2, self._pc + signed(self._operand(1)))
        _require(all(0 <= target < len(self._code.bytecode) for target in targets))
        condition = self._result(options & 0xFF).text
        if options & WHEN:
            condition = self._becomes_true(condition)
        self.block.count += 1
        self._end_block(*targets)
        self.block.condition = condition

    def _becomes_true(self, condition: str) -> str:
        """Return the expression for a condition that has just become true."""
        self.block.lines += [
            f"c = {condition}",
            f"w = c and {self._pc} not in p.was_true",
            f"(p.was_true.add if c else p.was_true.discard)({self._pc})",
        ]
        return "w"

    def _emit(self, rank: int) -> None:
        start, length = self._operand(1), self._operand(2)
        _require(length <= MAX_EMIT_WORDS and start + length <= self._code.variables_size)
        self._append(f"p.emit({rank}, m[{start}:{start + length}])", 3)

    def _call_native(self, number: int) -> None:
        _require(number < len(self._code.arities) and self._code.arities[number] <= len(self._stack))
        arguments = [self._stack.pop().unsigned for _ in range(self._code.arities[number])]
        self._evaluate_memory_reads()
        self.block.lines.append(f"p.pc = {self._pc}")
        self._append(f"p.natives[{number}]({', '.join(['p', *arguments])})", 1)

    def _call_subroutine(self, address: int) -> None:
        _require(len(self._stack) < self._code.stack_size)
        self._stack.append(stack_expression.constant(self._pc + 1))
        self.block.count += 1
        self._end_block(address)

    def _return(self, _: int) -> None:
        address = self._stack[-1].constant if self._stack else None
        if address is None:
            raise _UntranslatableError
        self._stack.pop()
        self.block.count += 1
        self._end_block(address & 0xFFFF)

    # Shared parts of instructions

    def _operand(self, offset: int) -> int:
        """Return a word of the instruction."""
        _require(self._pc + offset < len(self._code.bytecode))
        return self._code.bytecode[self._pc + offset]

    def _push(self, value: StackExpression, length: int) -> None:
        """Push the result of an instruction of `length` words."""
        _require(len(self._stack) < self._code.stack_size)
        self._stack.append(value)
        if len(value.text) > _LONGEST_TEXT:
            self._named(-1)
        self.block.count += 1
        self._pc += length

    def _append(self, line: str, length: int) -> None:
        """Finish an instruction of `length` words."""
        self.block.lines.append(line)
        self.block.count += 1
        self._pc += length

    def _named(self, index: int) -> str:
        """Assign a word of the stack to a variable, to compute it now."""
        if not self._stack[index].text.isidentifier():
            name = f"t{self._names}"
            self._names += 1
            self.block.lines.append(f"{name} = {self._stack[index].word}")
            self._stack[index] = StackExpression(name)
        return self._stack[index].text

    def _evaluate_memory_reads(self) -> None:
        """Compute the words on the stack that read memory, before memory changes."""
        for index, value in enumerate(self._stack):
            if value.reads:
                self._named(index)

    def _end_block(self, *targets: int) -> None:
        """End the block; assign the unknown words of the stack to their variables."""
        unknown = {f"s{depth}": value for depth, value in enumerate(self._stack) if value.constant is None}
        changed = {name: value.word for name, value in unknown.items() if value.word != name}
        if changed:
            self.block.lines.append(f"{', '.join(changed)} = {', '.join(changed.values())}")
        self.block.lines.append(f"n -= {self.block.count}")
        stack = tuple(value.constant for value in self._stack)
        self.block.next = tuple(CodePlace(target, stack) for target in targets)
        self._is_open = False

    def _left(self) -> str:
        return _leave(self._pc, self._stack, self.block.count)


def _require(condition: bool) -> None:
    if not condition:
        raise _UntranslatableError


def _entries(place: CodePlace) -> list[StackExpression]:
    """Return the stack at the start of a block."""
    return [
        StackExpression(f"s{depth}") if word is None else stack_expression.constant(word)
        for depth, word in enumerate(place.stack)
    ]


def _leave(pc: int, stack: Sequence[StackExpression], count: int) -> str:
    return f"return p.leave({pc}, [{', '.join(value.word for value in stack)}], n - {count})"


def _signed12(low: int) -> int:
    return low - 0x1000 if low & 0x800 else low
