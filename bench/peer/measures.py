"""Speeds, turn rates, readings and event rates, computed from what robots told; time is that of the robots.

A robot's own time is the number of its `motor` events, 10 ms each: a simulation that falls behind the clock on the
wall is not slower for that. Only event rates are taken against the host's clock.
"""

import math
from collections.abc import Sequence
from itertools import dropwhile, takewhile

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio_sensors import PROXIMITY_CALIBRATION
from bench.peer.recording import COUNTED, Sample

Array = NDArray[np.float64]

MOTOR_S = 0.01  # from one motor event to the next
_CENTRE = 2  # the proximity sensor that looks straight ahead
_SEEN_RAW = (1400, 3700)  # from 13 cm to 4 cm; a little nearer they stop
_CYCLE = 3  # samples
_GRAY_RAW = 500  # of the ground sensors, halfway from black to white
_RISEN = 1.0 - math.exp(-1.0)  # of a step: what a first-order lag reaches after its time constant


def speed_mps(samples: Sequence[Sample]) -> float:
    """Return the speed at which a robot came near to the wall, from the range that its middle sensor sees.

    The playground reads its sensors every 0.1 s, but moves its robots every 0.03 s: what is read is up to 0.03 s old.
    After 0.3 s it is equally old again, so only samples that are so far apart, or a multiple, are compared.

    Raises
    ------
    ValueError
        The wall was not seen for long enough.
    """
    seen = list(takewhile(_sees_wall, dropwhile(lambda sample: not _sees_wall(sample), samples)))
    stride = (len(seen) - 1) // _CYCLE * _CYCLE
    if stride <= 0:
        raise ValueError(f"the wall was seen {len(seen)} times")
    ranges_m = np.array([PROXIMITY_CALIBRATION.range_m(sample.proximity_raw[_CENTRE]) for sample in seen])
    times_s = np.array(_times_s(seen))
    return float(np.mean((ranges_m[:-stride] - ranges_m[stride:]) / (times_s[stride:] - times_s[:-stride])))


def turn_rate_radps(samples: Sequence[Sample]) -> float:
    """Return how fast a robot turns above the edge of the black floor: its ground sensors cross it twice a turn.

    Raises
    ------
    ValueError
        A sensor has crossed the edge less than three times.
    """
    return float(np.mean([_sensor_turn_rate_radps(samples, sensor) for sensor in range(2)]))


def proximity_raw(samples: Sequence[Sample]) -> Array:
    """Return the mean of what each of the seven sensors read."""
    return np.mean([sample.proximity_raw for sample in samples], axis=0)


def rates_hz(samples: Sequence[Sample]) -> dict[str, float]:
    """Return how often each local event came, by the host's clock."""
    stamps_s = [sample.stamp_ns * 1e-9 for sample in samples]
    counts = zip(*(sample.counts for sample in samples), strict=True)
    rates = {name: _slope(stamps_s, count) for name, count in zip(COUNTED, counts, strict=True)}
    return rates | {"prox": _slope(stamps_s, range(len(samples)))}


def rise_s(speeds_raw: Sequence[int], target_raw: int) -> float:
    """Return after how long a wheel had 63 % of the speed that it was told.

    Raises
    ------
    ValueError
        It did not come to that speed.
    """
    for ticks, speed_raw in enumerate(speeds_raw, 1):
        if speed_raw >= _RISEN * target_raw:
            return ticks * MOTOR_S
    raise ValueError(f"the wheel came to {max(speeds_raw, default=0)} of {target_raw} motor units")


def _sensor_turn_rate_radps(samples: Sequence[Sample], sensor: int) -> float:
    """Return the rate from the times at which one sensor crosses the edge, half a turn from one to the next."""
    times_s = np.array(_times_s(samples))
    above = np.array([sample.ground_raw[sensor] - _GRAY_RAW for sample in samples], dtype=np.float64)
    before = np.flatnonzero((above[:-1] > 0.0) != (above[1:] > 0.0))
    if len(before) < 3:
        raise ValueError(f"ground sensor {sensor} has crossed the edge {len(before)} times")
    share = above[before] / (above[before] - above[before + 1])
    crossings_s = times_s[before] + share * (times_s[before + 1] - times_s[before])
    return math.pi * _slope(crossings_s.tolist(), range(len(crossings_s)))


def _sees_wall(sample: Sample) -> bool:
    return _SEEN_RAW[0] < sample.proximity_raw[_CENTRE] < _SEEN_RAW[1]


def _times_s(samples: Sequence[Sample]) -> list[float]:
    return [MOTOR_S * sample.counts[COUNTED.index("motor")] for sample in samples]


def _slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the slope of the straight line that fits best."""
    return float(np.polyfit(np.array(x) - x[0], np.array(y), 1)[0])
