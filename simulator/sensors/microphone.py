"""Microphones: each reads the loudest source; loudness falls with the inverse of the distance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_RAW = 255  # the difference between the largest and smallest of 8 bit samples
REFERENCE_M = 0.1  # within this distance a source has its full loudness


@dataclass(frozen=True, slots=True)
class SoundConfig:
    """A source of noise."""

    x_m: float
    y_m: float
    loudness_raw: float


def readings_raw(positions_m: Array, sounds: Array, silence_raw: float) -> NDArray[np.int64]:
    """Return the reading of each robot's microphone; (n,) words.

    Parameters
    ----------
    positions_m
        (n, 2)
    sounds
        (s, 3), x and y in metres, loudness at 0.1 m
    silence_raw
        reading without sources
    """
    away = np.linalg.norm(positions_m[:, None, :] - sounds[:, :2], axis=2)
    loudness = sounds[:, 2] * REFERENCE_M / np.maximum(away, REFERENCE_M)
    heard_raw = np.clip(loudness.max(axis=1, initial=silence_raw), 0, MAX_RAW)
    return np.asarray(np.rint(heard_raw), dtype=np.int64)
