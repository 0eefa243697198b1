"""A script with its values for the constants, ready to be compiled for any node."""

from collections.abc import Mapping
from pathlib import Path

from aseba_link.bytecode import CompiledScript
from aseba_link.compiler import ScriptCompiler
from aseba_link.errors import CompilerError, ScriptError
from aseba_link.node import Node
from aseba_link.script import Script, parse_script


class Program:
    """A script under the name by which people know it, such as its path."""

    def __init__(self, name: str, script: Script) -> None:
        self.name = name
        self.script = script
        self._compiler = ScriptCompiler(script)

    def compiled_for(self, node: Node) -> CompiledScript:
        """Return what a node shall run.

        Raises
        ------
        CompilerError
            The script has no code for such a node, or the compiler refuses it.
        """
        compiled = self._compiler(node)
        if compiled is None:
            raise CompilerError(f"{self.name} has no code for nodes called {node.description.name!r}")
        return compiled


def read_program(path: str, constants: Mapping[str, int]) -> Program:
    """Return the program in an .aesl file, with other values for some of its constants.

    Raises
    ------
    ScriptError
        The file cannot be read, is no script, or has no such constant.
    """
    try:
        data = Path(path).expanduser().read_bytes()
    except OSError as error:
        raise ScriptError(f"{path}: {error.strerror or error}") from error
    return parse_program(path, data, constants)


def parse_program(name: str, data: bytes, constants: Mapping[str, int]) -> Program:
    """Return the program in the text of an .aesl file; raises ScriptError as `read_program`."""
    return Program(name, parse_script(data, name).with_constants(constants))
