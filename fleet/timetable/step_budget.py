"""How much work the ticks may do, in steps: never in time, so that the same inputs give the same results."""

from typing import Final

EXAMINED: Final = 80  # motions are examined in the time of one step, an expansion of the search for a route


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

    @property
    def may_overdraw(self) -> bool:
        """Whether work that cannot wait, such as a robot's question, may still be done."""
        return self.left > -self._steps // 4

    def refill(self) -> None:
        """Start a tick."""
        self.left = min(self._steps, self.left + self._steps)

    def spend(self, steps: int) -> None:
        """Count work that was done."""
        self.left -= steps
