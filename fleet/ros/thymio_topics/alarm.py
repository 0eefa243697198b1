"""An alarm: a beep at once, then repeated beeps until it is switched off."""

PERIOD_S = 3.0  # as in ros-thymio


class Alarm:
    """Decides when one robot beeps."""

    def __init__(self) -> None:
        self._is_on = False
        self._beeped_ns: int | None = None

    def switch(self, is_on: bool) -> None:
        """Switch the alarm on or off; switching it on again changes nothing."""
        if not is_on:
            self._beeped_ns = None
        self._is_on = is_on

    def beeps(self, now_ns: int) -> bool:
        """Return whether it is time for a beep, which then counts as done."""
        if not self._is_on:
            return False
        if self._beeped_ns is not None and (now_ns - self._beeped_ns) * 1e-9 < PERIOD_S:
            return False
        self._beeped_ns = now_ns
        return True
