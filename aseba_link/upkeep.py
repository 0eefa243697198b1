"""How a link looks after the scripts of its nodes."""

from collections.abc import Callable
from dataclasses import dataclass

from aseba_link.bytecode import CompiledScript
from aseba_link.node import Node

ScriptFor = Callable[[Node], CompiledScript | None]


@dataclass(frozen=True, slots=True)
class Upkeep:
    """How a link looks after the scripts that it gave to nodes.

    Parameters
    ----------
    script_for
        Gives the script for a node, None where there is none for such nodes; raises CompilerError.
    event_timeout_s
        A script of which no event came for so long, while its node still answers, is taken for lost; None for
        scripts that may be silent, which are asked now and then whether they run.
    reclaims
        Whether a node to which another host gave its own script gets ours back.
    """

    script_for: ScriptFor
    event_timeout_s: float | None = 1.5
    reclaims: bool = True
