"""Things that happen again and again, at a rate, on the simulation's clock."""

import math

_EARLY = 1e-9  # sums of steps may be smaller than their number times the step by so many periods


class Regular:
    """Tells when something that happens at a rate is due again; the clock may be set back."""

    def __init__(self, rate_hz: float) -> None:
        self._rate_hz = rate_hz
        self._count = 0

    def comes(self, time_s: float) -> bool:
        """Whether it is due; asked at least once a period, with the simulation's time."""
        count = math.floor(time_s * self._rate_hz + _EARLY)
        is_due = count != self._count
        self._count = count
        return is_due
