"""The Aseba virtual machine: 16 bit words, a stack, event vectors and native functions.

Semantics are those of the Aseba target library, protocol 5 to 9. What the original leaves undefined (stack overflow, a
jump out of the code, an unknown instruction) stops the machine here with a node-specific error.
"""

from collections.abc import Callable, Sequence

from aseba_link.bytecode import EVENT_ACTIVE, START_EVENT, STOPPED, WHEN, Operation
from aseba_link.message import MessageType
from aseba_link.operators import RESULTS, BinaryOperator, UnaryOperator
from simulator.breakpoints import Breakpoints
from simulator.errors import ScriptFaultError

MAX_EMIT_WORDS = 32  # the Thymio's firmware refuses longer events

BINARY_OPERATORS = tuple(RESULTS[operator] for operator in BinaryOperator)  # by number

Native = Callable[["VirtualMachine"], None]


def signed(value: int) -> int:
    """Return the low 16 bits of a number as a signed word."""
    return ((value + 0x8000) & 0xFFFF) - 0x8000


class VirtualMachine:
    """One node's machine.

    Parameters
    ----------
    bytecode_size, stack_size, variables_size : memory, in words
    natives : functions by number; each pops the addresses of its arguments
    send : called with type and words of every message that the machine itself sends
    emit : called with rank and arguments of every event that the script emits
    """

    def __init__(
        self,
        bytecode_size: int,
        stack_size: int,
        variables_size: int,
        *,
        natives: Sequence[Native],
        send: Callable[[int, Sequence[int], str], None],
        emit: Callable[[int, Sequence[int]], None],
    ) -> None:
        self.bytecode = [0] * bytecode_size
        self.variables = [0] * variables_size
        self.flags = STOPPED
        self.pc = 0
        self.breakpoints = Breakpoints(bytecode_size)
        self._stack: list[int] = []
        self._stack_size = stack_size
        self._natives = natives
        self._send = send
        self._emit = emit
        self._was_true: set[int] = set()
        self._vectors: dict[int, int] = {}
        self._instructions: list[Callable[[int], None]] = [self._unknown] * 16
        for operation, instruction in self._instruction_table().items():
            self._instructions[operation] = instruction

    def _instruction_table(self) -> dict[Operation, Callable[[int], None]]:
        """Return what each operation does; functions get the low 12 bits of the code word."""
        return {
            Operation.STOP: self._stop_event,
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

    # Control

    def set_bytecode(self, start: int, words: Sequence[int]) -> bool:
        """Write code words and reset; return False, and do nothing, where they do not fit."""
        if start + len(words) > len(self.bytecode):
            return False
        self.bytecode[start : start + len(words)] = [word & 0xFFFF for word in words]
        count = self.bytecode[0]
        table = self.bytecode[1 : max(count, 1)]
        pairs = list(zip(table[::2], table[1::2], strict=False))
        self._vectors = dict(reversed(pairs))  # of several handlers of an event the first counts
        return True

    def reset(self) -> None:
        """Stop, forget what `when` conditions were, and set up the init event; variables stay as they are."""
        self.flags = STOPPED
        self._was_true.clear()
        if not self.set_up(START_EVENT):
            self.tell_state()

    def run(self) -> None:
        """Leave stepping: events are handled from now on."""
        self.flags &= ~STOPPED
        self.tell_state()

    def pause(self) -> None:
        """Begin stepping; the event that is being handled stays where it is."""
        self.flags |= STOPPED
        self.tell_state()

    def stop(self) -> None:
        """Begin stepping and drop the event that is being handled."""
        self.flags = STOPPED
        self.tell_state()

    def step(self) -> None:
        """Execute one instruction of the event that is being handled."""
        if self.flags & EVENT_ACTIVE:
            self._execute()
            self.tell_state()

    def tell_state(self) -> None:
        """Send the execution state."""
        self._send(MessageType.EXECUTION_STATE_CHANGED, (self.pc, self.flags), "")

    # Events

    def handles(self, event: int) -> bool:
        """Whether the script has a handler for an event."""
        return self._vectors.get(event, 0) != 0

    def set_up(self, event: int) -> bool:
        """Begin to handle an event, killing the one that is being handled; return False where there is no handler."""
        address = self._vectors.get(event, 0)
        if address == 0:
            return False
        if self.flags & EVENT_ACTIVE:
            self._send(MessageType.EVENT_EXECUTION_KILLED, (self.pc,), "")
        self.pc = address
        self._stack.clear()
        self.flags |= EVENT_ACTIVE
        if self.flags & STOPPED:
            self.tell_state()
        return True

    def execute(self, max_steps: int) -> None:
        """Execute the event that is being handled; more than `max_steps` instructions are a fault, as in a loop."""
        for _ in range(max_steps):
            if self.flags != EVENT_ACTIVE:
                return
            if self.breakpoints.has(self.pc):
                self.pause()
                return
            self._execute()
        if self.flags == EVENT_ACTIVE:
            self._stop_with(self.fault(f"Event takes more than {max_steps} steps"))

    def pop(self) -> int:
        """Return the address or number on top of the stack; natives take their arguments with it."""
        if not self._stack:
            raise self.fault("Stack underflow")
        return self._stack.pop() & 0xFFFF

    def address(self, start: int, length: int) -> int:
        """Return `start` if `length` words of memory begin there, else raise the fault that stops the script."""
        if start + length > len(self.variables):
            words = (self.pc, len(self.variables), start & 0xFFFF)
            raise ScriptFaultError(MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS, words)
        return start

    def fault(self, text: str) -> ScriptFaultError:
        """Return the fault that stops the script with a text for people."""
        return ScriptFaultError(MessageType.NODE_SPECIFIC_ERROR, (self.pc,), text)

    def _execute(self) -> None:
        """Execute one instruction; a fault stops the machine and is told."""
        try:
            if self.pc >= len(self.bytecode):
                raise self.fault("Execution left the bytecode")
            word = self.bytecode[self.pc]
            self._instructions[word >> 12](word & 0x0FFF)
        except ScriptFaultError as fault:
            self._stop_with(fault)

    def _stop_with(self, fault: ScriptFaultError) -> None:
        self.flags = STOPPED
        self._send(fault.type, fault.words, fault.text)

    def _push(self, value: int) -> None:
        if len(self._stack) >= self._stack_size:
            raise self.fault("Stack overflow")
        self._stack.append(value)

    def _pop_signed(self) -> int:
        if not self._stack:
            raise self.fault("Stack underflow")
        return self._stack.pop()

    def _operand(self, offset: int) -> int:
        """Return a further word of the current instruction."""
        if self.pc + offset >= len(self.bytecode):
            raise self.fault("Execution left the bytecode")
        return self.bytecode[self.pc + offset]

    # Instructions; each gets the low 12 bits of its word

    def _stop_event(self, _: int) -> None:
        self.flags &= ~EVENT_ACTIVE

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
        self.variables[self.address(address, 1)] = self._pop_signed()
        self.pc += 1

    def _load_indirect(self, start: int) -> None:
        self._push(self.variables[self._element(start)])
        self.pc += 2

    def _store_indirect(self, start: int) -> None:
        address = self._element(start)
        self.variables[address] = self._pop_signed()
        self.pc += 2

    def _element(self, start: int) -> int:
        """Return the address of the array element whose index is on the stack."""
        size, index = self._operand(1), self.pop()
        if index >= size:
            raise ScriptFaultError(MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS, (self.pc, size, index))
        return self.address(start + index, 1)

    def _unary(self, operator: int) -> None:
        self._push(self._unary_result(operator & 0xFF, self._pop_signed()))
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
        """Return the result of an operator on the two topmost words of the stack."""
        right, left = self._pop_signed(), self._pop_signed()
        if operator >= len(BINARY_OPERATORS):
            raise self.fault("Unknown binary operator")
        try:
            return signed(BINARY_OPERATORS[operator](left, right))
        except ZeroDivisionError:
            raise ScriptFaultError(MessageType.DIVISION_BY_ZERO, (self.pc,)) from None

    def _jump(self, displacement: int) -> None:
        self._go(displacement - 0x1000 if displacement & 0x800 else displacement)

    def _conditional_branch(self, options: int) -> None:
        is_true = bool(self._binary_result(options & 0xFF))
        was_true = self.pc in self._was_true
        enters = is_true and not (options & WHEN and was_true)
        displacement = 2 if enters else signed(self._operand(1))
        (self._was_true.add if is_true else self._was_true.discard)(self.pc)
        self._go(displacement)

    def _go(self, displacement: int) -> None:
        if not 0 <= self.pc + displacement < len(self.bytecode):
            raise self.fault("Jump out of the bytecode")
        self.pc += displacement

    def _emit_event(self, rank: int) -> None:
        start, length = self._operand(1), self._operand(2)
        if length > MAX_EMIT_WORDS:
            raise self.fault(f"Argument array size is too large (>{MAX_EMIT_WORDS})")
        self.address(start, length)
        self._emit(rank, self.variables[start : start + length])
        self.pc += 3

    def _call_native(self, number: int) -> None:
        if number >= len(self._natives):
            raise self.fault(f"Unknown native function {number}")
        self._natives[number](self)
        self.pc += 1

    def _call_subroutine(self, address: int) -> None:
        self._push(self.pc + 1)
        self.pc = address

    def _return(self, _: int) -> None:
        self.pc = self.pop()

    def _unknown(self, _: int) -> None:
        raise self.fault("Unknown bytecode")
