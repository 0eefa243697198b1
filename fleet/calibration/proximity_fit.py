"""Fits a proximity sensor's reading to the distance of an obstacle.

The reading at distance d is m (c - x0^2) / (d^2 - 2 x0 d + c) (see `ProximityCalibration`). Its inverse is a parabola
A d^2 + B d + C, so a linear least-squares problem gives x0 = -B / 2A, c = C / A and m = 1 / A (c - x0^2).
"""

import math

import numpy as np
from numpy.typing import NDArray

from aseba_link.errors import InvalidValueError
from aseba_link.thymio.sensor_events import PROXIMITY_CALIBRATION, ProximityCalibration
from fleet.errors import CalibrationError

Array = NDArray[np.float64]

_MIN_SAMPLES = 20
_UNFIT = "its readings do not fall with the distance to the wall"
_SATURATED = 0.942  # of max_raw: above it, readings hardly depend on distance; ros-thymio's 0.0215 m in Enki's model
_MILLIMETRE = 0.001


def fit_proximity(distances_m: Array, readings_raw: Array) -> tuple[ProximityCalibration, float]:
    """Return the calibration that fits best, and the root mean square error of its ranges in metres.

    Parameters
    ----------
    distances_m
        (n,) distances of the obstacle, along the sensor's axis
    readings_raw
        (n,) readings of the sensor; 0 means no detection

    Raises
    ------
    CalibrationError
        The sensor detected the obstacle too rarely, or its readings do not fall with the distance.
    """
    is_detected = readings_raw > 0
    if np.count_nonzero(is_detected) < _MIN_SAMPLES:
        raise CalibrationError(
            f"it detected the wall in {np.count_nonzero(is_detected)} readings, {_MIN_SAMPLES} are needed"
        )
    distances_m, readings_raw = distances_m[is_detected], readings_raw[is_detected].astype(float)
    x0_m, c_m2, max_raw = _solve(distances_m, readings_raw)
    farthest_m = math.floor(float(distances_m.max()) / _MILLIMETRE) * _MILLIMETRE
    try:
        model = ProximityCalibration(max_raw, x0_m, c_m2, 0.0, farthest_m, PROXIMITY_CALIBRATION.fov_rad)
        nearest_m = max(0.0, model.range_m(round(_SATURATED * max_raw)))
        if not math.isfinite(nearest_m):
            raise CalibrationError(_UNFIT)
        fit = ProximityCalibration(max_raw, x0_m, c_m2, nearest_m, farthest_m, PROXIMITY_CALIBRATION.fov_rad)
    except InvalidValueError as error:
        raise CalibrationError(str(error)) from error
    errors_m = np.array([model.range_m(round(reading)) for reading in readings_raw.tolist()]) - distances_m
    inside = np.isfinite(errors_m) & (distances_m >= nearest_m)
    if not inside.any():
        raise CalibrationError("no reading gives a distance")
    return fit, math.sqrt(float(np.mean(errors_m[inside] ** 2)))


def readings(calibration: ProximityCalibration, distances_m: Array) -> Array:
    """Return a sensor's readings at given distances, in raw units."""
    m, x0_m, c_m2 = calibration.max_raw, calibration.x0_m, calibration.c_m2
    values: Array = m * (c_m2 - x0_m**2) / (distances_m**2 - 2.0 * x0_m * distances_m + c_m2)
    return values


def _solve(distances_m: Array, readings_raw: Array) -> tuple[float, float, float]:
    """Return x0, c and m; x0 is 0 if the readings would make it negative."""
    weights = readings_raw**2  # an error e of a reading r is an error e / r^2 of its inverse
    powers = np.column_stack((distances_m**2, distances_m, np.ones_like(distances_m)))
    a, b, c = _weighted(powers, weights, 1.0 / readings_raw)
    if b > 0.0:
        (a, c), b = _weighted(powers[:, [0, 2]], weights, 1.0 / readings_raw), -0.0
    if a <= 0.0 or 4.0 * a * c <= b * b:
        raise CalibrationError(_UNFIT)
    x0_m, c_m2 = -0.5 * b / a, c / a
    return x0_m, c_m2, 1.0 / (a * (c_m2 - x0_m**2))


def _weighted(powers: Array, weights: Array, inverses: Array) -> list[float]:
    solution, _, _, _ = np.linalg.lstsq(powers * weights[:, None], inverses * weights, rcond=None)
    numbers: list[float] = solution.tolist()
    return numbers
