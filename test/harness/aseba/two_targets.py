"""A link to two targets in memory with a node each, on one clock."""

from collections.abc import Callable

from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import Dialer
from aseba_link.wire.bytecode import CompiledScript
from harness.aseba.fake_node import FakeNode, FakeTarget, dialer_to
from harness.aseba.link_bench import LinkBench

ONE, TWO = "tcp:localhost;1", "tcp:localhost;2"


class TwoTargets(LinkBench):
    """Two targets, and the link to them.

    Parameters
    ----------
    first, second : their nodes
    dialed : wraps or replaces the dialer to the targets
    budgets_hz : the link's
    """

    def __init__(
        self,
        first: FakeNode,
        second: FakeNode,
        dialed: Callable[[Dialer], Dialer] = lambda dialer: dialer,
        budgets_hz: dict[str, float] | None = None,
    ) -> None:
        self.targets = [FakeTarget(first), FakeTarget(second)]
        script_policy = ScriptPolicy(lambda _: CompiledScript((1, 0)), event_timeout_s=None)
        link = AsebaLink([ONE, TWO], script_policy, dialed(dialer_to(*self.targets)), budgets_hz=budgets_hz)
        super().__init__(link, *self.targets, step_ns=20_000_000)
