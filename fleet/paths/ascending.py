"""Ascending numbers, for who asks where a value lies among them that mostly lies near the one before."""

import math
from collections.abc import Iterable


class Ascending:
    """Numbers that never fall.

    What was found is tried first, by two numbers beside it: to go through a list whose numbers have left the
    processor's cache since the last tick took a twelfth of all that a tick does for a robot.

    Parameters
    ----------
    numbers : at least one
    """

    def __init__(self, numbers: Iterable[float]) -> None:
        self.numbers = list(numbers)
        self._latest = 0  # the rank of what lies ...
        self._from = -math.inf  # ... from here on ...
        self._below = self.numbers[0]  # ... and below that

    def rank(self, value: float) -> int:
        """Return how many numbers are not above a value."""
        if self._from <= value < self._below:
            return self._latest
        numbers = self.numbers
        low, high = 0, len(numbers)
        while low < high:
            middle = (low + high) >> 1
            if numbers[middle] <= value:
                low = middle + 1
            else:
                high = middle
        self._latest = low
        self._from = numbers[low - 1] if low > 0 else -math.inf
        self._below = numbers[low] if low < len(numbers) else math.inf
        return low

    def rank_below(self, value: float) -> int:
        """Return how many numbers are below a value."""
        rank = self.rank(value)
        while rank > 0 and self.numbers[rank - 1] == value:
            rank -= 1
        return rank
