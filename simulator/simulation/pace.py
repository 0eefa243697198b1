"""The pace of simulated time: schedules the simulation's steps."""

import math

from thymio_base.texts.bounds import LEAST_FACTOR, MOST_FACTOR

_MAX_LAG_STEPS = 20  # a machine lagging further behind skips the lag


class Pace:
    """Schedules steps in real time; instants are passed in.

    Parameters
    ----------
    step_s : simulated time of one step
    factor : simulated seconds per second, above 0; infinity means as fast as possible
    now_ns : the first step is due at this instant
    """

    def __init__(self, step_s: float, factor: float, now_ns: int) -> None:
        self._step_s = step_s
        self.has_fallen_behind = False
        self.set_factor(factor, now_ns)

    @property
    def factor(self) -> float:
        """Simulated seconds per second."""
        return self._factor

    def set_factor(self, factor: float, now_ns: int) -> None:
        """Continue at another speed factor.

        Raises
        ------
        ValueError
            The factor is neither infinity nor within `LEAST_FACTOR` and `MOST_FACTOR`.
        """
        if not (LEAST_FACTOR <= factor <= MOST_FACTOR or factor == math.inf):
            raise ValueError(
                f"speed factor {factor:g} is neither from {LEAST_FACTOR:g} to {MOST_FACTOR:g} nor infinity"
            )
        self._factor = factor
        self._period_ns = round(self._step_s * 1e9 / factor)
        self.restart(now_ns)

    def restart(self, now_ns: int) -> None:
        """Make the next step due at once."""
        self._due_ns = now_ns

    def wait_s(self, now_ns: int) -> float:
        """Return the time until the next step is due; 0 if it is due."""
        return max(self._due_ns - now_ns, 0) * 1e-9 if self._period_ns else 0.0

    def step(self, now_ns: int) -> None:
        """Record a step; late steps are caught up, unless there are too many."""
        self._due_ns += self._period_ns
        if self._period_ns and now_ns - self._due_ns > _MAX_LAG_STEPS * self._period_ns:
            self._due_ns = now_ns
            self.has_fallen_behind = True
