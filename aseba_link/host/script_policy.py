"""How a link chooses and maintains the scripts of its nodes."""

from collections.abc import Callable
from dataclasses import dataclass

from aseba_link.host.node import Node
from aseba_link.wire.bytecode import CompiledScript

ScriptFor = Callable[[Node], CompiledScript | None]


@dataclass(frozen=True, slots=True)
class ScriptPolicy:
    """Which scripts a link uploads, and how it keeps them running.

    Parameters
    ----------
    script_for
        Returns the script for a node, or None if there is none for such nodes; raises CompilerError.
    event_timeout_s
        A script that sends no event for this long, while its node still answers, counts as lost. None for scripts that
        may be silent: their execution state is requested periodically instead.
    reclaims
        Whether to restore our script on a node after another host uploaded its own.
    """

    script_for: ScriptFor
    event_timeout_s: float | None = 1.5
    reclaims: bool = True
