"""Recurring events at a rate, on the simulation's clock."""

import math

_EARLY = 1e-9  # in periods: sums of steps may be smaller than their number times the step by this


class Regular:
    """Reports when an event with a rate is due again; the clock may be set back."""

    def __init__(self, rate_hz: float) -> None:
        self._rate_hz = rate_hz
        self._count = 0

    def is_due(self, time_s: float) -> bool:
        """Whether it is due; must be called at least once a period, with the simulation's time."""
        count = math.floor(time_s * self._rate_hz + _EARLY)
        is_due = count != self._count
        self._count = count
        return is_due
