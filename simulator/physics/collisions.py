"""Counts collisions; a collision is the start of a contact."""

import numpy as np
from numpy.typing import NDArray

Pair = tuple[int, int]


class Collisions:
    """Counts robots' collisions; a pair that has touched collides again only after separating.

    Parameters
    ----------
    robots : number of robots

    Attributes
    ----------
    counts : collisions of each robot
    total : collisions of all pairs; a collision of two robots counts once
    """

    def __init__(self, robots: int) -> None:
        self.counts: NDArray[np.int64] = np.zeros(robots, dtype=np.int64)
        self.total = 0
        self._new: set[int] = set()
        self._touching: set[Pair] = set()

    def update(self, touching: list[Pair], close: list[Pair]) -> list[int]:
        """Update contacts; pairs that are still close have not separated yet.

        Returns
        -------
        blocked
            indices of the robots that touch something, ascending
        """
        if not touching and not self._touching:
            return []
        for pair in touching:
            if pair not in self._touching:
                self._count(pair)
        self._touching = set(touching) | (self._touching & set(close))
        return sorted({body for pair in touching for body in pair if body < len(self.counts)})

    @property
    def any_touching(self) -> bool:
        """Whether any pair has touched and not yet separated."""
        return bool(self._touching)

    def pop_new(self) -> list[int]:
        """Return the robots that have collided since the last call."""
        if not self._new:
            return []
        robots = sorted(self._new)
        self._new.clear()
        return robots

    def append(self) -> None:
        """Add a robot."""
        self.counts = np.append(self.counts, 0)
        self.renumber()

    def remove(self, robot: int) -> None:
        """Remove a robot."""
        self.counts = np.delete(self.counts, robot)
        self._new = {other - (other > robot) for other in self._new if other != robot}
        self.renumber()

    def renumber(self) -> None:
        """Clear all contacts, because the bodies' numbers have changed."""
        self._touching.clear()

    def _count(self, pair: Pair) -> None:
        self.total += any(body < len(self.counts) for body in pair)
        for body in pair:
            if body < len(self.counts):
                self.counts[body] += 1
                self._new.add(body)
