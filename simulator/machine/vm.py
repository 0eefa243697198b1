"""The Aseba virtual machine: event vectors, execution of handlers, and debugging.

A handler runs as a translated Python function; when it is stepped or has breakpoints, it is interpreted. The two
cannot be distinguished from outside: a function can leave the rest of a handler to the interpreter.
"""

from collections.abc import Callable, Sequence

from aseba_link.wire.bytecode import EVENT_ACTIVE, START_EVENT, STOPPED
from aseba_link.wire.message import MessageType
from simulator.errors import ScriptFaultError
from simulator.machine.block import BlockCode
from simulator.machine.block_reader import ENDED
from simulator.machine.breakpoints import Breakpoints
from simulator.machine.processor import DescribedNative, Processor
from simulator.machine.translator import Translation, translate


class _Handler:
    """A translated handler and its guard, as plain attributes because it is looked up for every event."""

    def __init__(self, translation: Translation) -> None:
        guard = translation.guard
        self.entry: int = translation.entry
        self.function = translation.function
        self.longest: int = translation.longest
        self.is_guarded = guard is not None
        self.left, self.right, self.end = (guard.left, guard.right, guard.end) if guard is not None else (0, 0, 0)


class VirtualMachine:
    """The virtual machine of a node.

    Parameters
    ----------
    bytecode_size, stack_size, variables_size : memory, in words
    natives : functions by number
    send : called with the type, words and text of every message that the machine itself sends
    emit : called with the rank and arguments of every event that the script emits
    """

    def __init__(
        self,
        bytecode_size: int,
        stack_size: int,
        variables_size: int,
        *,
        natives: Sequence[DescribedNative],
        send: Callable[[int, Sequence[int], str], None],
        emit: Callable[[int, Sequence[int]], None],
    ) -> None:
        self.flags = STOPPED
        self.breakpoints = Breakpoints(bytecode_size)
        self._processor = Processor(bytecode_size, stack_size, variables_size, natives=natives, emit=emit)
        self.variables = self._processor.variables
        self._send = send
        self.vectors: dict[int, int] = {}  # address of the handler by event
        self._handlers: dict[int, _Handler] = {}  # by address, added when needed
        self._ready: dict[int, _Handler] = {}  # handlers by event

    # Control

    def set_bytecode(self, start: int, words: Sequence[int]) -> bool:
        """Write code words and reset; return False and change nothing if they do not fit."""
        bytecode = self._processor.bytecode
        if start + len(words) > len(bytecode):
            return False
        bytecode[start : start + len(words)] = [word & 0xFFFF for word in words]
        table = bytecode[1 : max(bytecode[0], 1)]
        pairs = list(zip(table[::2], table[1::2], strict=False))
        # only the first of several handlers of an event counts, even if it has no address
        self.vectors = {event: address for event, address in dict(reversed(pairs)).items() if address != 0}
        self._handlers.clear()
        self._ready.clear()
        return True

    def reset(self) -> None:
        """Stop, clear the `when` conditions, and set up the init event; variables keep their values."""
        self.flags = STOPPED
        self._processor.was_true.clear()
        if not self.set_up(START_EVENT):
            self.send_state()

    def run(self) -> None:
        """Leave stepping mode: events are handled from now on."""
        self.flags &= ~STOPPED
        self.send_state()

    def pause(self) -> None:
        """Enter stepping mode; the current event stays where it is."""
        self.flags |= STOPPED
        self.send_state()

    def stop(self) -> None:
        """Enter stepping mode and drop the current event."""
        self.flags = STOPPED
        self.send_state()

    def step(self) -> None:
        """Execute one instruction of the current event."""
        if self.flags & EVENT_ACTIVE:
            self._interpret_one()
            self.send_state()

    def send_state(self) -> None:
        """Send the execution state."""
        self._send(MessageType.EXECUTION_STATE_CHANGED, (self._processor.pc, self.flags), "")

    # Events

    @property
    def is_busy(self) -> bool:
        """Whether an event has used up its steps and still has instructions left."""
        return self.flags == EVENT_ACTIVE

    def accepts(self, event: int) -> bool:
        """Whether the script has a handler for an event, and is not stopped within another event."""
        return event in self.vectors and self.flags != STOPPED | EVENT_ACTIVE

    def set_up(self, event: int) -> bool:
        """Start handling an event, killing the current one; return False if there is no handler."""
        address = self.vectors.get(event)
        if address is None:
            return False
        processor = self._processor
        if self.flags & EVENT_ACTIVE:
            self._send(MessageType.EVENT_EXECUTION_KILLED, (processor.pc,), "")
        processor.pc = address
        processor.stack.clear()
        self.flags |= EVENT_ACTIVE
        if self.flags & STOPPED:
            self.send_state()
        return True

    def handle(self, event: int, max_steps: int) -> None:
        """Set up an event, if it is accepted, and execute it unless the script is stopped."""
        if self.flags == 0 and not self.breakpoints.places:  # a short cut with the same result as below
            handler = self._ready.get(event)
            if handler is not None:
                if handler.is_guarded and self.variables[handler.left] != self.variables[handler.right]:
                    self._processor.pc = handler.end
                else:
                    self._run(handler, max_steps)
                return
        if self.accepts(event):
            self.set_up(event)
            self.execute(max_steps)
            handler = self._handlers.get(self.vectors[event])
            if handler is not None:
                self._ready[event] = handler

    def execute(self, max_steps: int) -> None:
        """Execute up to `max_steps` instructions of the current event; the next call continues it."""
        if self.flags != EVENT_ACTIVE:
            return
        if self.breakpoints.places:
            self._interpret(max_steps)
            return
        left = self._finish_expression(max_steps)
        if left > 0 and self.flags == EVENT_ACTIVE:
            self._run(self._handlers.get(self._processor.pc) or self._translate(), left)

    def _finish_expression(self, max_steps: int) -> int:
        """Interpret until the stack is empty, as translated code requires; return the number of steps left."""
        left = max_steps
        while left > 0 and self._processor.stack and self.flags == EVENT_ACTIVE:
            self._interpret_one()
            left -= 1
        return left

    def _run(self, handler: _Handler, max_steps: int) -> None:
        if max_steps < handler.longest:
            left = self._processor.leave(handler.entry, [], max_steps)
        else:
            try:
                left = handler.function(self._processor, self.variables, max_steps)
            except ScriptFaultError as fault:
                self._stop_with(fault)
                return
        if left <= ENDED:
            self._processor.pc = ENDED - left
            self.flags = 0
        else:
            self.flags = EVENT_ACTIVE
            self._interpret(left)

    def _translate(self) -> _Handler:
        """Return the translation of the handler at the current place."""
        processor = self._processor
        code = BlockCode(tuple(processor.bytecode), processor.arities, len(self.variables), processor.stack_size)
        handler = self._handlers[processor.pc] = _Handler(translate(code, processor.pc))
        return handler

    def _interpret(self, left: int) -> None:
        for _ in range(left):
            if self.flags != EVENT_ACTIVE:
                return
            if self.breakpoints.has(self._processor.pc):
                self.pause()
                return
            self._interpret_one()

    def _interpret_one(self) -> None:
        """Execute one instruction; a fault stops the machine and is reported."""
        try:
            if not self._processor.execute():
                self.flags &= ~EVENT_ACTIVE
        except ScriptFaultError as fault:
            self._stop_with(fault)

    def _stop_with(self, fault: ScriptFaultError) -> None:
        self.flags = STOPPED
        self._send(fault.type, fault.words, fault.text)
