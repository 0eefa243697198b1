"""Times the steps of the server's loop: twenty a second, each soon after a driver has published poses."""

import math
from typing import Final

STEP_S: Final = 0.05  # the period of drivers' ticks, too, unless they are configured otherwise
_WAIT_S: Final = 0.02  # how long poses should have waited: twice a second, those of 100 robots come 10 ms late
_GAIN: Final = 0.1  # the share of a wrong wait that one step corrects


class StepTimes:
    """Follows the ticks of a driver, as a loop that is locked to their phase; free while no poses arrive.

    Poses that arrive just after a step would wait for the whole period. Of several drivers with other phases the steps
    follow none, and waits vary.

    Parameters
    ----------
    start_s : when the first step is made, by the clock of `pause_s`
    """

    def __init__(self, start_s: float) -> None:
        self._next_s = start_s

    def pause_s(self, now_s: float, waited_s: float | None) -> float:
        """Return how long to wait until the next step; after a long step nothing is made up for.

        Parameters
        ----------
        now_s
            the time after a step
        waited_s
            how long poses had waited when the step took them; None without new ones
        """
        late_s = 0.0 if waited_s is None else math.remainder(waited_s - _WAIT_S, STEP_S)
        self._next_s = max(self._next_s + STEP_S - _GAIN * late_s, now_s)
        return self._next_s - now_s
