"""Checks values against their JSON Schema, and completes them for readers that need exact types."""

import copy
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import jsonschema

from thymio_base.texts.decimal_text import MAX_WHOLE


def violations(values: Any, schema: Mapping[str, Any]) -> Iterator[jsonschema.ValidationError]:
    """Yield what does not fit; 1.0 is an integer, and numbers must be within 64 bits."""
    yield from _Validator(schema).iter_errors(values)


def completed(values: Any, schema: Mapping[str, Any]) -> Any:
    """Return values with the schema's defaults for absent keys, and numbers as int or float as the schema demands.

    A default may itself lack keys. Values that do not fit the schema are unchanged.
    """
    return _completed(values, schema, schema)


def _is_integer(_: object, value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer() and abs(value) < MAX_WHOLE
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_WHOLE


def _is_number(checker: object, value: object) -> bool:
    return isinstance(value, float) or _is_integer(checker, value)


def _unfit_items(validator: Any, part: Any, items: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the violations of a list's items; the library takes long for each item, even if it fits."""
    if "prefixItems" in schema or not isinstance(part, dict) or not isinstance(items, list):
        yield from _LIBRARY_ITEMS(validator, part, items, schema)
        return
    for index, item in enumerate(items):
        if not _surely_fits(item, part):
            yield from validator.descend(item, part, path=index)


def _surely_fits(value: Any, part: Any) -> bool:
    """Return whether a number, list or mapping fits a part of a schema; False if only the library can decide."""
    if not isinstance(part, dict):
        return False
    kind = part.get("type")
    if kind == "number" and part.keys() <= _NUMBER_KEYWORDS:
        is_number = type(value) in (int, float) and _is_number(None, value)
        return is_number and part.get("minimum", -math.inf) <= value <= part.get("maximum", math.inf)
    if kind == "array" and part.keys() <= _ARRAY_KEYWORDS and isinstance(value, list):
        has_size = part.get("minItems", 0) <= len(value) <= part.get("maxItems", math.inf)
        return has_size and all(_surely_fits(item, part.get("items")) for item in value)
    if kind == "object" and part.keys() <= _OBJECT_KEYWORDS and isinstance(value, dict):
        properties = part.get("properties", {})
        has_size = len(value) >= part.get("minProperties", 0)
        return has_size and all(_surely_fits(item, properties.get(key)) for key, item in value.items())
    return False


_NUMBER_KEYWORDS: Final = {"type", "description", "default", "minimum", "maximum"}
_ARRAY_KEYWORDS: Final = {"type", "description", "default", "items", "minItems", "maxItems"}
_OBJECT_KEYWORDS: Final = {"type", "description", "default", "properties", "additionalProperties", "minProperties"}
_LIBRARY_ITEMS: Final[Any] = jsonschema.Draft202012Validator.VALIDATORS["items"]
_Validator: Final[Any] = jsonschema.validators.extend(  # type: ignore[no-untyped-call]  # the library has no types
    jsonschema.Draft202012Validator,
    {"items": _unfit_items},
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
    kinds = part.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "integer" in kinds and isinstance(value, float) and _is_integer(None, value):
        return int(value)
    if "number" in kinds and isinstance(value, int) and _is_integer(None, value):
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
    """Return the definition that a part of a schema refers to; of alternatives, the first that the value fits."""
    if "$ref" in part:
        part = root["$defs"][part["$ref"].removeprefix("#/$defs/")]
    fitting = (one for one in part.get("anyOf", ()) if _Validator(root).evolve(schema=one).is_valid(value))
    return next(fitting, part)
