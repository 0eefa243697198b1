"""Values by their JSON Schema: which fit it, and how they are completed for readers that need exact types."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any, Final

import jsonschema

from thymio_base.texts.decimal_text import MAX_WHOLE


def violations(values: Any, schema: Mapping[str, Any]) -> Iterator[jsonschema.ValidationError]:
    """Yield what does not fit; 1.0 is an integer, and numbers are within 64 bits."""
    yield from _Validator(schema).iter_errors(values)


def completed(values: Any, schema: Mapping[str, Any]) -> Any:
    """Return values with the schema's defaults for absent keys, ints as integers, and floats as other numbers.

    A default may itself lack keys. What does not fit the schema stays as it is.
    """
    return _completed(values, schema, schema)


def _is_integer(_: object, value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer() and abs(value) < MAX_WHOLE
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_WHOLE


def _is_number(checker: object, value: object) -> bool:
    return isinstance(value, float) or _is_integer(checker, value)


_Validator: Final[Any] = jsonschema.validators.extend(  # type: ignore[no-untyped-call]  # the library has no types
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer).redefine(
        "number", _is_number
    ),
)


def _completed(value: Any, part: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    part = _applicable(value, part, root)
    if isinstance(value, dict):
        return _completed_mapping(value, part, root)
    if isinstance(value, list):
        return [_completed(item, part.get("items", {}), root) for item in value]
    if part.get("type") == "integer" and isinstance(value, float) and _is_integer(None, value):
        return int(value)
    if part.get("type") == "number" and isinstance(value, int) and _is_integer(None, value):
        return float(value)
    return value


def _completed_mapping(value: dict[str, Any], part: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    properties = part.get("properties", {})
    others = part.get("additionalProperties")
    others = others if isinstance(others, Mapping) else {}
    filled = {key: _completed(item, properties.get(key, others), root) for key, item in value.items()}
    for key, subschema in properties.items():
        if key not in filled and "default" in subschema:
            filled[key] = _completed(copy.deepcopy(subschema["default"]), subschema, root)
    return filled


def _applicable(value: Any, part: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the definition that a part of a schema refers to, and of alternatives the first that the value fits."""
    if "$ref" in part:
        part = root["$defs"][part["$ref"].removeprefix("#/$defs/")]
    fitting = (one for one in part.get("anyOf", ()) if _Validator(root).evolve(schema=one).is_valid(value))
    return next(fitting, part)
