"""Estimates when a report's wheel readings were taken; reports are delayed by varying amounts."""

from typing import Final

_STRETCH: Final = 1.04  # a robot's clock may be this slow: it counts a motor period of 10.24 ms as 10 ms
_DELAY_MAX_NS: Final = 100_000_000  # no more than this is subtracted, however slow the robot's clock is


class ReportClock:
    """Dates one robot's reports by its own clock and by their arrival times.

    A reading is never later than its report's arrival, and follows the previous reading by the duration that the report
    states on the robot's clock. The least delayed reports thus set the clock, and the additional delay of the others,
    due to polling and radio, is subtracted.
    """

    def __init__(self) -> None:
        self._latest_ns: int | None = None

    def restart(self) -> None:
        """Forget the reports so far: the robot's clock has restarted."""
        self._latest_ns = None

    def read_ns(self, duration_s: float, stamp_ns: int) -> int:
        """Return the time of the wheel readings in a report at `stamp_ns`, `duration_s` after the previous one."""
        if self._latest_ns is not None:
            expected_ns = self._latest_ns + int(_STRETCH * duration_s * 1e9)
            stamp_ns = min(stamp_ns, max(expected_ns, stamp_ns - _DELAY_MAX_NS))
        self._latest_ns = stamp_ns
        return stamp_ns
