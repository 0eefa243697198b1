"""A link and its peers, in one thread; time is counted."""

from typing import Protocol

from aseba_link.host.link_events import LinkEvent
from aseba_link.link.aseba_link import AsebaLink

STEP_NS = 10_000_000


class Stepped(Protocol):
    """A peer that acts in each step: a target, a serial robot, a simulation."""

    def step(self) -> object:
        """Act."""


class LinkBench:
    """A link and its peers on one clock.

    Parameters
    ----------
    link : polled once a step
    peers : stepped before the link
    step_ns : the length of a step
    """

    def __init__(self, link: AsebaLink, *peers: Stepped, step_ns: int = STEP_NS) -> None:
        self.link = link
        self.now_ns = 0
        self._peers = peers
        self._step_ns = step_ns

    def step(self) -> list[LinkEvent]:
        """Let one step pass; return the link's events."""
        self.now_ns += self._step_ns
        for peer in self._peers:
            peer.step()
        return list(self.link.poll(self.now_ns))

    def run(self, duration_s: float = 1.0) -> list[LinkEvent]:
        """Let time pass; return the link's events."""
        return [event for _ in range(round(duration_s * 1e9 / self._step_ns)) for event in self.step()]
