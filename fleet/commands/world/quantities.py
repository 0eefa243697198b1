"""Quantities in arguments of commands: metres, seconds, angles and shares; each error says what was expected."""

import argparse
import math


def metres(text: str) -> float:
    """Return a length [m]."""
    return _number(text, "a number of metres, such as 0.8")


def seconds(text: str) -> float:
    """Return a duration above 0 [s]."""
    value = _number(text, "a number of seconds, such as 0.5")
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 seconds")
    return value


def angle(text: str) -> float:
    """Return an angle [rad], written in radians, or in degrees with `deg`."""
    expected = "an angle in radians, such as 1.57, or in degrees, such as 90deg"
    if text.endswith("deg"):
        return math.radians(_number(text.removesuffix("deg"), expected, text))
    return _number(text, expected)


def share(text: str) -> float:
    """Return a share from 0 to 1, written as such or in percent."""
    expected = "a share from 0 to 1, such as 0.15, or in percent, such as 15%"
    value = 0.01 * _number(text.removesuffix("%"), expected, text) if text.endswith("%") else _number(text, expected)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected}")
    return value


def factor(text: str) -> float:
    """Return a factor above 0; `max` is infinity."""
    if text == "max":
        return math.inf
    value = _number(text, "a number above 0, such as 2, or max")
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def count(text: str) -> int:
    """Return a number of things, at least 1."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _number(text: str, expected: str, whole: str = "") -> float:
    """Return a finite number; `whole` is what the user has written, if it is more than `text`."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{whole or text!r} is not {expected}")
    return value
