"""Measures whether kit and machine have enough processor time: without it, measured times mean nothing."""

import time
from pathlib import Path
from typing import Final

from thymio_base.texts.decimal_text import whole_number

_STAT: Final = Path("/proc/stat")
_PRESSURE: Final = Path("/proc/pressure/cpu")  # on Linux, unless disabled: Documentation/accounting/psi.rst
_PERIOD_S: Final = 0.3


def processor_wait_s() -> float:
    """Return the time since boot in which any program waited for a processor; 0 if Linux does not report it."""
    try:
        return 1e-6 * whole_number(_PRESSURE.read_text(encoding="ascii").partition("\n")[0].rpartition("total=")[2])
    except (OSError, ValueError):
        return 0.0


class LoadMeter:
    """Measures the kit's longest pause, the processors' idle share, and the share of time in which programs wait."""

    def __init__(self) -> None:
        self._last_s = self._since_s = time.monotonic()
        self._pause_s = 0.0
        self._times, self._wait_s = _times(), processor_wait_s()

    def passed(self, waited_s: float) -> None:
        """Record one pass of the loop, which should have waited at most `waited_s`."""
        now_s = time.monotonic()
        self._pause_s = max(self._pause_s, now_s - self._last_s - waited_s)
        self._last_s = now_s

    def reading(self) -> dict[str, float] | None:
        """Return the measurements since the previous reading; None if that was less than 0.3 s ago."""
        over_s = self._last_s - self._since_s
        if over_s < _PERIOD_S:
            return None
        times, wait_s = _times(), processor_wait_s()
        total, idle = times[0] - self._times[0], times[1] - self._times[1]
        found = {
            "over_s": over_s,
            "pause_s": self._pause_s,
            "idle": idle / total if total > 0 else 1.0,
            "pressure": (wait_s - self._wait_s) / over_s,
        }
        self._times, self._wait_s, self._since_s, self._pause_s = times, wait_s, self._last_s, 0.0
        return found

    def rest(self) -> None:
        """Restart after a time that must not count as a pause."""
        self._last_s = time.monotonic()


def _times() -> tuple[int, int]:
    """Return the processors' total and idle time in Linux's ticks; zeros on other systems."""
    try:
        fields = [whole_number(field) for field in _STAT.read_text(encoding="ascii").partition("\n")[0].split()[1:9]]
    except (OSError, ValueError):
        return 0, 0
    return sum(fields), fields[3] + fields[4]
