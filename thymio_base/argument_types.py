"""Reads the values of command-line arguments, and says in plain words what is wrong with them."""

import argparse
import difflib
import math
import sys
from collections.abc import Iterable

from thymio_base.errors import TextError
from thymio_base.texts.bounds import FARTHEST_M, LEAST_M, LEAST_MPS, LONGEST_S, MOST_MPS
from thymio_base.texts.decimal_text import number_advice, real_number, whole_number
from thymio_base.texts.shortened import shortened

_MOST = 2**32 - 1  # limit of numbers in messages


def number(text: str, what: str = "a number", least: float = -sys.float_info.max, most: float = math.inf) -> float:
    """Return a finite number within bounds; `what` names it in the error."""
    try:
        value = real_number(text)
    except TextError:
        raise argparse.ArgumentTypeError(_must_be(what, text, number_advice(text))) from None
    if not least <= value <= most:
        raise argparse.ArgumentTypeError(_must_be(what, text))
    return value


def whole(text: str, what: str, least: int, most: int) -> int:
    """Return a whole number within bounds; `what` names it in the error."""
    try:
        return whole_number(text, least, most)
    except TextError:
        raise argparse.ArgumentTypeError(_must_be(what, text, number_advice(text))) from None


def metres(text: str) -> float:
    """Return a length or coordinate [m]."""
    return number(text, f"a number in metres, within {FARTHEST_M:g}", -FARTHEST_M, FARTHEST_M)


def positive_metres(text: str) -> float:
    """Return a length above 0 [m]."""
    return number(text, f"a number in metres, {LEAST_M:g} to {FARTHEST_M:g}", LEAST_M, FARTHEST_M)


def positive_mps(text: str) -> float:
    """Return a speed above 0 [m/s]."""
    return number(text, f"a number in m/s, {LEAST_MPS:g} to {MOST_MPS:g}", LEAST_MPS, MOST_MPS)


def seconds(text: str) -> float:
    """Return a duration of 0 or longer [s]."""
    return number(text, f"a number of seconds from 0 to {LONGEST_S:g}", 0.0, LONGEST_S)


def positive_seconds(text: str) -> float:
    """Return a duration of a millisecond or longer [s]."""
    return number(text, f"a number of seconds, 0.001 to {LONGEST_S:g}, such as 0.5", 0.001, LONGEST_S)


def port(text: str) -> int:
    """Return a port; 0 means any free port."""
    return whole(text, "a port, a whole number from 0 to 65535", 0, 65535)


def angle_rad(text: str) -> float:
    """Return an angle of at most a whole turn either way [rad]; the suffix "deg" or "°" marks degrees."""
    what = "an angle in radians such as 1.57, or in degrees such as 90deg, of at most a whole turn"
    degrees = text.removesuffix("°") if text.endswith("°") else text.removesuffix("deg")
    try:
        value = number(degrees, what, -360.0, 360.0)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(_must_be(what, text)) from None
    if degrees != text:
        return math.radians(value)
    if abs(value) > math.tau:
        raise argparse.ArgumentTypeError(f"{text} rad? degrees are {text}deg")
    return value


def priority(text: str) -> int:
    """Return the priority of a task or a job."""
    if len(text) != 1 or not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 9, the highest, got {text!r}")
    return whole_number(text)


def identifier(text: str) -> int:
    """Return the ID of a robot."""
    return whole(text, "a robot's ID, a whole number from 1", 1, _MOST)


def count(text: str) -> int:
    """Return a number of things, 1 or more."""
    return whole(text, "a whole number from 1", 1, _MOST)


def suggestion(text: str, known: Iterable[str]) -> str:
    """Return a question whether the most similar word was meant; "" if none is similar."""
    matches = difflib.get_close_matches(text, list(known), 1)
    return f", did you mean {matches[0]!r}?" if matches else ""


def _must_be(what: str, text: str, advice: str = "") -> str:
    return f"must be {what}, got {shortened(text)!r}{advice}"
