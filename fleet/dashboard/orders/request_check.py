"""Checks request bodies against their schemas, and reports all mistakes at once."""

from collections.abc import Iterator
from typing import Any

from fleet.dashboard.orders.fleet_orders import Verb
from fleet.dashboard.orders.request_errors import BadRequestError, RequestProblem
from fleet.dashboard.orders.request_schemas import JsonSchema, request_schema
from thymio_base.errors import TextError
from thymio_base.texts.json_text import read_json


def checked_request(verb: Verb, body: object) -> dict[str, Any]:
    """Return the fields of a request, with defaults for those that are missing.

    Raises
    ------
    BadRequestError
        The body does not fit the schema of the verb.
    """
    return checked_body(body, request_schema(verb))


def checked_body(body: object, schema: JsonSchema) -> dict[str, Any]:
    """Return a body with the defaults of its schema.

    Raises
    ------
    BadRequestError
        The body does not fit; the error lists all mistakes.
    """
    from thymio_base.settings_file import dotted, fitted_values  # noqa: PLC0415  the page must answer before

    values, problems = fitted_values(body, schema)
    found = [RequestProblem(dotted(key_path), text) for key_path, text in problems]
    if not found:
        found = list(_unprintable(values, ""))
    if found:
        raise BadRequestError(found)
    fields: dict[str, Any] = values
    return fields


def read_body(body: bytes) -> Any:
    """Return a body as JSON; an empty one is an empty object.

    Raises
    ------
    BadRequestError
        The body is not JSON, or nested too deeply.
    """
    try:
        return read_json(body or b"{}")
    except TextError as error:
        raise BadRequestError(f"the body is not JSON: {error}") from error


def _unprintable(value: object, place: str) -> Iterator[RequestProblem]:
    """Yield texts with unprintable characters; newlines are allowed where the schema says so."""
    if isinstance(value, str):
        foreign = [one for one in value if not (one.isprintable() or one == "\n")]
        if foreign:
            yield RequestProblem(place, f"it has {foreign[0]!r}, which cannot be printed: leave that out")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _unprintable(item, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unprintable(item, f"{place}[{index}]")
