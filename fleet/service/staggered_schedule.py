"""Spreads periodic work evenly over ticks, so that no tick has much to do."""

from collections.abc import Iterator


class StaggeredSchedule:
    """Spreads `count` members over the ticks of a period.

    If a period is a whole number of ticks, each member is due at the same tick of every period. Ticks are counted by
    their time slots: members due in a slot without a tick are due at the next tick.

    Parameters
    ----------
    count : number of members, counted from 0
    ticks : number of ticks in a period, at least 1
    """

    def __init__(self, count: int, ticks: float) -> None:
        self._count = count
        self._per_tick = count / ticks
        self._end = 0

    def due(self, slot: int) -> Iterator[int]:
        """Yield the members that are due at the tick for a slot, each at most once; slots never decrease."""
        start = self._end
        self._end = max(start, int((slot + 1) * self._per_tick + 1e-6))  # sums of fractions are rounded
        for number in range(max(start, self._end - self._count), self._end):
            yield number % self._count
