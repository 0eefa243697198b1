"""The estimated charge is that of a simulated cell, whose robot draws more or less than is configured."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.thymio.battery_cell import RESISTANCE_OHM, charge_at, open_voltage_v, voltage_slope_v
from fleet.robots.charge_estimator import ChargeEstimator
from fleet.settings.config import BatteryConfig

CONFIG = BatteryConfig(low_v=3.6, critical_v=3.4, capacity_ah=1.5, resting_a=0.3, driving_a=0.2, charging_a=0.5)
PERIOD_S = 5.0
DRIVING_A = 0.5
RESTING_A = 0.3


@dataclass
class Cell:
    """A cell whose robot draws `factor` times what is configured; its voltage is off by `offset_v`."""

    charge: float
    factor: float = 1.0
    offset_v: float = 0.0

    def volts(self, drawn_a: float) -> float:
        """Return the voltage while it is drawn from, or charged."""
        return open_voltage_v(self.charge) + self.offset_v - RESISTANCE_OHM * drawn_a

    def use(self, estimator: ChargeEstimator, hours: float, drawn_a: float = DRIVING_A) -> None:
        """Drive, or stand, while the estimator counts and reads the voltage."""
        for _ in range(round(hours * 3600.0 / PERIOD_S)):
            self.charge -= self.factor * drawn_a * PERIOD_S / 5400.0
            estimator.count_drawn(drawn_a * PERIOD_S)
            is_moving = drawn_a > RESTING_A
            volts = self.volts(self.factor * drawn_a)
            estimator.correct(volts, drawn_a, PERIOD_S, is_charged=False, is_moving=is_moving)

    def fill(self, estimator: ChargeEstimator, hours: float) -> None:
        """Stand in a charger, while the estimator counts and reads the voltage."""
        for _ in range(round(hours * 3600.0 / PERIOD_S)):
            self.charge = min(1.0, self.charge + CONFIG.charging_a * PERIOD_S / 5400.0)
            estimator.count_charged(PERIOD_S)
            volts = self.volts(-CONFIG.charging_a)
            estimator.correct(volts, RESTING_A, PERIOD_S, is_charged=True, is_moving=False)


def estimator_of(cell: Cell) -> ChargeEstimator:
    """Return an estimator that has read the voltage of the standing robot."""
    estimator = ChargeEstimator(CONFIG)
    estimator.correct(cell.volts(cell.factor * RESTING_A), RESTING_A, 0.0, is_charged=False, is_moving=False)
    return estimator


@given(st.floats(min_value=0.0, max_value=1.0))
def test_the_charge_of_a_voltage_is_the_inverse_of_the_curve(charge: float) -> None:
    assert charge_at(open_voltage_v(charge)) == pytest.approx(charge, abs=2e-6)


@given(st.floats(min_value=0.001, max_value=0.999))
def test_the_slope_is_the_derivative_of_the_curve(charge: float) -> None:
    step = 1e-5
    numeric_v = (open_voltage_v(charge + step) - open_voltage_v(charge - step)) / (2.0 * step)
    assert voltage_slope_v(charge) == pytest.approx(numeric_v, rel=1e-4)
    assert voltage_slope_v(charge) > 0.0


def test_the_charge_is_unknown_before_the_first_voltage() -> None:
    estimator = ChargeEstimator(CONFIG)
    assert (estimator.charge, estimator.is_known) == (0.5, False)


@pytest.mark.parametrize("charge", [0.05, 0.2, 0.5, 0.9])
def test_the_first_voltage_determines_the_charge(charge: float) -> None:
    assert estimator_of(Cell(charge)).charge == pytest.approx(charge, abs=1e-4)


@pytest.mark.parametrize("factor", [0.8, 1.0, 1.25])
def test_what_a_robot_draws_is_learned(factor: float) -> None:
    cell = Cell(1.0, factor)
    estimator = estimator_of(cell)
    for _ in range(4):
        cell.use(estimator, 0.4 / factor)
        cell.use(estimator, 0.2 / factor, RESTING_A)
    assert estimator.charge == pytest.approx(cell.charge, abs=0.04)
    assert estimator.factor == pytest.approx(factor, abs=0.08)


@pytest.mark.parametrize("offset_v", [-0.03, 0.03])
def test_voltage_that_is_off_moves_the_charge_by_less_than_its_curve_says(offset_v: float) -> None:
    cell = Cell(0.95)
    estimator = estimator_of(cell)
    cell.offset_v = offset_v
    cell.use(estimator, 1.5)
    by_voltage = charge_at(cell.volts(DRIVING_A) + RESISTANCE_OHM * DRIVING_A)
    assert abs(estimator.charge - cell.charge) < 0.75 * abs(by_voltage - cell.charge)


@pytest.mark.parametrize(("before", "after"), [(0.93, 0.05), (0.5, 0.05), (0.1, 1.0)])
def test_charge_is_reset_when_voltages_at_rest_contradict_it(before: float, after: float) -> None:
    cell = Cell(before)
    estimator = estimator_of(cell)
    cell.use(estimator, 0.5, RESTING_A)
    cell.charge = after
    cell.use(estimator, 15.0 / 3600.0, RESTING_A)
    assert estimator.charge == pytest.approx(cell.charge, abs=0.02)


def test_voltages_of_a_moving_robot_do_not_reset_its_charge() -> None:
    cell = Cell(0.9)
    estimator = estimator_of(cell)
    cell.offset_v = -0.4  # its wheels are held
    cell.use(estimator, 60.0 / 3600.0)
    assert estimator.charge == pytest.approx(cell.charge, abs=0.1)


def test_two_false_voltages_at_rest_do_not_reset_the_charge() -> None:
    cell = Cell(0.9)
    estimator = estimator_of(cell)
    cell.use(estimator, 0.2, RESTING_A)
    cell.offset_v = -0.4
    cell.use(estimator, 10.0 / 3600.0, RESTING_A)
    cell.offset_v = 0.0
    cell.use(estimator, 5.0 / 3600.0, RESTING_A)
    assert estimator.charge == pytest.approx(cell.charge, abs=0.1)


def test_charge_is_followed_through_driving_and_charging() -> None:
    cell = Cell(0.9, factor=1.15, offset_v=0.01)
    estimator = estimator_of(cell)
    errors = []
    for _ in range(4):
        cell.use(estimator, 1.2)
        errors.append(abs(estimator.charge - cell.charge))
        cell.fill(estimator, 1.3)
        errors.append(abs(estimator.charge - cell.charge))
    assert max(errors) < 0.06


@given(st.floats(min_value=0.05, max_value=0.9), st.booleans())
def test_voltage_shows_whether_a_charger_works(charge: float, works: bool) -> None:
    cell = Cell(charge)
    estimator = estimator_of(cell)
    cell.use(estimator, 0.2, RESTING_A)
    volts = cell.volts(-CONFIG.charging_a if works else RESTING_A)
    assert estimator.is_charged(volts, RESTING_A) == works
