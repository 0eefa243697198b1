"""Estimates the charge of a battery by counting current, corrected by the voltage.

A Kalman filter with two states: the charge s, from 0 to 1, and the factor k by which this robot draws more than its
configured currents. Counting changes s by -k I dt / C. A voltage is compared with V(s) - R k I, where V is the curve of
`battery_cell`. The voltage errors of one battery are correlated, as its curve differs from the model's, so a voltage
that comes dt after the previous one only has the weight dt / _ALIKE_S of a single one. Several voltages at rest far
from the estimate indicate that the battery was replaced, or charged elsewhere: the estimate starts again.
"""

from typing import Final

from aseba_link.thymio.battery_cell import RESISTANCE_OHM, charge_at, open_voltage_v, voltage_slope_v
from fleet.settings.config import BatteryConfig

_HOUR_S: Final = 3600.0
_ALIKE_S: Final = 600.0
_NOISE_AT_REST_V: Final = 0.03
_NOISE_MOVING_V: Final = 0.06  # motors speed up and stall between two readings
_FAR_V: Final = 0.25  # beyond what a false current (0.14 V) and a battery off its curve (0.05 V) explain together
_FAR_COUNT: Final = 3  # consecutive voltages at rest that are this far off, before the estimate starts again
_COUNTED_VARIANCE: Final = 0.03**2  # of the charge, after counting one whole charge
_FACTOR_VARIANCE: Final = 0.2**2  # of the factor at the start
_FACTOR_DRIFT: Final = 0.1**2  # what counting one whole charge adds to it
_CHARGING_ODDS: Final = 1.0  # a robot in a charger is charged, unless the voltage speaks this much against it


class ChargeEstimator:
    """The charge of one battery.

    Parameters
    ----------
    config : capacity, and the currents of the robot and its charger

    Attributes
    ----------
    charge : from 0 to 1; 0.5 before the first voltage
    factor : ratio of the robot's consumption to the configured one
    """

    def __init__(self, config: BatteryConfig) -> None:
        self.charge = 0.5
        self.factor = 1.0
        self._capacity_as: Final = config.capacity_ah * _HOUR_S
        self._charging_a: Final = config.charging_a
        self._variance: float | None = None  # of the charge; None before the first voltage
        self._covariance = 0.0
        self._factor_variance = _FACTOR_VARIANCE
        self._far_count = 0  # of the latest voltages at rest, those that are far off

    @property
    def is_known(self) -> bool:
        """Whether a voltage has been measured."""
        return self._variance is not None

    def count_drawn(self, drawn_as: float) -> None:
        """Count what the robot draws, according to the configured currents [A s]."""
        share = drawn_as / self._capacity_as
        self._move(-self.factor * share)
        if self._variance is not None:
            self._variance += share * (share * self._factor_variance - 2.0 * self._covariance)
            self._covariance -= share * self._factor_variance
            self._factor_variance += _FACTOR_DRIFT * share

    def count_charged(self, duration_s: float) -> None:
        """Count what a charger supplies."""
        self._move(self._charging_a * duration_s / self._capacity_as)

    def is_charged(self, volts: float, drawn_a: float) -> bool:
        """Return whether a robot in a charger is charged, by its voltage; `drawn_a` is its consumption otherwise."""
        if self._variance is None:
            return True
        open_v, slope_v = open_voltage_v(self.charge), voltage_slope_v(self.charge)
        variance = slope_v * slope_v * self._variance + _NOISE_AT_REST_V * _NOISE_AT_REST_V
        if_charged_v = volts - open_v - RESISTANCE_OHM * self._charging_a
        if_not_v = volts - open_v + RESISTANCE_OHM * self.factor * drawn_a
        return if_charged_v * if_charged_v - if_not_v * if_not_v < 2.0 * _CHARGING_ODDS * variance

    def correct(self, volts: float, drawn_a: float, elapsed_s: float, *, is_charged: bool, is_moving: bool) -> None:
        """Correct the charge by a voltage.

        Parameters
        ----------
        volts
            the voltage under load
        drawn_a
            current consumption of the robot, according to the configured currents
        elapsed_s
            time since the previous voltage; ignored for the first one
        is_charged, is_moving
            whether a charger feeds the battery, and whether the wheels turn
        """
        drop_v = -RESISTANCE_OHM * self._charging_a if is_charged else RESISTANCE_OHM * self.factor * drawn_a
        noise_v = _NOISE_MOVING_V if is_moving else _NOISE_AT_REST_V
        surprise_v = volts - (open_voltage_v(self.charge) - drop_v)
        if not is_moving:
            self._far_count = self._far_count + 1 if abs(surprise_v) > _FAR_V else 0
        if self._variance is None or self._far_count >= _FAR_COUNT:
            self._start(volts + drop_v, noise_v)
            return
        by_charge = voltage_slope_v(self.charge)
        by_factor = 0.0 if is_charged else -RESISTANCE_OHM * drawn_a
        noise = noise_v * noise_v * max(1.0, _ALIKE_S / max(elapsed_s, 1e-3))
        of_charge = by_charge * self._variance + by_factor * self._covariance
        of_factor = by_charge * self._covariance + by_factor * self._factor_variance
        whole = by_charge * of_charge + by_factor * of_factor + noise
        self.charge = min(max(self.charge + of_charge / whole * surprise_v, 0.0), 1.0)
        self.factor = min(max(self.factor + of_factor / whole * surprise_v, 0.5), 2.0)
        self._variance -= of_charge * of_charge / whole
        self._covariance -= of_charge * of_factor / whole
        self._factor_variance -= of_factor * of_factor / whole

    def _start(self, open_v: float, noise_v: float) -> None:
        """Determine the charge from a voltage alone."""
        self.charge = charge_at(open_v)
        self._variance = (noise_v / voltage_slope_v(self.charge)) ** 2
        self._covariance = 0.0
        self._far_count = 0

    def _move(self, counted: float) -> None:
        self.charge = min(max(self.charge + counted, 0.0), 1.0)
        if self._variance is not None:
            self._variance += _COUNTED_VARIANCE * abs(counted)
