"""Converts messages of any type to values for JSON and back; ids become hexadecimal texts."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from thymio_base.errors import TextError

_UUID = "uint8[16]"


def to_values(message: Any) -> dict[str, Any]:
    """Return the values of a message's fields by name."""
    fields = message.get_fields_and_field_types()
    return {name: _value(getattr(message, name), kind) for name, kind in fields.items()}


def _value(value: Any, kind: str) -> Any:
    if kind == _UUID:
        return bytes(value).hex()
    if hasattr(value, "get_fields_and_field_types"):
        return to_values(value)
    if isinstance(value, bytes):
        return value[0]
    if isinstance(value, str | int | float | bool):
        return value
    return [_value(item, "") for item in value]


def to_message(kind: Any, values: Mapping[str, Any], where: str = "goal") -> Any:
    """Return a message of a type with these values; raise TextError, with the field, if they do not fit."""
    message = kind()
    fields = message.get_fields_and_field_types()
    for name, value in values.items():
        if name not in fields:
            raise TextError(f"{where} has no field {name!r}; it has {', '.join(fields) or 'none'}")
        try:
            setattr(message, name, _field(getattr(message, name), value, fields[name], f"{where}.{name}"))
        except (AssertionError, TypeError, ValueError, OverflowError) as error:
            raise TextError(f"{where}.{name} cannot be {value!r}: it is a {fields[name]}") from error
    return message


def _field(default: Any, value: Any, kind: str, where: str) -> Any:
    if kind == _UUID:
        return list(bytes.fromhex(value))
    if hasattr(default, "get_fields_and_field_types"):
        if not isinstance(value, Mapping):
            raise TextError(f"{where} is {value!r}; write its fields")
        return to_message(type(default), value, where)
    if isinstance(default, float) or kind == "octet":
        return bytes([value]) if kind == "octet" else float(value)
    if "/" in kind and isinstance(value, list):
        element = kind.removeprefix("sequence<").partition(">")[0].partition(",")[0].partition("[")[0]
        package, _, name = element.partition("/")
        message = getattr(import_module(f"{package}.msg"), name)
        return [to_message(message, item, f"{where}[{index}]") for index, item in enumerate(value)]
    is_of_floats = kind.startswith(("sequence<double", "sequence<float", "double[", "float["))
    return [float(item) for item in value] if is_of_floats else value
