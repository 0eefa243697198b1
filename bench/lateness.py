"""How late messages come that are due at a fixed rate, and how to sum up many such numbers."""

import math
from collections.abc import Sequence

import numpy as np


def lateness_s(arrivals_s: Sequence[float], period_s: float) -> list[float]:
    """Return by how much each message came after it was due.

    Message k is due at `phase + k period`, with the one phase for which no message comes early; so whatever delays a
    message counts, unless it delays every one alike. A message that stays away counts as one that is a period late, and
    the next one is due after it.
    """
    slots, missed, slot = [], 0, 0
    for number, arrival_s in enumerate(arrivals_s):
        if number:
            skipped = math.floor((arrival_s - arrivals_s[0]) / period_s - slot - 0.5)
            missed += max(skipped, 0)
            slot += 1 + max(skipped, 0)
        slots.append(slot)
    offsets_s = [arrival_s - slot * period_s for arrival_s, slot in zip(arrivals_s, slots, strict=True)]
    phase_s = min(offsets_s, default=0.0)
    return [offset_s - phase_s for offset_s in offsets_s] + [period_s] * missed


def percentile_ms(durations_s: Sequence[float], percent: float) -> float:
    """Return a percentile in milliseconds, NaN of nothing."""
    return 1000.0 * float(np.percentile(durations_s, percent)) if durations_s else math.nan
