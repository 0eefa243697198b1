"""Reads objects in messages; a missing or wrongly typed field refuses the whole message, by name."""

from collections.abc import Iterator
from typing import Any, Final

from fleet.vda5050.order.order_fault import OrderRefusedError, VehicleFaultKind, refusal
from fleet.vda5050.order.order_rules import TEXT_MAX
from thymio_base.errors import TextError
from thymio_base.texts.bounds import is_number
from thymio_base.texts.json_text import read_json
from thymio_base.texts.shortened import shortened

_WHOLE_MAX: Final = 2**32 - 1
_SAFE_IDS: Final = ("orderId", "orderUpdateId")


class WireFields:
    """The fields of one object that was read from JSON."""

    def __init__(self, values: Any, path: str = "", about: dict[str, str] | None = None) -> None:
        self._path = path  # of the object in the message, such as "nodes[2]."
        self._about = about or {}  # what the message is about, for its refusal
        if not isinstance(values, dict):
            raise self._refusal("" if path else "the message", f"is {_kind(values)}, not an object")
        self._values: dict[str, Any] = values

    def __contains__(self, key: str) -> bool:
        return self._values.get(key) is not None

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise self._refusal(key, f"is {_kind(value)}, not a text")
        if len(value) > TEXT_MAX:
            raise self._refusal(key, f"has {len(value)} characters; at most {TEXT_MAX} are allowed")
        return value

    def name(self, key: str) -> str:
        """Return a text that is not empty."""
        value = self.text(key)
        if not value:
            raise self._refusal(key, "is empty")
        return value

    def whole(self, key: str) -> int:
        """Return an unsigned 32-bit integer."""
        value = self._value(key, None)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _WHOLE_MAX:
            raise self._refusal(key, f"is {shortened(repr(value))}, not a whole number from 0 to {_WHOLE_MAX}")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """Return a number."""
        value = self._value(key, default)
        if not is_number(value):
            raise self._refusal(key, f"is {shortened(repr(value))}, not a number")
        return float(value)

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value = self._value(key, None)
        if not isinstance(value, bool):
            raise self._refusal(key, f"is {shortened(repr(value))}, not true or false")
        return value

    def any(self, key: str) -> Any:
        """Return a value of any type."""
        return self._value(key, None)

    def part(self, key: str) -> "WireFields":
        """Return an object within this one."""
        return WireFields(self._value(key, None), f"{self._path}{key}.", self._about)

    def parts(self, key: str, *, is_needed: bool = True) -> Iterator["WireFields"]:
        """Yield the objects of a list; none for a missing list that is not needed."""
        values = self._value(key, None if is_needed else [])
        if not isinstance(values, list):
            raise self._refusal(key, f"is {_kind(values)}, not a list")
        for index, value in enumerate(values):
            yield WireFields(value, f"{self._path}{key}[{index}].", self._about)

    def refuse_present(self, keys: tuple[str, ...]) -> None:
        """Refuse the message if it has any of these fields, which our vehicles cannot obey."""
        for key in keys:
            if key in self:
                text = f"{self._path}{key} is given, which the vehicle cannot obey; leave it out"
                raise refusal(VehicleFaultKind.PARAMETER, text, parameter=key, **self._about)

    def _value(self, key: str, default: Any) -> Any:
        value = self._values.get(key)
        if value is not None:
            return value
        if default is None:
            raise self._refusal(key, "is missing")
        return default

    def _refusal(self, key: str, text: str) -> OrderRefusedError:
        return refusal(VehicleFaultKind.INVALID, f"{(self._path + key).rstrip('.')} {text}", **self._about)


def read_message(data: bytes) -> WireFields:
    """Return the fields of a message.

    Raises
    ------
    OrderRefusedError
        The message is not JSON, or not an object.
    """
    try:
        values = read_json(data)
    except TextError as error:
        raise refusal(VehicleFaultKind.INVALID, f"the message is not valid JSON: {error}") from error
    about = {}
    if isinstance(values, dict):
        about = {key: shortened(str(values[key])) for key in _SAFE_IDS if key in values}
    return WireFields(values, about=about)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
