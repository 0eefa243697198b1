"""The lateness of messages that are due at a fixed rate, and percentiles."""

import math
from collections.abc import Sequence

import numpy as np

_EARLY = 0.25  # of a period


def lateness_s(arrivals_s: Sequence[float], period_s: float) -> list[float]:
    """Return the lateness of each message.

    Messages are due at `phase + k period`; the phase is that of the arrival for which the total lateness
    is smallest. Messages are matched in order of arrival, each to its latest possible due time; a message
    up to a quarter of a period early is not late. A missing message counts as a period late.
    """
    if not arrivals_s:
        return []
    phase_s = _phase_s(arrivals_s, period_s)
    late_s, missed, next_slot = [], 0, math.inf
    for arrival_s in reversed(arrivals_s):
        latest = math.floor((arrival_s - phase_s) / period_s + _EARLY)
        slot = min(latest, next_slot - 1)
        missed += 0 if next_slot == math.inf else int(next_slot - 1 - slot)
        late_s.append(max(0.0, arrival_s - phase_s - slot * period_s))
        next_slot = slot
    return late_s[::-1] + [period_s] * missed


def _phase_s(arrivals_s: Sequence[float], period_s: float) -> float:
    start_s = arrivals_s[0]
    parts = sorted((arrival_s - start_s) % period_s for arrival_s in arrivals_s)
    whole = sum(parts)
    # arrivals before the phase within a period are late from the period before
    total_s = [whole - len(parts) * part + period_s * before for before, part in enumerate(parts)]
    return start_s + parts[total_s.index(min(total_s))]


def percentile_ms(durations_s: Sequence[float], percent: float) -> float:
    """Return a percentile in milliseconds, NaN for no values."""
    return 1000.0 * float(np.percentile(durations_s, percent)) if durations_s else math.nan
