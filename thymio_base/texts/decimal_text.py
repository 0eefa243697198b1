"""Reads finite decimal numbers: ASCII digits, a point and an exponent, but nothing else that Python would accept."""

import math
import re
from collections.abc import Callable
from typing import Final

from thymio_base.errors import TextError
from thymio_base.texts.shortened import shortened

MAX_WHOLE = 2**63 - 1  # of whole numbers: more than messages can hold
_MAX_LENGTH = 1000  # characters
_REAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?")
_WHOLE = re.compile(r"[-+]?[0-9]{1,19}")
_WHOLE_OF_ANY_LENGTH = re.compile(r"[-+]?[0-9]{20,}")
_BLANKS = " \t\r\n"


def real_number(text: str) -> float:
    """Return the number in a text; blanks around it are ignored.

    Raises
    ------
    TextError
        The text is not a finite decimal number.
    """
    found = text.strip(_BLANKS)
    if len(found) <= _MAX_LENGTH and _REAL.fullmatch(found):
        value = float(found)
        if math.isfinite(value):
            return value
    raise TextError(f"{shortened(repr(text))} is not a number{number_advice(found)}")


def whole_number(text: str, least: int = -MAX_WHOLE, most: int = MAX_WHOLE) -> int:
    """Return the whole number in a text; blanks around it are ignored.

    Raises
    ------
    TextError
        The text is not a whole decimal number, or the number is outside the limits.
    """
    found = text.strip(_BLANKS)
    if not _WHOLE.fullmatch(found):
        raise TextError(f"{shortened(repr(text))} is not a whole number{number_advice(found)}")
    value = int(found)
    if not least <= value <= most:
        raise TextError(f"{value} is not in {least} to {most}")
    return value


def number_advice(text: str) -> str:
    """Return what to write instead of a text that resembles a number but is not read as one; "" otherwise.

    Some readers take 010 for 8, 1:30 for 90 and 1_0 for 10, others do not; so no reader should guess the meaning.
    """
    if len(text) > _MAX_LENGTH:
        return ": it is too long" if _REAL.match(text) else ""
    if not text.isascii() and re.fullmatch(r"[-+]?[\d.,_]+", text):
        return ": write it with the digits 0 to 9"
    return next((advice(text) for notation, advice in _ADVICE if notation.fullmatch(text)), "")


def _octal_advice(text: str) -> str:
    """Return the values of digits after a 0: octal, if possible, and decimal."""
    octal = "" if set(text) & set("89") or len(text.lstrip("+-0")) < 2 else f"{int(text, 8)} or "
    return f": write {octal}{int(text)}, without a leading 0"


_ADVICE: Final[tuple[tuple[re.Pattern[str], Callable[[str], str]], ...]] = (
    (re.compile(r"[-+]?0[0-9]+"), _octal_advice),
    (re.compile(r"[-+]?0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)"), lambda text: f": write {int(text, 0)}"),
    (re.compile(r"[-+]?[0-9.]*_[0-9_.]*"), lambda text: f": write {text.replace('_', '')}, without underscores"),
    (re.compile(r"[-+]?[0-9]+(?::[0-9]+)+(?:\.[0-9]*)?"), lambda _: ": write a decimal number, without colons"),
    (re.compile(r"[\u2212\u2013][0-9.]+"), lambda text: f": write -{text[1:]}, with the minus of keyboards"),
    (re.compile(r"[-+]?[0-9]*,[0-9]+"), lambda text: f": write {text.replace(',', '.')}, with a point"),
    (_WHOLE_OF_ANY_LENGTH, lambda text: f": it has {len(text)} digits, which is too many"),
    (_REAL, lambda text: "" if math.isfinite(float(text)) else ": it is too large"),
)
