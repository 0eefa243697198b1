"""The open-circuit voltage of a lithium cell."""

import pytest

from aseba_link.thymio.battery_cell import charge_at, open_voltage_v, voltage_slope_v

CHARGES = [0.02, 0.1, 0.3, 0.5, 0.8, 0.99]


def test_empty_and_full_cell_have_their_voltages() -> None:
    assert open_voltage_v(0.0) == pytest.approx(2.654)
    assert open_voltage_v(1.0) == pytest.approx(4.103, abs=0.001)


@pytest.mark.parametrize("charge", CHARGES)
def test_slope_is_the_derivative_of_the_voltage(charge: float) -> None:
    difference_v = open_voltage_v(charge + 1e-5) - open_voltage_v(charge - 1e-5)
    assert voltage_slope_v(charge) == pytest.approx(difference_v / 2e-5, rel=1e-3)


@pytest.mark.parametrize("charge", CHARGES)
def test_charge_is_found_from_the_voltage(charge: float) -> None:
    assert charge_at(open_voltage_v(charge)) == pytest.approx(charge, abs=1e-5)
