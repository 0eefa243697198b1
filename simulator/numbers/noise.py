"""Random numbers drawn from the generator in blocks."""

import numpy as np

_BLOCK = 1024


class Noise:
    """Standard normal numbers; the sequence does not depend on how many are drawn at once.

    Parameters
    ----------
    random : source of the numbers, used by nothing else
    """

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._block: list[float] = []
        self._next = 0

    def draw(self, count: int) -> list[float]:
        """Return the next numbers."""
        end = self._next + count
        if end > len(self._block):
            fresh: list[float] = self._random.standard_normal(max(count, _BLOCK)).tolist()
            self._block = self._block[self._next :] + fresh
            self._next, end = 0, count
        drawn = self._block[self._next : end]
        self._next = end
        return drawn
