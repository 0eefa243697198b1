"""The battery of a Thymio II: one lithium-polymer cell, with its voltage as a function of charge.

The open-circuit voltage at charge s is that of M. Chen and G. A. Rincon-Mora, "Accurate electrical battery model
capable of predicting runtime and I-V performance", IEEE Transactions on Energy Conversion 21 (2), 2006, for a polymer
lithium-ion cell: -1.031 exp(-35 s) + 3.685 + 0.2156 s - 0.1178 s^2 + 0.3201 s^3. The resistance is the sum of that
model's three resistances, for charges above 0.2.
"""

import math
from typing import Final

RESISTANCE_OHM: Final = 0.171
_HALVINGS: Final = 20  # charge to one millionth


def open_voltage_v(charge: float) -> float:
    """Return the open-circuit voltage at a charge from 0 to 1."""
    polynomial = 3.685 + charge * (0.2156 + charge * (-0.1178 + charge * 0.3201))
    return polynomial - 1.031 * math.exp(-35.0 * charge)


def voltage_slope_v(charge: float) -> float:
    """Return the derivative of `open_voltage_v`, which is positive for every charge."""
    return 0.2156 + charge * (-0.2356 + charge * 0.9603) + 36.085 * math.exp(-35.0 * charge)


def charge_at(open_v: float) -> float:
    """Return the charge, from 0 to 1, at an open-circuit voltage; 0 or 1 for voltages outside the curve."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if open_voltage_v(middle) < open_v:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high) if open_v < open_voltage_v(1.0) else 1.0
