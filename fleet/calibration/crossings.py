"""Finds where a robot's ground sensors crossed dark lines, in counts of its wheels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fleet.errors import CalibrationError

Array = NDArray[np.float64]

_MIN_CONTRAST_RAW = 200  # between line and floor; a black line on white has some 860
_DARK, _LIGHT = 0.35, 0.65  # of the contrast: darker is on a line, lighter is beside it


@dataclass(frozen=True, slots=True)
class Crossing:
    """The wheels' counts when a sensor is above the middle of a line."""

    left_counts: float
    right_counts: float


def crossings(light_raw: Sequence[int], counts: Array) -> list[Crossing]:
    """Return the lines that one ground sensor crossed, in order, without a line on which it started or ended.

    A line's middle is the centroid of its darkness, from the last sample on the floor before it to the first after it.

    Parameters
    ----------
    light_raw
        (n,) readings of the sensor during the move
    counts
        (n, 2) counts of left and right wheel at each reading

    Raises
    ------
    CalibrationError
        Nothing was much darker than the rest.
    """
    light = np.array(light_raw, dtype=float)
    low, high = (float(light.min()), float(light.max())) if len(light) else (0.0, 0.0)
    if high - low < _MIN_CONTRAST_RAW:
        raise CalibrationError(f"a ground sensor saw no dark line: it read {low:.0f} to {high:.0f}")
    brightness = (light - low) / (high - low)
    return [_middle(counts[start : end + 1], brightness[start : end + 1]) for start, end in _dips(brightness)]


def _dips(brightness: Array) -> list[tuple[int, int]]:
    """Return, for each line, the indices of the last sample on the floor before it and of the first after it."""
    found = []
    floor: int | None = None
    is_dark = False
    for index, value in enumerate(brightness.tolist()):
        if value >= _LIGHT:
            if is_dark and floor is not None:
                found.append((floor, index))
            floor, is_dark = index, False
        elif value <= _DARK:
            is_dark = True
    return found


def _middle(counts: Array, brightness: Array) -> Crossing:
    darkness = 1.0 - np.minimum(brightness, 1.0)
    left, right = (darkness @ counts / darkness.sum()).tolist()
    return Crossing(left, right)
