"""Whether ticks begin when they are due: what a timer that is late, or a tick that takes too long, shows as."""


class Punctuality:
    """Counts ticks, and those that overran: that began more than half a period after they were due, or not at all.

    Ticks are due a period after each other; one that comes earlier than that sets the time for those after it.

    Parameters
    ----------
    period_s : from one tick to the next
    """

    def __init__(self, period_s: float) -> None:
        self._period_ns = round(period_s * 1e9)
        self._due_ns: int | None = None
        self.ticks = 0
        self.overruns = 0
        self._slot = -1

    def on_tick(self, now_ns: int) -> int:
        """Note that a tick begins; return the number of the slot that it is for, counting those that had none."""
        due_ns = now_ns if self._due_ns is None else min(self._due_ns, now_ns)
        missed, late_ns = divmod(now_ns - due_ns, self._period_ns)
        self.ticks += 1
        self.overruns += missed + (late_ns > self._period_ns // 2)
        self._due_ns = due_ns + (missed + 1) * self._period_ns
        self._slot += missed + 1
        return self._slot
