"""A compiled script on a simulated Thymio, and its effects."""

from collections.abc import Mapping, Sequence

from aseba_link.aesl.compiler import compile_code
from aseba_link.aesl.syntax.script import EventDefinition
from aseba_link.host.upload import fit_problem
from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.description import Variable
from aseba_link.wire.message import HOST_ID, MessageType, from_words
from harness.aseba.scripted_robot import running
from simulator.firmware.thymio import thymio_description

DESCRIPTION = thymio_description()
NODE_ID = 1
OWN_START = sum(variable.size for variable in DESCRIPTION.variables)
FAULTS = (
    MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS,
    MessageType.DIVISION_BY_ZERO,
    MessageType.NODE_SPECIFIC_ERROR,
)


def definitions(events: Mapping[str, int]) -> list[EventDefinition]:
    return [EventDefinition(name, size) for name, size in events.items()]


def compiled(
    code: str, events: Mapping[str, int] | None = None, constants: Mapping[str, int] | None = None
) -> CompiledScript:
    """Compile for the simulated Thymio."""
    return compile_code(code, definitions(events or {}), constants or {}, DESCRIPTION)


class ScriptRun:
    """A robot that has run a script's start code."""

    def __init__(self, script: CompiledScript) -> None:
        assert fit_problem(script, DESCRIPTION) == ""
        self._variables = script.variables
        self._thymio = running(script, NODE_ID)

    def raise_event(self, rank: int, words: Sequence[int] = ()) -> None:
        """Send an event of the script to the robot."""
        self._thymio.handle(from_words(HOST_ID, rank, words))

    def memory(self, size: int = OWN_START) -> tuple[int, ...]:
        """Return the first words of memory, as signed numbers."""
        messages, self._thymio.outbox = self._thymio.outbox, []
        self._thymio.handle(from_words(HOST_ID, MessageType.GET_VARIABLES, (NODE_ID, 0, size)))
        answers, self._thymio.outbox = self._thymio.outbox, messages
        return tuple(word for answer in answers for word in answer.words()[1:])

    def variables(self, own: Sequence[Variable] | None = None) -> dict[str, list[int]]:
        """Return the words of the script's variables."""
        own = self._variables if own is None else own
        words = self.memory(OWN_START + sum(variable.size for variable in own))
        values, start = {}, OWN_START
        for variable in own:
            values[variable.name] = list(words[start : start + variable.size])
            start += variable.size
        return values

    @property
    def emitted(self) -> list[tuple[int, tuple[int, ...]]]:
        """Rank and words of every event that the script emitted."""
        return [(message.type, message.words()) for message in self._thymio.outbox if message.is_user_event]

    @property
    def faults(self) -> list[int]:
        """The types of the run-time errors so far."""
        return [message.type for message in self._thymio.outbox if message.type in FAULTS]


def run(code: str, events: Mapping[str, int] | None = None, constants: Mapping[str, int] | None = None) -> ScriptRun:
    """Compile code and run its start."""
    return ScriptRun(compiled(code, events, constants))
