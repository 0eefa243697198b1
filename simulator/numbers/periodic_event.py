"""An event that recurs at a rate, on the simulation's clock."""

import math

_EARLY = 1e-9  # periods; exceeds the rounding error of a sum of steps


class PeriodicEvent:
    """Determines when a periodic event is due; the clock may be set back."""

    def __init__(self, rate_hz: float) -> None:
        self._rate_hz = rate_hz
        self._count = 0

    def is_due(self, time_s: float) -> bool:
        """Whether the event is due; must be called at least once per period, with the simulation's time."""
        count = math.floor(time_s * self._rate_hz + _EARLY)
        is_due = count != self._count
        self._count = count
        return is_due
