"""Reads the body of a request: every field is checked, and unknown ones are refused."""

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from fleet.errors import FleetError


class BadRequestError(FleetError, ValueError):
    """The body of a request is not what its verb needs."""


class RequestFields:
    """The fields of a JSON object; reading one checks it, and `finish` refuses what was not read.

    Parameters
    ----------
    values : the object
    place : where it stands in the body, for messages; "" for the body itself

    Raises
    ------
    BadRequestError
        It is not an object. The methods raise it for fields that are missing or wrong.
    """

    def __init__(self, values: object, place: str = "") -> None:
        if not isinstance(values, Mapping):
            raise BadRequestError(f"{place or 'the body'} must be a JSON object, such as {{}}")
        self._values = values
        self._place = f"{place}." if place else ""
        self._read: list[str] = []

    def has(self, key: str) -> bool:
        """Whether a field is there, and not null."""
        self._read.append(key)
        return self._values.get(key) is not None

    def number(self, key: str, least: float, most: float, default: float | None = None) -> float:
        """Return a number within limits."""
        value = self._value(key, default)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and math.isfinite(value) and least <= value <= most):
            raise BadRequestError(f"{self._place}{key} is {_shown(value)}, not a number from {least:g} to {most:g}")
        return float(value)

    def integer(self, key: str, least: int, most: int, default: int | None = None) -> int:
        """Return an integer within limits."""
        value = self._value(key, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # 2.0 is 2: some languages write all numbers so
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise BadRequestError(f"{self._place}{key} is {_shown(value)}, not an integer from {least} to {most}")
        return value

    def text(self, key: str, longest: int, default: str | None = None) -> str:
        """Return a printable text that is not empty; path files may have several lines."""
        value = self._value(key, default)
        is_printable = isinstance(value, str) and all(one.isprintable() or one == "\n" for one in value)
        if not is_printable or len(value) > longest or (not value and default is None):
            raise BadRequestError(f"{self._place}{key} is {_shown(value)}, not a text of 1 to {longest} characters")
        return str(value)

    def choice(self, key: str, choices: list[str], default: str | None = None, *, former: Sequence[str] = ()) -> str:
        """Return one of several texts; `former` ones are understood, but not named in the refusal of others."""
        value = self._value(key, default)
        if value not in (*choices, *former) and not (default is not None and value == default):
            raise BadRequestError(f"{self._place}{key} is {_shown(value)}, not one of {', '.join(choices)}")
        return str(value)

    def items(self, key: str, most: int) -> list[Any]:
        """Return a list that is not empty."""
        value = self._value(key, None)
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            raise BadRequestError(f"{self._place}{key} must be a list of 1 to {most}")
        return value

    def table(self, key: str) -> Mapping[str, Any]:
        """Return an object, an empty one if it is missing."""
        value = self._value(key, {})
        if not isinstance(value, Mapping):
            raise BadRequestError(f"{self._place}{key} must be a JSON object")
        return value

    def within(self, key: str) -> "RequestFields":
        """Return the fields of an object in this one."""
        return RequestFields(self._value(key, None), f"{self._place}{key}")

    def finish(self) -> None:
        """Refuse fields that were not read."""
        for key in self._values:
            if key not in self._read:
                near = difflib.get_close_matches(str(key), self._read, 1)
                known = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(self._read) or 'none'}"
                raise BadRequestError(f"there is no field {self._place}{str(key)[:40]!r}; {known}")

    def _value(self, key: str, default: Any) -> Any:
        self._read.append(key)
        value = self._values.get(key)
        if value is None and default is None:
            raise BadRequestError(f"{self._place}{key} is missing")
        return default if value is None else value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
