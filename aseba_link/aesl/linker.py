"""Joins the parts of a script: the event table, then handlers, then subroutines."""

from collections.abc import Mapping

from aseba_link.aesl.code_generator import Routine
from aseba_link.aesl.syntax.lexer import Token
from aseba_link.wire.bytecode import LARGEST_OPERAND


class Linker:
    """The parts of a script; errors name a part by its token."""

    def __init__(
        self,
        handlers: Mapping[int, tuple[Token, Routine]],
        subroutines: Mapping[str, tuple[Token, Routine]],
        stack_size: int,
    ) -> None:
        # empty handlers are omitted
        self._handlers = {event: handlers[event] for event in sorted(handlers) if len(handlers[event][1].words) > 1}
        self._subroutines = subroutines
        self._stack_size = stack_size
        self._depths: dict[str, int] = {}

    def link(self) -> tuple[int, ...]:
        """Return the bytecode, without unused subroutines.

        Raises
        ------
        CompilerError
            A subroutine calls itself, or the node's stack is too small.
        """
        for name, (token, _) in self._subroutines.items():
            self._subroutine_depth(name, token, ())
        for token, routine in self._handlers.values():
            self._check_depth(token, self._depth(routine, ()))
        words: list[int] = [1 + 2 * len(self._handlers)]
        words += [0] * (2 * len(self._handlers))
        calls: list[tuple[int, Token]] = []
        for number, (event, (_, routine)) in enumerate(self._handlers.items()):
            words[1 + 2 * number : 3 + 2 * number] = (event, len(words))
            _append(words, calls, routine)
        self._append_called(words, calls)
        return tuple(words)

    def _append_called(self, words: list[int], calls: list[tuple[int, Token]]) -> None:
        """Append every subroutine that is called, and write its address into the calls."""
        addresses: dict[str, int] = {}
        for position, token in calls:  # subroutines add their own calls
            if token.text not in addresses:
                addresses[token.text] = len(words)
                _append(words, calls, self._subroutines[token.text][1])
            if addresses[token.text] > LARGEST_OPERAND:
                raise token.error(
                    f"subroutine {token.text} lies at word {addresses[token.text]}, calls reach word 4095 at most"
                )
            words[position] |= addresses[token.text]

    def _check_depth(self, token: Token, depth: int) -> None:
        if depth > self._stack_size:
            raise token.error(f"this needs {depth} words of stack, the node has {self._stack_size}")

    def _depth(self, routine: Routine, callers: tuple[str, ...]) -> int:
        """Return how many words of stack a routine and the subroutines that it calls need."""
        depths = [1 + self._subroutine_depth(token.text, token, callers) for _, token in routine.calls]
        return max([routine.stack_depth, *depths])

    def _subroutine_depth(self, name: str, token: Token, callers: tuple[str, ...]) -> int:
        if name in callers:
            raise token.error(f"subroutine {name} calls itself: {' -> '.join((*callers[callers.index(name) :], name))}")
        if name not in self._depths:
            self._depths[name] = self._depth(self._subroutines[name][1], (*callers, name))
        return self._depths[name]


def _append(words: list[int], calls: list[tuple[int, Token]], routine: Routine) -> None:
    calls += [(len(words) + position, token) for position, token in routine.calls]
    words += routine.words
