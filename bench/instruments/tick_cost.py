"""Measures the CPU time of the fleet's ticks."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class TickCost:
    """Measures the CPU time of ticks.

    Parameters
    ----------
    pilots : called in each tick, before the fleet's own; their time counts too

    Attributes
    ----------
    ticks_ms : the CPU time of each tick
    """

    def __init__(self) -> None:
        self.ticks_ms: list[float] = []
        self.pilots: list[Callable[[], object]] = []

    @contextmanager
    def around_tick(self) -> Iterator[None]:
        """Measure the CPU time within the context."""
        started_ns = time.process_time_ns()
        for pilot in self.pilots:
            pilot()
        yield
        self.ticks_ms.append((time.process_time_ns() - started_ns) * 1e-6)
