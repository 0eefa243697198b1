"""Simulated batteries: how long they last, their readings, and charging."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.thymio.battery_cell import RESISTANCE_OHM, open_voltage_v
from harness.worlds import DEFAULTS
from simulator.sensors.batteries import Batteries, ChargerConfig

CHARGER = ChargerConfig(1.0, 1.0, length_m=0.2, width_m=0.1)
AWAY, INSIDE = [0.5, 0.5, 0.0], [1.09, 0.96, 0.0]


def hours_until_empty(target_raw: int, speed_raw: int) -> float:
    batteries = Batteries(DEFAULTS.battery, (), [1.0])
    minutes = 0
    while batteries.charge[0] > 0.0:
        batteries.step(60.0, [target_raw] * 2, [speed_raw] * 2, AWAY)
        minutes += 1
    return minutes / 60.0


def battery(charge: float, *, is_charging: bool = False, target_raw: int = 0) -> Batteries:
    """Return a battery after a second."""
    batteries = Batteries(DEFAULTS.battery, (CHARGER,), [charge])
    targets = [target_raw] * 2
    batteries.step(1.0, targets, targets, INSIDE if is_charging else AWAY)
    return batteries


def test_battery_of_a_standing_robot_lasts_for_five_hours() -> None:
    assert hours_until_empty(0, 0) == pytest.approx(5.0, abs=0.05)


def test_battery_at_full_speed_lasts_for_three_hours() -> None:
    assert hours_until_empty(500, 500) == pytest.approx(3.0, abs=0.05)


def test_battery_of_a_blocked_robot_lasts_for_less() -> None:
    assert hours_until_empty(500, 0) == pytest.approx(1.5 / (0.3 + 0.8), abs=0.05)


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_fuller_battery_never_has_a_lower_voltage(one: float, other: float) -> None:
    low, high = map(open_voltage_v, sorted((one, other)))
    assert low <= high


@pytest.mark.parametrize("charge", [0.05, 0.3, 0.7, 1.0])
def test_voltage_without_load_follows_the_formula(charge: float) -> None:
    formula = -1.031 * math.exp(-35 * charge) + 3.685 + 0.2156 * charge - 0.1178 * charge**2 + 0.3201 * charge**3
    assert open_voltage_v(charge) == pytest.approx(formula)


def test_driving_lowers_the_voltage_by_the_drop_over_the_resistance() -> None:
    resting, driving = battery(0.5), battery(0.5, target_raw=500)
    assert resting.volts()[0] - driving.volts()[0] == pytest.approx(RESISTANCE_OHM * 0.2, abs=1e-4)


def test_reading_is_half_of_the_counts() -> None:
    full = battery(1.0)
    assert 2 * full.readings_raw()[0] / 397.8 == pytest.approx(full.volts()[0], abs=0.003)


def test_empty_battery_stays_empty() -> None:
    assert battery(0.0).charge == [0.0]


def test_charger_charges_a_robot_inside() -> None:
    batteries = battery(0.5, is_charging=True)
    assert batteries.charge[0] - 0.5 == pytest.approx(0.5 / 3600 / 1.5)
    assert batteries.volts()[0] > open_voltage_v(batteries.charge[0])


def test_charger_does_not_charge_a_robot_outside() -> None:
    assert battery(0.5).charge[0] < 0.5


def test_charger_stops_at_a_full_battery() -> None:
    assert battery(1.0, is_charging=True).charge == [1.0]


def test_batteries_are_added_and_removed_with_their_robots() -> None:
    batteries = Batteries(DEFAULTS.battery, (), [0.1, 0.2])
    batteries.append(0.3)
    batteries.remove(0)
    assert batteries.charge == [0.2, 0.3]
    assert len(batteries.volts()) == 2
