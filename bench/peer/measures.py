"""Speeds, turn rates, readings and event rates, computed from the robots' reports; time is that of the robots.

A robot's own time is the number of its `motor` events, 10 ms each: a simulation that falls behind real time
is not measured as slower. Only event rates are measured by the host's clock.
"""

import math
from collections.abc import Sequence
from itertools import dropwhile, takewhile

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.sensor_events import PROXIMITY_CALIBRATION
from bench.peer.recording import COUNTED, MOTOR_S, CourseSample

Array = NDArray[np.float64]

_CENTRE = 2  # the proximity sensor that faces straight ahead
_WALL_VISIBLE_RAW = (1400, 3700)  # from 13 cm to 4 cm; robots stop a little closer
_CYCLE = 3  # samples
_GRAY_RAW = 500  # of the ground sensors, halfway from black to white
_RISEN = 1.0 - math.exp(-1.0)  # share of a step that a first-order lag reaches after its time constant


def speed_mps(samples: Sequence[CourseSample]) -> float:
    """Return the speed at which a robot approached the wall, from the range of its middle sensor.

    The playground reads its sensors every 0.1 s, but moves its robots every 0.03 s: a reading is up to 0.03 s old.
    After 0.3 s it is equally old again, so only samples at multiples of 0.3 s are compared.

    Raises
    ------
    ValueError
        The wall was not detected for long enough.
    """
    facing = list(takewhile(_sees_wall, dropwhile(lambda sample: not _sees_wall(sample), samples)))
    stride = (len(facing) - 1) // _CYCLE * _CYCLE
    if stride <= 0:
        raise ValueError(f"the wall was detected {len(facing)} times")
    ranges_m = np.array([PROXIMITY_CALIBRATION.range_m(sample.proximity_raw[_CENTRE]) for sample in facing])
    times_s = np.array(_times_s(facing))
    return float(np.mean((ranges_m[:-stride] - ranges_m[stride:]) / (times_s[stride:] - times_s[:-stride])))


def turn_rate_radps(samples: Sequence[CourseSample]) -> float:
    """Return the turn rate of a robot above the edge of the black floor: its ground sensors cross it twice a turn.

    Raises
    ------
    ValueError
        A sensor has crossed the edge fewer than three times.
    """
    return float(np.mean([_sensor_turn_rate_radps(samples, sensor) for sensor in range(2)]))


def proximity_raw(samples: Sequence[CourseSample]) -> Array:
    """Return the mean reading of each of the seven sensors."""
    return np.mean([sample.proximity_raw for sample in samples], axis=0)


def rates_hz(samples: Sequence[CourseSample]) -> dict[str, float]:
    """Return the rate of each local event, by the host's clock."""
    stamps_s = [sample.stamp_ns * 1e-9 for sample in samples]
    counts = zip(*(sample.counts for sample in samples), strict=True)
    rates = {name: _slope(stamps_s, count) for name, count in zip(COUNTED, counts, strict=True)}
    return rates | {"prox": _slope(stamps_s, range(len(samples)))}


def rise_s(speeds_raw: Sequence[int], target_raw: int) -> float:
    """Return the time until a wheel reached 63 % of its target speed.

    Raises
    ------
    ValueError
        It did not reach that speed.
    """
    for ticks, speed_raw in enumerate(speeds_raw, 1):
        if speed_raw >= _RISEN * target_raw:
            return ticks * MOTOR_S
    raise ValueError(f"the wheel reached {max(speeds_raw, default=0)} of {target_raw} motor units")


def _sensor_turn_rate_radps(samples: Sequence[CourseSample], sensor: int) -> float:
    """Return the rate from the times at which one sensor crosses the edge, every half turn."""
    times_s = np.array(_times_s(samples))
    above = np.array([sample.ground_raw[sensor] - _GRAY_RAW for sample in samples], dtype=np.float64)
    before = np.flatnonzero((above[:-1] > 0.0) != (above[1:] > 0.0))
    if len(before) < 3:
        raise ValueError(f"ground sensor {sensor} has crossed the edge {len(before)} times")
    share = above[before] / (above[before] - above[before + 1])
    crossings_s = times_s[before] + share * (times_s[before + 1] - times_s[before])
    return math.pi * _slope(crossings_s.tolist(), range(len(crossings_s)))


def _sees_wall(sample: CourseSample) -> bool:
    return _WALL_VISIBLE_RAW[0] < sample.proximity_raw[_CENTRE] < _WALL_VISIBLE_RAW[1]


def _times_s(samples: Sequence[CourseSample]) -> list[float]:
    return [MOTOR_S * sample.counts[COUNTED.index("motor")] for sample in samples]


def _slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the slope of the best-fitting straight line."""
    return float(np.polyfit(np.array(x) - x[0], np.array(y), 1)[0])
