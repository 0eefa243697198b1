"""Batteries: one lithium-polymer cell per robot, discharged by its load and charged in a charger."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aseba_link.thymio.battery_cell import RESISTANCE_OHM, open_voltage_v
from aseba_link.thymio.events import BATTERY_COUNTS_PER_VOLT, MAX_SPEED_RAW
from simulator.numbers.rounding import nearest

_HOUR_S: Final = 3600.0


@dataclass(frozen=True, slots=True)
class SimulatedBatteryConfig:
    """The currents that robots draw from their batteries; world.schema.json has the details."""

    capacity_ah: float
    resting_a: float
    driving_a: float
    stalled_a: float
    charging_a: float
    charge: float


@dataclass(frozen=True, slots=True)
class ChargerConfig:
    """A charging place: a rectangle centred on (x, y) with its length along x."""

    x_m: float
    y_m: float
    length_m: float
    width_m: float


class Batteries:
    """The batteries of all robots; each `charge` is from 0 to 1, and writable."""

    def __init__(
        self,
        config: SimulatedBatteryConfig,
        chargers: Sequence[ChargerConfig],
        charge: list[float],
        can_charge: list[bool] | None = None,
    ) -> None:
        self._config = config
        self._chargers = list(chargers)
        self.charge = charge
        self.can_charge = [True] * len(charge) if can_charge is None else can_charge
        self._current_a: list[float] = [0.0] * len(charge)  # positive discharges

    def append(self, charge: float, *, can_charge: bool = True) -> None:
        """Add the battery of a robot."""
        self.charge.append(charge)
        self.can_charge.append(can_charge)
        self._current_a.append(0.0)

    def remove(self, robot: int) -> None:
        """Remove the battery of a robot."""
        del self.charge[robot], self.can_charge[robot], self._current_a[robot]

    def _is_charging(self, x_m: float, y_m: float) -> bool:
        """Return whether the centre of a robot's axle is in a charger."""
        for zone in self._chargers:
            if abs(x_m - zone.x_m) <= 0.5 * zone.length_m and abs(y_m - zone.y_m) <= 0.5 * zone.width_m:
                return True
        return False

    def step(self, dt_s: float, targets_raw: list[int], speeds_raw: list[int], places: list[float]) -> None:
        """Advance time.

        Parameters
        ----------
        dt_s
            the step's duration
        targets_raw, speeds_raw
            targets and speeds of motors: left, right, left, right
        places
            x, y and heading of each robot, concatenated
        """
        capacity_as = _HOUR_S * self._config.capacity_ah
        for robot in range(len(self.charge)):
            if self.can_charge[robot] and self._is_charging(places[3 * robot], places[3 * robot + 1]):
                current_a = -self._config.charging_a
            else:
                left, right = 2 * robot, 2 * robot + 1
                current_a = self._drawn_a(targets_raw[left], targets_raw[right], speeds_raw[left], speeds_raw[right])
            self._current_a[robot] = current_a
            self.charge[robot] = min(max(self.charge[robot] - current_a * dt_s / capacity_as, 0.0), 1.0)

    def volts(self) -> list[float]:
        """Return the voltages under the present load."""
        return [
            open_voltage_v(self.charge[robot]) - RESISTANCE_OHM * self._current_a[robot]
            for robot in range(len(self.charge))
        ]

    def readings_raw(self) -> list[int]:
        """Return the value that each robot's two words of `_vbat` have."""
        return [nearest(0.5 * BATTERY_COUNTS_PER_VOLT * volts) for volts in self.volts()]

    def _drawn_a(self, left_raw: int, right_raw: int, left_speed_raw: int, right_speed_raw: int) -> float:
        """Return the current drawn by a robot that is not charging.

        Motors draw in proportion to their target speed and to how far they lag behind it; stalled motors draw most.
        """
        config = self._config
        left, right = min(abs(left_raw), MAX_SPEED_RAW), min(abs(right_raw), MAX_SPEED_RAW)
        missing = max(left - abs(left_speed_raw), 0) + max(right - abs(right_speed_raw), 0)
        drive_a = config.driving_a * 0.5 * (left + right) + (config.stalled_a - config.driving_a) * 0.5 * missing
        return config.resting_a + drive_a / MAX_SPEED_RAW
