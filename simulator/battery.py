"""Batteries: one lithium-polymer cell each, discharged by what a robot does, charged where a charger is.

The open circuit's voltage over the charge s is that of M. Chen and G. A. Rincon-Mora, "Accurate electrical battery
model capable of predicting runtime and I-V performance", IEEE Transactions on Energy Conversion 21 (2), 2006, for a
polymer lithium-ion cell: -1.031 exp(-35 s) + 3.685 + 0.2156 s - 0.1178 s^2 + 0.3201 s^3. So is the resistance, the
sum of its three parts above a fifth of the charge.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio import BATTERY_COUNTS_PER_VOLT, MAX_SPEED_RAW

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

RESISTANCE_OHM = 0.171
_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class BatteryConfig:
    """What robots draw from their batteries; world.schema.json says more."""

    capacity_ah: float = 1.5
    resting_a: float = 0.3
    driving_a: float = 0.2
    stalled_a: float = 0.8
    charging_a: float = 0.5
    charge: float = 1.0


@dataclass(frozen=True, slots=True)
class ChargerConfig:
    """A place where robots are charged: a rectangle along x and y, about (x, y)."""

    x_m: float
    y_m: float
    length_m: float = 0.2
    width_m: float = 0.2


def open_voltage_v(charge: Array) -> Array:
    """Return the voltage without load, for charges from 0 to 1."""
    polynomial = 3.685 + charge * (0.2156 + charge * (-0.1178 + charge * 0.3201))
    voltage: Array = polynomial - 1.031 * np.exp(-35.0 * charge)
    return voltage


class Batteries:
    """The batteries of all robots; `charge` is (n,), from 0 to 1."""

    def __init__(self, config: BatteryConfig, chargers: tuple[ChargerConfig, ...], charge: Array) -> None:
        self._config = config
        self.charge = charge
        self._current_a: Array = np.zeros(len(charge))  # positive discharges
        zones = [(zone.x_m, zone.y_m, 0.5 * zone.length_m, 0.5 * zone.width_m) for zone in chargers]
        self._zones: Array = np.array(zones, dtype=float).reshape(-1, 4)

    def append(self, charge: float) -> None:
        """Add the battery of one robot."""
        self.charge = np.append(self.charge, charge)
        self._current_a = np.append(self._current_a, 0.0)

    def remove(self, robot: int) -> None:
        """Take away the battery of one robot."""
        self.charge = np.delete(self.charge, robot)
        self._current_a = np.delete(self._current_a, robot)

    def is_charging(self, positions_m: Array) -> NDArray[np.bool_]:
        """Return which robots stand with their axle's middle in a charger; (n, 2) to (n,)."""
        away = np.abs(positions_m[:, None, :] - self._zones[:, :2])
        inside: NDArray[np.bool_] = (away <= self._zones[:, 2:]).all(axis=2).any(axis=1)
        return inside

    def step(self, dt_s: float, targets_raw: Counts, speeds_raw: Counts, positions_m: Array) -> None:
        """Let time pass.

        Motors draw in proportion to how fast they shall turn, and to how far they stay behind it, as a stalled motor
        draws the most.
        """
        config = self._config
        wanted = np.minimum(np.abs(targets_raw), MAX_SPEED_RAW)
        missing = np.maximum(wanted - np.abs(speeds_raw), 0)
        drive_a = config.driving_a * _mean(wanted) + (config.stalled_a - config.driving_a) * _mean(missing)
        self._current_a = config.resting_a + drive_a / MAX_SPEED_RAW
        if len(self._zones):
            self._current_a[self.is_charging(positions_m)] = -config.charging_a
        charge = self.charge - self._current_a * dt_s / (_HOUR_S * config.capacity_ah)
        self.charge = np.minimum(np.maximum(charge, 0.0), 1.0)

    def volts(self) -> Array:
        """Return the voltage under the present load; (n,)."""
        voltage: Array = open_voltage_v(self.charge) - RESISTANCE_OHM * self._current_a
        return voltage

    def readings_raw(self) -> Counts:
        """Return each of the two equal words of `_vbat`; (n,)."""
        return np.rint(0.5 * BATTERY_COUNTS_PER_VOLT * self.volts()).astype(np.int64)


def _mean(words: Counts) -> Array:
    """Return the mean of left and right; (n, 2) to (n,)."""
    mean: Array = np.multiply(words[:, 0] + words[:, 1], 0.5)
    return mean
