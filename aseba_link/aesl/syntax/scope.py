"""The names that a node's code can use, and their meanings."""

import difflib
from collections.abc import Collection, Mapping, Sequence

from aseba_link.aesl.syntax.expression import Word
from aseba_link.aesl.syntax.lexer import Token
from aseba_link.aesl.syntax.script import EventDefinition
from aseba_link.errors import CompilerError
from aseba_link.wire.bytecode import FIRST_LOCAL_EVENT, LARGEST_OPERAND
from aseba_link.wire.description import NativeFunction, NodeDescription, Variable

_ARGUMENTS = 2  # index of the variable for an event's arguments, after the node's id and the source


class Scope:
    """Constants, variables, events and functions; the code adds constants and variables."""

    def __init__(
        self, events: Sequence[EventDefinition], constants: Mapping[str, int], description: NodeDescription
    ) -> None:
        for name, value in constants.items():
            check_constant(name, value)
        self.own_variables: list[Variable] = []
        self._constants = dict(constants)
        self._memory_size = min(description.variables_size, LARGEST_OPERAND + 1)
        self._variables: dict[str, range] = {}  # addresses
        self._words: dict[str, tuple[Word, ...]] = {}  # of the variables used so far
        self._free = 0
        for variable in description.variables:
            self._place(variable)
        self._events = {event.name: (rank, event.size) for rank, event in enumerate(events[: LARGEST_OPERAND + 1])}
        self._local_events = {event.name: FIRST_LOCAL_EVENT - k for k, event in enumerate(description.local_events)}
        arguments = description.variables[_ARGUMENTS : _ARGUMENTS + 1]
        self._most_arguments = arguments[0].size if arguments else 0
        self._native_functions = description.native_functions[: LARGEST_OPERAND + 1]
        self._functions = {function.name: number for number, function in enumerate(self._native_functions)}

    @property
    def free_memory(self) -> range:
        """The addresses after the last variable."""
        return range(self._free, self._memory_size)

    def constant(self, token: Token) -> int | None:
        """Return the value of a constant; None if it does not exist."""
        return self._constants.get(token.text)

    def add_constant(self, token: Token, value: int) -> None:
        """Define a constant; raises CompilerError."""
        self.check_new(token)
        try:
            check_constant(token.text, value)
        except CompilerError as error:
            raise token.error(str(error)) from None
        self._constants[token.text] = value

    def variable(self, token: Token) -> tuple[Word, ...]:
        """Return the words of a variable; raises CompilerError."""
        words = self._words.get(token.text)
        if words is None:
            words = self._words[token.text] = self._words_of(token)
        return words

    def _words_of(self, token: Token) -> tuple[Word, ...]:
        if token.text not in self._variables:
            raise _unknown(token, "variable", [*self._variables, *self._constants])
        addresses = self._variables[token.text]
        if not addresses:
            raise token.error(f"variable {token.text} has no words")
        if addresses.stop > self._memory_size:
            raise token.error(f"variable {token.text} lies beyond word {self._memory_size}, which code cannot address")
        return tuple(Word(address) for address in addresses)

    def check_new(self, token: Token) -> None:
        """Reject a name that already belongs to a variable or constant; raises CompilerError."""
        for what, names in (("variable", self._variables), ("constant", self._constants)):
            if token.text in names:
                raise token.error(f"there is a {what} {token.text} already")

    def add_variable(self, token: Token, size: int) -> tuple[Word, ...]:
        """Define a variable after the others and return its words; raises CompilerError."""
        if size > len(self.free_memory):
            room = f"{len(self.free_memory)} of {self._memory_size} words are free"
            raise token.error(f"variable {token.text} does not fit into the node's memory: {size} words, {room}")
        self.own_variables.append(Variable(token.text, size))
        self._place(self.own_variables[-1])
        return self.variable(token)

    def handled_event(self, token: Token) -> int:
        """Return the id of an event that a handler may be written for; raises CompilerError."""
        if token.text in self._local_events:
            self._check_size(token)
            return self._local_events[token.text]
        if token.text not in self._events:
            raise _unknown(token, "event", [*self._events, *self._local_events])
        self._check_size(token)
        return self._events[token.text][0]

    def emitted_event(self, token: Token) -> tuple[int, int]:
        """Return rank and size of an event that code can emit; raises CompilerError."""
        if token.text in self._events:
            self._check_size(token)
            return self._events[token.text]
        if token.text in self._local_events:
            raise token.error(f"event {token.text} is local to the node, code cannot emit it")
        raise _unknown(token, "event", self._events)

    def function(self, token: Token) -> tuple[int, NativeFunction]:
        """Return number and description of a native function; raises CompilerError."""
        if token.text not in self._functions:
            raise _unknown(token, "native function", self._functions)
        number = self._functions[token.text]
        return number, self._native_functions[number]

    def _check_size(self, token: Token) -> None:
        """Reject an event with more arguments than the node supports."""
        _, size = self._events.get(token.text, (0, 0))
        if size > self._most_arguments:
            raise token.error(f"event {token.text} has {size} arguments, the node accepts {self._most_arguments}")

    def _place(self, variable: Variable) -> None:
        """Allocate the next words of memory to a variable."""
        self._variables[variable.name] = range(self._free, self._free + variable.size)
        self._free += variable.size


def check_constant(name: str, value: int) -> None:
    """Reject a constant that is not a signed word; raises CompilerError."""
    if not -0x8000 <= value <= 0x7FFF:
        raise CompilerError(f"constant {name}: {value} does not fit 16 bits")


def check_subroutine(token: Token, names: Collection[str]) -> None:
    """Reject a call of a subroutine that is not one of `names`; raises CompilerError."""
    if token.text not in names:
        raise _unknown(token, "subroutine", names)


def _unknown(token: Token, what: str, known: Collection[str]) -> CompilerError:
    matches = difflib.get_close_matches(token.text, known, n=1)
    hint = f"; did you mean {matches[0]}?" if matches else ""
    return token.error(f"there is no {what} {token.text}{hint}")
