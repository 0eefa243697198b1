"""Fits the motors' lag to the wheel counts, timed by the robot's own clock, of wheels that turn in the air."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.events import SPEED_UNIT_MPS
from experiments.twin.least_squares import Array, Unknowns, solved
from experiments.twin.motion_fit import wheel_travel
from simulator.firmware.peripherals import TICK_S
from simulator.physics.wheels import MotorsConfig

_LINEAR_RAW: Final = 350  # largest target that motors surely reach
_AFTER_S: Final = 1.0  # duration of the effect after a larger target
_FEWEST: Final = 40
_RETRIES, _OUTLIER = 2, 5.0
_LONGEST_S: Final = 600.0
_UNKNOWNS: Final = Unknowns(  # time constant, delay, speeds of both motors relative to their targets
    start=np.array([0.1, 0.02, 1.0, 1.0]),
    differences=np.array([5e-3, 5e-3, 1e-3, 1e-3]),
    priors=np.array([0.3, 0.3, 0.3, 0.3]),
    least=np.array([0.0, -0.5, 0.0, 0.0]),
    most=np.array([1.0, 1.0, 1.5, 1.5]),
)


@dataclass(frozen=True, slots=True)
class LagFit:
    """The motors' time constant and gains (speeds relative to targets), with standard deviations."""

    time_constant_s: float
    deviation_s: float
    motor_gains: tuple[float, float]
    gain_deviations: tuple[float, float]


def fit_lag(
    commands: Sequence[Sequence[float]], wheels: Sequence[Sequence[float]], dead_band_raw: int
) -> LagFit | None:
    """Return the best fit of the lag; None if reports are too few or invalid, or the robot's clock restarted.

    Parameters
    ----------
    commands
        seconds, left and right target, shape (n, 3)
    wheels
        seconds, ticks of the robot's clock, and the left and right wheel's speeds summed over ticks, shape (m, 4)
    dead_band_raw
        target below which wheels do not turn
    """
    targets, reports = np.array(commands, dtype=float).reshape(-1, 3), np.array(wheels, dtype=float).reshape(-1, 4)
    if len(reports) < _FEWEST or not targets[:, 1:].any() or np.any(np.diff(reports[:, 1]) < 0.0):
        return None
    if not (np.all(np.isfinite(targets)) and np.all(np.isfinite(reports))) or np.ptp(reports[:, 0]) > _LONGEST_S:
        return None
    period_s, first_s = np.polyfit(reports[:, 1], reports[:, 0], 1)
    times_s = first_s + period_s * reports[:, 1]  # from the robot's clock, without the jitter of messages
    start_s = min(float(targets[0, 0]), float(times_s[0])) - 1.0
    steps = round((float(times_s[-1]) + 1.0 - start_s) / TICK_S)
    grid_s = start_s + TICK_S * np.arange(steps + 1)
    counted = np.diff(reports[:, 2:], axis=0)
    ticks = np.diff(reports[:, 1])
    if period_s <= 0.0 or abs(targets[:, 0] - times_s[0]).max() > _LONGEST_S:
        return None
    usable = (ticks > 0) & ~_is_fast(targets, times_s)[1:]
    if usable.sum() < _FEWEST:
        return None
    noises = _noise(counted[usable] / ticks[usable, None]) * np.sqrt(ticks)
    noise = noises[usable]
    travels: dict[float, Array] = {}

    def residuals(numbers: Array) -> Array:
        constant_s = float(numbers[0])
        if constant_s not in travels:
            config = MotorsConfig(constant_s, 0.0, dead_band_raw, 0.0, 0.2, 0.0, stalls=False)
            rolled = np.cumsum(wheel_travel(config, targets, start_s, steps), axis=0) / (SPEED_UNIT_MPS * period_s)
            travels[constant_s] = np.vstack(([0.0, 0.0], rolled))
        rows = []
        for wheel in (0, 1):
            sums = np.interp(times_s - numbers[1], grid_s, travels[constant_s][:, wheel])
            rows.append(((numbers[2 + wheel] * np.diff(sums) - counted[:, wheel])[usable]) / noise)
        return np.concatenate(rows)

    solution = solved(residuals, _UNKNOWNS)
    for _ in range(_RETRIES):  # a lost command is repeated after 0.1 s, so the motion until then fits no model
        off = abs(solution.residuals.reshape(2, -1)).max(axis=0)
        usable[np.flatnonzero(usable)[off > _OUTLIER * max(1.0, 1.5 * float(np.median(off)))]] = False
        noise = noises[usable]
        solution = solved(residuals, _UNKNOWNS)
    deviations = np.sqrt(solution.white_variances)
    return LagFit(
        float(solution.numbers[0]),
        float(deviations[0]),
        (float(solution.numbers[2]), float(solution.numbers[3])),
        (float(deviations[2]), float(deviations[3])),
    )


def _is_fast(targets: Array, times_s: Array) -> NDArray[np.bool_]:
    """Return whether each instant is within a period in which a motor may not reach its target."""
    is_fast = np.zeros(len(times_s), dtype=bool)
    ends_s = np.append(targets[1:, 0], times_s[-1])
    for (start_s, *target), end_s in zip(targets, ends_s, strict=True):
        if max(map(abs, target)) > _LINEAR_RAW:
            is_fast |= (times_s > start_s - 0.1) & (times_s < end_s + _AFTER_S)
    return is_fast


def _noise(speeds: Array) -> float:
    """Return the standard deviation of a mean speed, from differences of neighbours; at least that of rounding."""
    differences = np.diff(speeds, axis=0)
    return max(math.sqrt(float(np.median(differences**2)) / 2.0 / 0.455), 0.3)  # 0.455: median of chi-squared, 1 dof
