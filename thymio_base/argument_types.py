"""Reads the values of command-line arguments; says in plain words what is wrong with them."""

import argparse
import difflib
import math
from collections.abc import Iterable

_MOST = 2**32 - 1  # of what messages count


def number(text: str, what: str = "a number") -> float:
    """Return a finite number; `what` names it in the error."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"must be {what}, got {text!r}")
    return value


def positive(text: str, what: str) -> float:
    """Return a number above 0; `what` names it in the error."""
    value = number(text, what)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"must be {what}, got {text!r}")
    return value


def metres(text: str) -> float:
    """Return a number of metres."""
    return number(text, "a number in metres")


def positive_metres(text: str) -> float:
    """Return a number of metres above 0."""
    return positive(text, "a number in metres above 0")


def positive_mps(text: str) -> float:
    """Return a speed above 0 in m/s."""
    return positive(text, "a number in m/s above 0")


def angle_rad(text: str) -> float:
    """Return an angle in radians, at most a whole turn; with the ending "deg" or "°" it is given in degrees."""
    what = "an angle in radians such as 1.57, or in degrees such as 90deg"
    degrees = text.removesuffix("°") if text.endswith("°") else text.removesuffix("deg")
    try:
        value = number(degrees)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"must be {what}, got {text!r}") from None
    if degrees != text:
        return math.radians(value)
    if abs(value) > math.tau:
        raise argparse.ArgumentTypeError(f"{text} rad? degrees are {text}deg")
    return value


def priority(text: str) -> int:
    """Return the priority of a task or a job."""
    if len(text) != 1 or not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 9, the highest, got {text!r}")
    return int(text)


def identifier(text: str) -> int:
    """Return the ID of a robot."""
    return _whole(text, "a robot's ID, a whole number from 1")


def count(text: str) -> int:
    """Return a number of things, at least 1."""
    return _whole(text, "a whole number from 1")


def _whole(text: str, what: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(_MOST)) else 0
    if not 0 < value <= _MOST:
        raise argparse.ArgumentTypeError(f"must be {what}, got {text!r}")
    return value


def suggestion(text: str, known: Iterable[str]) -> str:
    """Return the question whether the most similar word was meant, "" if none is similar."""
    matches = difflib.get_close_matches(text, list(known), 1)
    return f", did you mean {matches[0]!r}?" if matches else ""
