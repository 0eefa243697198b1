"""A robot's battery: its level by voltage, its charge, and the robot's consumption."""

import math
from enum import Enum
from typing import Final

from aseba_link.thymio.events import MAX_SPEED_RAW, SPEED_UNIT_MPS
from fleet.robots.charge_estimator import ChargeEstimator
from fleet.settings.config import BatteryConfig

_FILTER_S = 10.0  # driving lowers the voltage briefly
_HYSTERESIS_V = 0.05
_TOP_SPEED_MPS: Final = MAX_SPEED_RAW * SPEED_UNIT_MPS
_STILL_MPS: Final = 0.005


class BatteryLevel(Enum):
    """The three levels of the customer's interface."""

    OK = "ok"
    LOW = "low"
    CRITICAL = "critical"


class Battery:
    """The battery of one robot; a robot that reports no voltage counts as ok.

    Attributes
    ----------
    level : level by voltage
    is_charged : whether a charger feeds it
    measured_ns : when the latest voltage was measured; 0 before the first
    """

    def __init__(self, config: BatteryConfig) -> None:
        self._config: Final = config
        self._volts: float | None = None
        self.measured_ns = 0
        self.level = BatteryLevel.OK
        self.is_charged = False
        self._charge: Final = ChargeEstimator(config)
        self._drawn_a = config.resting_a
        self._is_moving = False

    @property
    def charge(self) -> float | None:
        """The estimated charge, from 0 to 1; None if the robot reports no voltage."""
        return self._charge.charge if self._charge.is_known else None

    @property
    def volts(self) -> float | None:
        """The filtered voltage, which determines the level; None before the first measurement."""
        return self._volts

    @property
    def percent(self) -> int:
        """The estimated charge, from 0 to 100; -1 if the robot reports no voltage."""
        return round(100.0 * self._charge.charge) if self._charge.is_known else -1

    @property
    def drain_per_s(self) -> float:
        """Share of a full charge that the robot uses per second of fast driving."""
        return self._charge.factor * self._config.drain_per_s

    def on_voltage(self, volts: float, now_ns: int, *, is_in_charger: bool = False) -> None:
        """Add a measured voltage; a node without a battery reports 0 V."""
        if volts <= 0.0:
            return
        elapsed_s = (now_ns - self.measured_ns) * 1e-9
        if self._volts is None:
            self._volts = volts
        else:
            self._volts += (1.0 - math.exp(-elapsed_s / _FILTER_S)) * (volts - self._volts)
        self.measured_ns = now_ns
        self.level = self._level_at(self._volts)
        self.is_charged = is_in_charger and not self._is_moving and self._charge.is_charged(volts, self._drawn_a)
        self._charge.correct(volts, self._drawn_a, elapsed_s, is_charged=self.is_charged, is_moving=self._is_moving)

    def on_wheels(self, left_m: float, right_m: float, duration_s: float) -> None:
        """Count what the robot used, or was charged, while its wheels rolled these distances."""
        if duration_s <= 0.0:
            return
        speed_mps = 0.5 * (abs(left_m) + abs(right_m)) / duration_s
        self._is_moving = speed_mps > _STILL_MPS
        self._drawn_a = self._config.resting_a + self._config.driving_a * min(1.0, speed_mps / _TOP_SPEED_MPS)
        if self.is_charged and not self._is_moving:
            self._charge.count_charged(duration_s)
        else:
            self._charge.count_drawn(self._drawn_a * duration_s)

    def _level_at(self, volts: float) -> BatteryLevel:
        """Return the level, with hysteresis: a level is left only when the voltage is clearly above its threshold."""
        if volts < self._config.critical_v + self._margin(BatteryLevel.CRITICAL):
            return BatteryLevel.CRITICAL
        if volts < self._config.low_v + self._margin(BatteryLevel.LOW, BatteryLevel.CRITICAL):
            return BatteryLevel.LOW
        return BatteryLevel.OK

    def _margin(self, *levels: BatteryLevel) -> float:
        return _HYSTERESIS_V if self.level in levels else 0.0
