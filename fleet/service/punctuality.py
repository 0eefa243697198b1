"""Checks whether ticks start on time; detects late timers and ticks that take too long."""


class Punctuality:
    """Counts ticks and overruns: ticks that were skipped, or started over half a period late.

    Ticks are due one period apart; an early tick resets the due times of those after it.

    Parameters
    ----------
    period_s : time between two ticks
    """

    def __init__(self, period_s: float) -> None:
        self._period_ns = round(period_s * 1e9)
        self.due_ns = 0  # when the next tick is due; 0 before the first one
        self.ticks = 0
        self.overruns = 0
        self._slot = -1
        self._latest_ns = 0

    def on_tick(self, now_ns: int) -> int:
        """Note that a tick starts; return the number of its slot, counting slots without a tick."""
        due_ns = min(self.due_ns, now_ns) if self.ticks else now_ns
        missed, late_ns = divmod(now_ns - due_ns, self._period_ns)
        self._latest_ns = max(self._latest_ns, now_ns - due_ns)
        self.ticks += 1
        self.overruns += missed + (late_ns > self._period_ns // 2)
        self.due_ns = due_ns + (missed + 1) * self._period_ns
        self._slot += missed + 1
        return self._slot

    def pop_latest_ns(self) -> int:
        """Return the largest delay of a tick since the last call."""
        latest_ns, self._latest_ns = self._latest_ns, 0
        return latest_ns
