"""The cheapest assignment of at most one job to each robot: the Hungarian method with potentials, O(jobs^2 robots).

H. W. Kuhn, The Hungarian method for the assignment problem, 1955, in the form with shortest augmenting paths of
R. Jonker and A. Volgenant, 1987.
"""

import math
from collections.abc import Sequence
from typing import Final

_NONE: Final = -1


class CheapestColumns:
    """Matches each row to a column of its own at the least sum of costs; rows are added one by one.

    Parameters
    ----------
    costs : by row and column, finite; there are at least as many columns as rows
    """

    def __init__(self, costs: Sequence[Sequence[float]]) -> None:
        count = len(costs[0]) if costs else 0
        self._row_of = [_NONE] * count
        self._costs: Final = costs
        self._row_potentials: Final = [0.0] * len(costs)
        self._column_potentials: Final = [0.0] * count

    def add(self, row: int) -> int:
        """Match a row, perhaps rematching others; return the number of costs looked up.

        The matching changes along the shortest augmenting path.
        """
        count, looked = len(self._row_of), 0
        least, came_from, is_used = [math.inf] * count, [_NONE] * count, [False] * count
        here, last = row, _NONE
        while True:
            looked += count
            column, delta = self._nearest(here, last, least, came_from, is_used)
            self._shift(row, delta, least, is_used)
            is_used[column] = True
            here, last = self._row_of[column], column
            if here == _NONE:
                break
        while last != _NONE:
            before = came_from[last]
            self._row_of[last] = row if before == _NONE else self._row_of[before]
            last = before
        return looked

    @property
    def columns(self) -> list[int]:
        """The column of each added row."""
        found = [_NONE] * len(self._costs)
        for column, row in enumerate(self._row_of):
            if row != _NONE:
                found[row] = column
        return found

    def _nearest(
        self, here: int, last: int, least: list[float], came_from: list[int], is_used: list[bool]
    ) -> tuple[int, float]:
        """Return the nearest column not yet reached, and its distance."""
        nearest, delta = _NONE, math.inf
        for column in range(len(least)):
            if is_used[column]:
                continue
            reduced = self._costs[here][column] - self._row_potentials[here] - self._column_potentials[column]
            if reduced < least[column]:
                least[column], came_from[column] = reduced, last
            if least[column] < delta:
                nearest, delta = column, least[column]
        return nearest, delta

    def _shift(self, row: int, delta: float, least: list[float], is_used: list[bool]) -> None:
        """Shift potentials so that the path to the nearest column has zero reduced cost."""
        self._row_potentials[row] += delta
        for column in range(len(least)):
            if is_used[column]:
                self._row_potentials[self._row_of[column]] += delta
                self._column_potentials[column] -= delta
            else:
                least[column] -= delta
