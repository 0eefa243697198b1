"""How much work the ticks may do, in steps: never in time, so that the same inputs give the same results."""

from typing import Final

EXAMINED: Final = 80  # motions are examined in the time of one step, an expansion of the search for a route
_LEAST: Final = 50  # steps for each of those that share a tick, even if other work has used it up


class StepBudget:
    """What the present tick may still do.

    Work is done in parts that cannot be divided, so it may take more than is left; the next tick then does less.

    Parameters
    ----------
    steps : of each tick

    Attributes
    ----------
    left : how many of them are left; negative if too much was done
    """

    def __init__(self, steps: int) -> None:
        self._steps: Final = steps
        self.left = steps
        self._shared = 0  # how often the steps of this tick were shared out ...
        self._sharers = 1  # ... and those of the tick before, at least 1
        self._reserved_by: object = None  # who has reserved steps of the next tick, or of this one, ...
        self._reserved = 0  # ... and how many
        self._is_kept = False  # whether they are kept in this tick

    @property
    def unused_share(self) -> float:
        """What share of the steps of a tick is left."""
        return max(0.0, self.left / self._steps)

    @property
    def may_overdraw(self) -> bool:
        """Whether work that cannot wait, such as a robot's question, may still be done."""
        return self.left > -self._steps // 4

    def refill(self) -> None:
        """Start a tick."""
        self.left = min(self._steps, self.left + self._steps)
        if self._is_kept:  # nobody came for them
            self._reserved_by, self._is_kept = None, False
        elif self._reserved_by is not None:
            self.left -= self._reserved
            self._is_kept = True
        self._sharers, self._shared = max(1, self._shared), 0

    def share(self) -> int:
        """Return what one of those may do now that have long work: the same for as many as asked in the last tick.

        A quarter of the steps is left to work that cannot be divided.
        """
        self._shared += 1
        least = _LEAST if self.may_overdraw else 0
        return max(least, min(self.left - self._steps // 4, self._steps // self._sharers))

    def reserve(self, steps: int, owner: object) -> bool:
        """Return whether work that cannot be divided may be done now, as its steps are kept; else keep them, later.

        They are kept in the next tick, unless others have reserved steps; its owner then asks again.
        """
        if self._is_kept and self._reserved_by is owner:
            self.left += self._reserved
            self._reserved_by, self._is_kept = None, False
            return True
        if self._reserved_by is None:
            self._reserved_by, self._reserved = owner, min(steps, self._steps)
        return False

    def spend(self, steps: int) -> None:
        """Count work that was done."""
        self.left -= steps
