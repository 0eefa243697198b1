"""Goes on after a step of the simulation that fails; one that fails again and again ends the program."""

from collections.abc import Callable
from typing import Final

from thymio_base.fence import Fence

MOST_FAILURES: Final = 100  # steps in a row: a second


class StepFence:
    """Performs steps, and notes their exceptions.

    Parameters
    ----------
    fence : notes them
    """

    def __init__(self, fence: Fence) -> None:
        self._fence = fence
        self._failures = 0

    def perform(self, step: Callable[[], object]) -> None:
        """Perform a step; raise its exception if enough in a row have failed that the simulation is at an end."""
        try:
            step()
        except Exception as error:
            self._failures += 1
            self._fence.note("a step of the simulation", error)
            if self._failures >= MOST_FAILURES:
                raise
        else:
            self._failures = 0
