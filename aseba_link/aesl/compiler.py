"""Compiles Aseba scripts for nodes."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources

from aseba_link.aesl.code_generator import Routine, generate
from aseba_link.aesl.linker import Linker
from aseba_link.aesl.syntax.conditional import drop_unsupported
from aseba_link.aesl.syntax.lexer import Token
from aseba_link.aesl.syntax.parser import Parser
from aseba_link.aesl.syntax.scope import Scope
from aseba_link.aesl.syntax.script import EventDefinition, Script, parse_script
from aseba_link.aesl.syntax.statement import Block
from aseba_link.errors import CompilerError
from aseba_link.host.node import Node
from aseba_link.wire.bytecode import START_EVENT, CompiledScript, Operation
from aseba_link.wire.description import NodeDescription

MAX_COMPILED = 32  # scripts in a compiler's cache

_PACKAGE = resources.files("aseba_link.thymio")


class ScriptCompiler:
    """Compiles a script for each node; nodes of the same kind share the result."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._compiled = lru_cache(maxsize=MAX_COMPILED)(self._compile)

    def __call__(self, node: Node) -> CompiledScript | None:
        """Return the script compiled for a node; None if it has no code for that node.

        Raises
        ------
        CompilerError
            The code for the node cannot be compiled.
        """
        code = self._script.code_for(node.description.name, node.address.node_id)
        if code is None:
            return None
        try:
            return self._compiled(code.text, node.description)
        except CompilerError as error:
            raise error.below(code.first_line - 1) from error

    def _compile(self, text: str, description: NodeDescription) -> CompiledScript:
        return compile_code(text, self._script.events, self._script.constants, description)


def shipped_script() -> Script:
    """Return thymio.aesl, the script of this package."""
    return parse_script((_PACKAGE / "thymio.aesl").read_bytes(), "thymio.aesl")


def compile_code(
    text: str, events: Sequence[EventDefinition], constants: Mapping[str, int], description: NodeDescription
) -> CompiledScript:
    """Return a node's code compiled for nodes with this description.

    Parameters
    ----------
    text
        The source code.
    events
        The script's events, in the order of the script.
    constants
        The script's constants.
    description
        The node's variables, local events, native functions and memory sizes.

    Raises
    ------
    CompilerError
        The code is invalid, or too large for the node's memory or stack. The length of the bytecode is not checked.
    """
    try:
        return _compile(
            drop_unsupported(text, description), Scope(events, constants, description), description.stack_size
        )
    except RecursionError:
        raise CompilerError("expressions or blocks of the code are nested too deeply") from None


def _compile(text: str, scope: Scope, stack_size: int) -> CompiledScript:
    code = Parser(text, scope).parse()
    free_memory = scope.free_memory

    def routine(part: tuple[Token, Block], end: Operation) -> tuple[Token, Routine]:
        return part[0], generate(part[1], end, free_memory)

    handlers = {event: routine(part, Operation.STOP) for event, part in code.handlers.items()}
    handlers[START_EVENT] = routine(code.start, Operation.STOP)
    subroutines = {name: routine(part, Operation.RETURN) for name, part in code.subroutines.items()}
    return CompiledScript(Linker(handlers, subroutines, stack_size).link(), tuple(scope.own_variables))
