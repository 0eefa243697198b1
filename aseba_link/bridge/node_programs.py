"""Tracks which program each node of a bridge should run, and which it runs."""

from collections.abc import Callable, Sequence

from aseba_link.aesl.program import Program
from aseba_link.errors import CompilerError, ScriptError
from aseba_link.host.node import Node, NodeAddress
from aseba_link.link.aseba_link import AsebaLink

LoadResult = Callable[[CompilerError | str | None], None]  # called with None if the program runs, else the problem


class NodePrograms:
    """Loads programs onto the nodes of a link; `default` is for nodes without their own program.

    Parameters
    ----------
    link : the link to the nodes
    default : program for nodes without their own, if any
    loads : whether this class loads the default program; otherwise the link does
    """

    def __init__(self, link: AsebaLink, default: Program | None, *, loads: bool) -> None:
        self.default = default
        self._link = link
        self._link_program = None if loads else default
        self._assigned: dict[NodeAddress, Program] = {}  # nodes' own programs
        self._loaded: dict[NodeAddress, Program] = {}  # the last program loaded onto each node
        self._waiting: dict[NodeAddress, Sequence[LoadResult]] = {}

    def set_default(self, program: Program) -> None:
        """Replace the default program.

        Raises
        ------
        ScriptError
            The link loads the default program itself.
        """
        if self._link_program is not None:
            raise ScriptError(f"{self._link_program.name} is the default script, and cannot be replaced by another")
        self.default = program

    def program_for(self, address: NodeAddress) -> Program | None:
        """Return the program to load onto a node that connected or reconnected."""
        return self._assigned.get(address, None if self._link_program else self.default)

    def running_on(self, address: NodeAddress, is_loaded: bool) -> Program | None:
        """Return the program that a ready node runs; see `NodeReady` for `is_loaded`."""
        return self._loaded.get(address) if is_loaded else self._link_program

    def load(self, program: Program, node: Node, results: Sequence[LoadResult]) -> bool:
        """Load a program onto a node and later report to `results`; False if it must wait until the node reconnects.

        Raises
        ------
        CompilerError
            The node cannot run the program, and keeps its current one.
        """
        if not self._load(program, node):
            return False
        self.answer(node.address, "another script was loaded meanwhile")
        self._waiting[node.address] = results
        return True

    def answer(self, address: NodeAddress, problem: str | None) -> None:
        """Report the outcome to the callbacks waiting for a node."""
        for result in self._waiting.pop(address, ()):
            result(problem)

    def forget(self, address: NodeAddress) -> None:
        """Forget the programs of a node."""
        self._assigned.pop(address, None)
        self._loaded.pop(address, None)

    def _load(self, program: Program, node: Node) -> bool:
        if program is self._link_program:
            self._assigned.pop(node.address, None)
            return self._link.node(node.address).restore()
        compiled = program.compiled_for(node)
        self._assigned[node.address] = self._loaded[node.address] = program
        return self._link.node(node.address).load(compiled)
