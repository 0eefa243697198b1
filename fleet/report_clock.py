"""When wheels were read that a robot's report tells of, which comes late by more or less."""

from typing import Final

_STRETCH: Final = 1.04  # a robot's clock may be slow by so much: a motor period of 10.24 ms counts as 10 ms
_DELAY_MAX_NS: Final = 100_000_000  # no more than this is taken off, however slow the robot's clock is


class ReportClock:
    """Tells the times of one robot's reports by its own clock, and by when they came.

    A report is never older than it looks, and comes, after the one before it, once the robot's clock has gone on by the
    duration that it tells. So of many reports those that were held up the least set the clock; what polling and radio
    add to the others is taken off.
    """

    def __init__(self) -> None:
        self._latest_ns: int | None = None

    def restart(self) -> None:
        """Forget the reports so far: the robot's clock began anew."""
        self._latest_ns = None

    def read_ns(self, duration_s: float, stamp_ns: int) -> int:
        """Return when the wheels were read of which a report came at `stamp_ns`, `duration_s` after the one before."""
        if self._latest_ns is not None:
            expected_ns = self._latest_ns + int(_STRETCH * duration_s * 1e9)
            stamp_ns = min(stamp_ns, max(expected_ns, stamp_ns - _DELAY_MAX_NS))
        self._latest_ns = stamp_ns
        return stamp_ns
