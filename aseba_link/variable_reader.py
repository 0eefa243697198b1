"""Answers questions for variables, which the radio may lose on either way: asks again, and gives up in the end."""

from collections.abc import Callable
from dataclasses import dataclass, field

from aseba_link.event import VariablesRead
from aseba_link.link import AsebaLink
from aseba_link.node import NodeAddress

RETRY_S = 0.3
PATIENCE_S = 1.0

Answer = Callable[[tuple[int, ...] | None], None]


@dataclass(slots=True)
class _Question:
    """Who waits for a variable, each with the time at which he gives up, in the order in which they asked."""

    waiting: list[tuple[int, Answer]] = field(default_factory=list)
    ask_ns: int = 0


class VariableReader:
    """Reads variables over a link whose events it is given; those who ask for the same share the answer."""

    def __init__(self, link: AsebaLink) -> None:
        self._link = link
        self._questions: dict[tuple[NodeAddress, str], _Question] = {}

    def read(self, address: NodeAddress, name: str, answer: Answer, now_ns: int) -> bool:
        """Call `answer` with the words of a variable, or None if none come; False if there is no such variable."""
        if not self._link.request_variable(address, name):
            return False
        question = self._questions.setdefault((address, name), _Question())
        question.waiting.append((now_ns + round(PATIENCE_S * 1e9), answer))
        question.ask_ns = now_ns + round(RETRY_S * 1e9)
        return True

    def on_read(self, event: VariablesRead) -> None:
        """Give those who asked their answer."""
        self._close((event.address, event.name), event.values)

    def forget(self, address: NodeAddress) -> None:
        """Give up the questions to a node."""
        for key in [key for key in self._questions if key[0] == address]:
            self._close(key, None)

    def advance(self, now_ns: int) -> None:
        """Repeat the questions without an answer, and tell those who have waited for too long that there is none."""
        for key, question in list(self._questions.items()):
            while question.waiting and now_ns >= question.waiting[0][0]:
                question.waiting.pop(0)[1](None)
            if not question.waiting:
                del self._questions[key]
            elif now_ns >= question.ask_ns:
                question.ask_ns = now_ns + round(RETRY_S * 1e9)
                self._link.request_variable(*key)

    def _close(self, key: tuple[NodeAddress, str], values: tuple[int, ...] | None) -> None:
        question = self._questions.pop(key, _Question())
        for _, answer in question.waiting:
            answer(values)
