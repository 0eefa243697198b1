"""A link to two targets in memory with a node each, in one time."""

from collections.abc import Callable

from aseba_link.bytecode import CompiledScript
from aseba_link.dialer import Dialer
from aseba_link.event import LinkEvent
from aseba_link.link import AsebaLink
from aseba_link.upkeep import Upkeep
from fake_node import FakeNode, FakeTarget, PipeDialer

ONE, TWO = "tcp:localhost;1", "tcp:localhost;2"
STEP_NS = 20_000_000


class TwoTargets:
    """Two targets, and the link to them.

    Parameters
    ----------
    first, second : their nodes
    dialed : what dials instead of a dialer to the targets
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
        upkeep = Upkeep(lambda _: CompiledScript((1, 0)), event_timeout_s=None)
        self.link = AsebaLink([ONE, TWO], upkeep, dialer, budgets_hz=budgets_hz)
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
