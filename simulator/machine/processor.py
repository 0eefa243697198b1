"""The processor of the Aseba virtual machine: 16 bit memory, a stack, instructions, and native functions.

Semantics are those of the Aseba target library, protocols 5 to 9. Where these are undefined (stack overflow, a jump
out of the code, an unknown instruction), the script stops with a node-specific error.
"""

from collections.abc import Callable, Sequence

from aseba_link.wire.bytecode import WHEN, Operation
from aseba_link.wire.description import NativeFunction
from aseba_link.wire.message import MessageType
from aseba_link.wire.operators import RESULTS, BinaryOperator, UnaryOperator
from simulator.errors import ScriptFaultError

MAX_EMIT_WORDS = 32  # the Thymio's firmware refuses longer events

BINARY_OPERATORS = tuple(RESULTS[operator] for operator in BinaryOperator)  # by number

Native = Callable[..., None]  # called with the processor, argument addresses, and template sizes
DescribedNative = tuple[NativeFunction, Native]


def signed(value: int) -> int:
    """Return the low 16 bits of a number as a signed word."""
    return ((value + 0x8000) & 0xFFFF) - 0x8000


class Processor:
    """Memory and instructions; the virtual machine decides what is executed, and when.

    `variables` are signed words, `bytecode` unsigned words; `pc` is the place of the next instruction. `was_true` holds
    the places of `when` conditions that were true when last evaluated.

    Parameters
    ----------
    bytecode_size, stack_size, variables_size : memory, in words
    natives : functions by number; each pops its arguments, unsigned words, from the stack
    emit : called with the rank and arguments of every event that the script emits
    """

    def __init__(
        self,
        bytecode_size: int,
        stack_size: int,
        variables_size: int,
        *,
        natives: Sequence[DescribedNative],
        emit: Callable[[int, Sequence[int]], None],
    ) -> None:
        self.bytecode = [0] * bytecode_size
        self.variables = [0] * variables_size
        self.stack: list[int] = []
        self.stack_size = stack_size
        self.pc = 0
        self.was_true: set[int] = set()
        self.natives = [native for _, native in natives]
        self.arities = tuple(_arity(description) for description, _ in natives)
        self.emit = emit
        self._instructions: list[Callable[[int], None]] = [self._unknown] * 16
        for operation, instruction in self._instruction_table().items():
            self._instructions[operation] = instruction

    def _instruction_table(self) -> dict[Operation, Callable[[int], None]]:
        """Return the function of each operation except STOP; functions get the low 12 bits of the code word."""
        return {
            Operation.SMALL_IMMEDIATE: self._small_immediate,
            Operation.LARGE_IMMEDIATE: self._large_immediate,
            Operation.LOAD: self._load,
            Operation.STORE: self._store,
            Operation.LOAD_INDIRECT: self._load_indirect,
            Operation.STORE_INDIRECT: self._store_indirect,
            Operation.UNARY: self._unary,
            Operation.BINARY: self._binary,
            Operation.JUMP: self._jump,
            Operation.CONDITIONAL_BRANCH: self._conditional_branch,
            Operation.EMIT: self._emit_event,
            Operation.CALL_NATIVE: self._call_native,
            Operation.CALL_SUBROUTINE: self._call_subroutine,
            Operation.RETURN: self._return,
        }

    def execute(self) -> bool:
        """Execute one instruction; return False if it ends the event.

        Raises
        ------
        ScriptFaultError
            The instruction is not allowed.
        """
        if self.pc >= len(self.bytecode):
            raise self.fault("Execution left the bytecode")
        word = self.bytecode[self.pc]
        if word >> 12 == Operation.STOP:
            return False
        self._instructions[word >> 12](word & 0x0FFF)
        return True

    def leave(self, pc: int, stack: list[int], steps: int) -> int:
        """Continue a handler where its translation left it; return `steps`, the instructions still allowed."""
        self.pc = pc
        self.stack[:] = stack
        return steps

    def address(self, start: int, length: int) -> int:
        """Return `start` if `length` words of memory start there; otherwise raise the fault that stops the script."""
        if start + length > len(self.variables):
            words = (self.pc, len(self.variables), start & 0xFFFF)
            raise ScriptFaultError(MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS, words)
        return start

    def fault(self, text: str) -> ScriptFaultError:
        """Return the fault that stops the script with a readable text."""
        return ScriptFaultError(MessageType.NODE_SPECIFIC_ERROR, (self.pc,), text)

    def _push(self, value: int) -> None:
        if len(self.stack) >= self.stack_size:
            raise self.fault("Stack overflow")
        self.stack.append(value)

    def _pop(self) -> int:
        if not self.stack:
            raise self.fault("Stack underflow")
        return self.stack.pop()

    def _operand(self, offset: int) -> int:
        """Return a later word of the current instruction."""
        if self.pc + offset >= len(self.bytecode):
            raise self.fault("Execution left the bytecode")
        return self.bytecode[self.pc + offset]

    # Instructions; each gets the low 12 bits of its word

    def _small_immediate(self, value: int) -> None:
        self._push(value - 0x1000 if value & 0x800 else value)
        self.pc += 1

    def _large_immediate(self, _: int) -> None:
        self._push(signed(self._operand(1)))
        self.pc += 2

    def _load(self, address: int) -> None:
        self._push(self.variables[self.address(address, 1)])
        self.pc += 1

    def _store(self, address: int) -> None:
        self.variables[self.address(address, 1)] = self._pop()
        self.pc += 1

    def _load_indirect(self, start: int) -> None:
        self._push(self.variables[self._element(start)])
        self.pc += 2

    def _store_indirect(self, start: int) -> None:
        address = self._element(start)
        self.variables[address] = self._pop()
        self.pc += 2

    def _element(self, start: int) -> int:
        """Return the address of the array element whose index is on the stack."""
        size, index = self._operand(1), self._pop() & 0xFFFF
        if index >= size:
            raise ScriptFaultError(MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS, (self.pc, size, index))
        return self.address(start + index, 1)

    def _unary(self, operator: int) -> None:
        self._push(self._unary_result(operator & 0xFF, self._pop()))
        self.pc += 1

    def _unary_result(self, operator: int, value: int) -> int:
        if operator == UnaryOperator.MINUS:
            return signed(-value)
        if operator == UnaryOperator.ABS:
            return signed(abs(value))
        if operator == UnaryOperator.BIT_NOT:
            return ~value
        raise self.fault("Unknown unary operator")

    def _binary(self, operator: int) -> None:
        self._push(self._binary_result(operator & 0xFF))
        self.pc += 1

    def _binary_result(self, operator: int) -> int:
        """Return the result of an operator on the top two words of the stack."""
        right, left = self._pop(), self._pop()
        if operator >= len(BINARY_OPERATORS):
            raise self.fault("Unknown binary operator")
        try:
            return signed(BINARY_OPERATORS[operator](left, right))
        except ZeroDivisionError:
            raise ScriptFaultError(MessageType.DIVISION_BY_ZERO, (self.pc,)) from None

    def _jump(self, displacement: int) -> None:
        self._go(displacement - 0x1000 if displacement & 0x800 else displacement)

    def _conditional_branch(self, options: int) -> None:
        enters = is_true = bool(self._binary_result(options & 0xFF))
        if options & WHEN:
            enters = is_true and self.pc not in self.was_true
            (self.was_true.add if is_true else self.was_true.discard)(self.pc)
        self._go(2 if enters else signed(self._operand(1)))

    def _go(self, displacement: int) -> None:
        if not 0 <= self.pc + displacement < len(self.bytecode):
            raise self.fault("Jump out of the bytecode")
        self.pc += displacement

    def _emit_event(self, rank: int) -> None:
        start, length = self._operand(1), self._operand(2)
        if length > MAX_EMIT_WORDS:
            raise self.fault(f"Argument array size is too large (>{MAX_EMIT_WORDS})")
        self.address(start, length)
        self.emit(rank, self.variables[start : start + length])
        self.pc += 3

    def _call_native(self, number: int) -> None:
        if number >= len(self.natives):
            raise self.fault(f"Unknown native function {number}")
        self.natives[number](self, *(self._pop() & 0xFFFF for _ in range(self.arities[number])))
        self.pc += 1

    def _call_subroutine(self, address: int) -> None:
        self._push(self.pc + 1)
        self.pc = address

    def _return(self, _: int) -> None:
        self.pc = self._pop() & 0xFFFF

    def _unknown(self, _: int) -> None:
        raise self.fault("Unknown bytecode")


def _arity(description: NativeFunction) -> int:
    """Return how many words a function pops: an address for each parameter, a size for each template."""
    return len(description.parameters) + len({size for size, _ in description.parameters if size < 0})
