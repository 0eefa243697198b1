"""Who touches whom: beginnings are counted."""

import numpy as np
from numpy.typing import NDArray

from simulator.bodies import Indices


class Touches:
    """Collisions of some robots; a pair that has touched collides again only after it was apart.

    Parameters
    ----------
    robots : how many
    """

    def __init__(self, robots: int) -> None:
        self.counts: NDArray[np.int64] = np.zeros(robots, dtype=np.int64)
        self._fresh: NDArray[np.bool_] = np.zeros(robots, dtype=bool)
        self._touching: set[tuple[int, int]] = set()

    def update(self, touching: Indices, close: Indices) -> Indices:
        """Take in the pairs that touch, and those that are close to it: these have not come apart yet.

        Returns
        -------
        blocked
            (k,) robots that touch something
        """
        if not len(touching) and not self._touching:
            return touching.ravel()
        now = [(first, second) for first, second in touching.tolist()]
        for pair in now:
            if pair not in self._touching:
                self._begin(pair)
        self._touching = set(now) | (self._touching & {(first, second) for first, second in close.tolist()})
        blocked = np.unique(touching)
        return blocked[blocked < len(self.counts)]

    @property
    def are_any(self) -> bool:
        """Whether some pair has touched, and has not come apart yet."""
        return bool(self._touching)

    def fresh(self) -> list[int]:
        """Return the robots that have collided since this was asked last."""
        if not self._fresh.any():
            return []
        robots = np.flatnonzero(self._fresh).tolist()
        self._fresh[:] = False
        return robots

    def append(self) -> None:
        """Add a robot."""
        self.counts = np.append(self.counts, 0)
        self._fresh = np.append(self._fresh, False)
        self.renumber()

    def remove(self, robot: int) -> None:
        """Take a robot away."""
        self.counts = np.delete(self.counts, robot)
        self._fresh = np.delete(self._fresh, robot)
        self.renumber()

    def renumber(self) -> None:
        """Forget who touches whom: bodies have other numbers now."""
        self._touching.clear()

    def _begin(self, pair: tuple[int, int]) -> None:
        for body in pair:
            if body < len(self.counts):
                self.counts[body] += 1
                self._fresh[body] = True
