"""Keeps the simulation running after a failed step; many failures in a row end the program."""

from collections.abc import Callable
from typing import Final

from thymio_base.fence import Fence

MOST_FAILURES: Final = 100  # steps in a row; one second


class StepFence:
    """Performs steps and notes their exceptions.

    Parameters
    ----------
    fence : notes the exceptions
    """

    def __init__(self, fence: Fence) -> None:
        self._fence = fence
        self._failures = 0

    def perform(self, step: Callable[[], object]) -> None:
        """Perform a step; raise its exception if it is the last of `MOST_FAILURES` in a row."""
        try:
            step()
        except Exception as error:
            self._failures += 1
            self._fence.note("a step of the simulation", error)
            if self._failures >= MOST_FAILURES:
                raise
        else:
            self._failures = 0
