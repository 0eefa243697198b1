"""Schedules the steps of the server's loop: twenty a second, each soon after a driver has published poses."""

import math
from typing import Final

STEP_S: Final = 0.05  # also the default period of drivers' ticks
_WAIT_S: Final = 0.02  # how long poses should have waited: twice a second, those of 100 robots come 10 ms late
_GAIN: Final = 0.1  # share of the timing error corrected in each step


class StepTimes:
    """A phase-locked loop that follows a driver's ticks; it runs free while no poses arrive.

    Poses that arrive just after a step would wait for the whole period. With several drivers of different phases the
    steps follow none, and waits vary.

    Parameters
    ----------
    start_s : time of the first step, on the clock of `pause_s`
    """

    def __init__(self, start_s: float) -> None:
        self._next_s = start_s

    def pause_s(self, now_s: float, waited_s: float | None) -> float:
        """Return the time until the next step [s]; a long step is not made up for.

        Parameters
        ----------
        now_s
            the time after a step
        waited_s
            how long poses had waited when the step took them; None without new poses
        """
        late_s = 0.0 if waited_s is None else math.remainder(waited_s - _WAIT_S, STEP_S)
        self._next_s = max(self._next_s + STEP_S - _GAIN * late_s, now_s)
        return self._next_s - now_s
