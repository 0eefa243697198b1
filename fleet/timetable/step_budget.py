"""Budget for the work of each tick, in steps instead of time, so that the same inputs give the same results."""

from typing import Final

EXAMINED: Final = 80  # motions examined in the time of one step, an expansion of the route search
_LEAST: Final = 50  # steps for each sharer of a tick, even if other work has used it up


class StepBudget:
    """The steps that the present tick may still do.

    Work comes in indivisible parts, so it may take more than is left; the next tick then does less.

    Parameters
    ----------
    steps : steps per tick

    Attributes
    ----------
    left : remaining steps; negative after too much work
    """

    def __init__(self, steps: int) -> None:
        self._steps: Final = steps
        self.left = steps
        self._shared = 0  # number of shares taken in this tick ...
        self._sharers = 1  # ... and in the tick before, at least 1
        self._reserved_by: object = None  # the owner of steps reserved in the next tick or this one ...
        self._reserved = 0  # ... and their number
        self._is_kept = False  # whether they are held back in this tick

    @property
    def unused_share(self) -> float:
        """The fraction of a tick's steps that is left."""
        return max(0.0, self.left / self._steps)

    @property
    def may_overdraw(self) -> bool:
        """Whether work that cannot wait, such as a robot's request, may still be done."""
        return self.left > -self._steps // 4

    def refill(self) -> None:
        """Start a tick."""
        self.left = min(self._steps, self.left + self._steps)
        if self._is_kept:  # their owner did not use them
            self._reserved_by, self._is_kept = None, False
        elif self._reserved_by is not None:
            self.left -= self._reserved
            self._is_kept = True
        self._sharers, self._shared = max(1, self._shared), 0

    def share(self) -> int:
        """Return the steps for one of the users with long work: equal parts for as many as in the last tick.

        A quarter of the steps is left for indivisible work.
        """
        self._shared += 1
        least = _LEAST if self.may_overdraw else 0
        return max(least, min(self.left - self._steps // 4, self._steps // self._sharers))

    def reserve(self, steps: int, owner: object) -> bool:
        """Return whether indivisible work may be done now with reserved steps; otherwise reserve them.

        They are held back in the next tick, unless another owner has reserved steps; ask again in each tick.
        """
        if self._is_kept and self._reserved_by is owner:
            self.left += self._reserved
            self._reserved_by, self._is_kept = None, False
            return True
        if self._reserved_by is None:
            self._reserved_by, self._reserved = owner, min(steps, self._steps)
        return False

    def spend(self, steps: int) -> None:
        """Count completed work."""
        self.left -= steps
