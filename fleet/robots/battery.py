"""Charge of a robot's battery, from its voltage."""

import math
from enum import Enum

from fleet.settings.config import BatteryConfig

_FULL_V = 4.1  # a charged lithium-polymer cell at rest
_EMPTY_V = 3.3  # the firmware's lights blink below 3.4 V
_FILTER_S = 10.0  # driving lowers the voltage briefly
_HYSTERESIS_V = 0.05


class BatteryLevel(Enum):
    """The three levels of the customer's interface."""

    OK = "ok"
    LOW = "low"
    CRITICAL = "critical"


class Battery:
    """The battery of one robot; a robot that reports no voltage counts as ok."""

    def __init__(self, config: BatteryConfig) -> None:
        self._config = config
        self._volts: float | None = None
        self._measured_ns = 0
        self.level = BatteryLevel.OK

    @property
    def percent(self) -> int:
        """Charge, from 0 to 100, linear in the voltage; -1 if the robot reports none."""
        if self._volts is None:
            return -1
        return round(100.0 * max(0.0, min(1.0, (self._volts - _EMPTY_V) / (_FULL_V - _EMPTY_V))))

    def on_voltage(self, volts: float, now_ns: int) -> None:
        """Add a measured voltage; it is low-pass filtered. A node without a battery reports 0 V."""
        if volts <= 0.0:
            return
        if self._volts is None:
            self._volts = volts
        else:
            gain = 1.0 - math.exp(-(now_ns - self._measured_ns) * 1e-9 / _FILTER_S)
            self._volts += gain * (volts - self._volts)
        self._measured_ns = now_ns
        self.level = self._level_at(self._volts)

    def _level_at(self, volts: float) -> BatteryLevel:
        """Return the level, with hysteresis: a level is left only when the voltage is clearly above its threshold."""
        if volts < self._config.critical_v + self._margin(BatteryLevel.CRITICAL):
            return BatteryLevel.CRITICAL
        if volts < self._config.low_v + self._margin(BatteryLevel.LOW, BatteryLevel.CRITICAL):
            return BatteryLevel.LOW
        return BatteryLevel.OK

    def _margin(self, *levels: BatteryLevel) -> float:
        return _HYSTERESIS_V if self.level in levels else 0.0
