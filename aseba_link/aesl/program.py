"""A script with the values of its constants, ready to be compiled for any node."""

import errno
import re
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from aseba_link.aesl.compiler import ScriptCompiler
from aseba_link.aesl.syntax.script import MAX_SCRIPT_SIZE, EventDefinition, Script, parse_script
from aseba_link.errors import CompilerError, ScriptError
from aseba_link.host.node import Node
from aseba_link.host.upload import fit_problem
from aseba_link.wire.bytecode import CompiledScript

_TOPIC = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_RANK_SIZE = 20  # characters reserved for a rank and the word before a name
MAX_TOPIC_SIZE = 100  # characters of an event's name; together with the namespace at most 255 are allowed


class Program:
    """A script with a human-readable name, such as its path.

    `topics` are the names of its events, valid in ROS, by rank.
    """

    def __init__(self, name: str, script: Script) -> None:
        self.name = name
        self.script = script
        self.topics = _topics(script.events)
        self._compiler = ScriptCompiler(script)

    def compiled_for(self, node: Node) -> CompiledScript:
        """Return the compiled script for a node.

        Raises
        ------
        CompilerError
            The script has no code for such a node, does not compile, or is longer than the node's memory.
        """
        compiled = self._compiler(node)
        if compiled is None:
            raise CompilerError(f"{self.name} has no code for nodes called {node.description.name!r}")
        problem = fit_problem(compiled, node.description)
        if problem:
            raise CompilerError(problem)
        return compiled


def read_program(path: str, constants: Mapping[str, int]) -> Program:
    """Return the program in an .aesl file, with some of its constants overridden.

    Raises
    ------
    ScriptError
        The file cannot be read, is not a script, or lacks one of the constants.
    """
    try:
        data = _read(Path(path).expanduser())
    except OSError as error:
        raise ScriptError(f"{path}: {error.strerror or error}") from error
    except (RuntimeError, ValueError) as error:  # an unknown user, or a NUL in the path
        raise ScriptError(f"{path}: {error}") from error
    return parse_program(path, data, constants)


def parse_program(name: str, data: bytes, constants: Mapping[str, int]) -> Program:
    """Return the program in the text of an .aesl file; raises ScriptError like `read_program`."""
    return Program(name, parse_script(data, name).with_constants(constants))


def _read(path: Path) -> bytes:
    """Return a file's content, but at most one byte more than a script may have."""
    if path.exists() and not path.is_file():  # reading a device or pipe may never start or never end
        raise OSError(errno.EINVAL, "not a file")
    with path.open("rb") as file:
        return file.read(MAX_SCRIPT_SIZE + 1)


def _topics(events: Sequence[EventDefinition]) -> tuple[str, ...]:
    """Return unique names of events that are valid in ROS; Aseba's names may have dots and any letters.

    Names that are valid in ROS stay as they are. In others, invalid characters become `_`; a name that then equals
    another gets its rank.
    """
    topics = {event.name: event.name for event in events if _TOPIC.fullmatch(event.name)}
    taken = set(topics)
    for rank, event in enumerate(events):
        if event.name not in topics:
            topics[event.name] = _free_topic(event.name, rank, taken)
            taken.add(topics[event.name])
    return tuple(topics[event.name] for event in events)


def _free_topic(name: str, rank: int, taken: Set[str]) -> str:
    """Return a topic name for an event whose own name is not valid in ROS."""
    topic = re.sub(r"[^A-Za-z0-9_]", "_", name)[: MAX_TOPIC_SIZE - _RANK_SIZE]
    if not topic.strip("_"):
        topic = f"event_{rank}"
    elif not topic[0].isalpha():  # a digit is not allowed, and ROS hides names that begin with _
        topic = f"event_{topic.lstrip('_')}"
    if topic in taken:
        topic = f"{topic}_{rank}"
    while topic in taken:
        topic += "_"
    return topic
