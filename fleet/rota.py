"""Who is due at which tick, where all are due equally often: spread over the ticks, so that none has much to do."""

from collections.abc import Iterator


class Rota:
    """Spreads `count` members over the ticks of a period.

    A member comes at the same tick of each period, if a period is a whole number of ticks. Ticks are counted by the
    slots of time that they are for: those due at one that was left out come at the next one.

    Parameters
    ----------
    count : number of members, counted from 0
    ticks : how many ticks a period has, at least 1
    """

    def __init__(self, count: int, ticks: float) -> None:
        self._count = count
        self._per_tick = count / ticks
        self._end = 0

    def due(self, slot: int) -> Iterator[int]:
        """Yield the members that are due at the tick for a slot, each at most once; slots never go back."""
        begin = self._end
        self._end = max(begin, int((slot + 1) * self._per_tick + 1e-6))  # sums of fractions are rounded
        for number in range(max(begin, self._end - self._count), self._end):
            yield number % self._count
