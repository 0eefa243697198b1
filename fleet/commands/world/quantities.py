"""Quantities in arguments of `thymio-fleet world`: shares, factors; each error says what was expected."""

import argparse
import math

from thymio_base.argument_types import number
from thymio_base.texts.bounds import LEAST_FACTOR, MOST_FACTOR


def share(text: str) -> float:
    """Return a share from 0 to 1, written as such or in percent."""
    expected = "a share from 0 to 1, such as 0.15, or in percent, such as 15%"
    try:
        value = 0.01 * number(text.removesuffix("%")) if text.endswith("%") else number(text)
    except argparse.ArgumentTypeError:
        value = math.nan
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"must be {expected}, got {text!r}")
    return value


def factor(text: str) -> float:
    """Return a factor above 0; `max` is infinity."""
    return (
        math.inf
        if text == "max"
        else number(
            text, f"a number from {LEAST_FACTOR:g} to {MOST_FACTOR:g}, such as 2, or max", LEAST_FACTOR, MOST_FACTOR
        )
    )
