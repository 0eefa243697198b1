"""A link to two targets in memory with a node each, on one clock."""

from collections.abc import Callable

from aseba_link.host.link_events import LinkEvent
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import Dialer
from aseba_link.wire.bytecode import CompiledScript
from harness.aseba.fake_node import FakeNode, FakeTarget, PipeDialer

ONE, TWO = "tcp:localhost;1", "tcp:localhost;2"
STEP_NS = 20_000_000


class TwoTargets:
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
        dialer = dialed(PipeDialer({index + 1: target.accept for index, target in enumerate(self.targets)}))
        script_policy = ScriptPolicy(lambda _: CompiledScript((1, 0)), event_timeout_s=None)
        self.link = AsebaLink([ONE, TWO], script_policy, dialer, budgets_hz=budgets_hz)
        self.now_ns = 0

    def run(self, duration_s: float) -> list[LinkEvent]:
        """Let time pass; return what happened."""
        events: list[LinkEvent] = []
        for _ in range(round(duration_s * 1e9 / STEP_NS)):
            self.now_ns += STEP_NS
            for target in self.targets:
                target.step()
            events += self.link.poll(self.now_ns)
        return events
