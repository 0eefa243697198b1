"""Reads parameters and bodies of API requests by the schemas of their operations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.access.token_ring import ProgramToken
from fleet.dashboard.api.operations import ApiOperation
from fleet.dashboard.orders.request_check import checked_body, read_body
from fleet.dashboard.orders.request_errors import BadRequestError, RequestProblem
from fleet.dashboard.orders.request_schemas import DEFINITIONS, JsonSchema, described_object
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import real_number, whole_number


@dataclass(frozen=True, slots=True)
class Asked:
    """An admitted request.

    Parameters
    ----------
    token : the program's token
    fields : the parameters in its path, its query and its headers
    """

    request: web.Request
    operation: ApiOperation
    token: ProgramToken
    fields: Mapping[str, Any]


_READERS: Final = {"integer": whole_number, "number": real_number}


def read_request(request: web.Request, operation: ApiOperation, token: ProgramToken) -> Asked:
    """Return a request with its parameters.

    Raises
    ------
    RefusalError
        They do not fit the schemas of the operation.
    """
    return Asked(request, operation, token, _query_of(request, operation) | _path_of(request, operation))


def _query_of(request: web.Request, operation: ApiOperation) -> dict[str, Any]:
    """Return the parameters in the query and the headers of a request, with their defaults."""
    fields = {**operation.query, **operation.headers}
    texts = {name: request.headers[name] for name in operation.headers if name in request.headers}
    for name, text in request.query.items():
        if name in texts:
            raise RefusalError(422, f"{name} is given twice.", [RequestProblem(name, "is given twice")])
        texts[name] = text
    values = {name: _value(text, fields.get(name, {})) for name, text in texts.items()}
    return _checked(values, described_object(fields, *fields))


def _path_of(request: web.Request, operation: ApiOperation) -> dict[str, Any]:
    """Return the parameters in the path of a request."""
    fields = operation.path_fields
    values = {name: _value(request.match_info[name], schema) for name, schema in fields.items()}
    return _checked(values, described_object(fields))


async def body_of(request: web.Request) -> Any:
    """Return the body of a request as JSON, an empty object if it has none."""
    data = await request.read()
    if data and request.content_type != "application/json":
        raise RefusalError(415, f"The content type is {request.content_type}: send application/json.")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise RefusalError(415, "The body is compressed: send it as it is.")
    try:
        return read_body(data)
    except BadRequestError as error:
        raise RefusalError(400, str(error)) from error


def fitting(body: Any, operation: ApiOperation) -> dict[str, Any]:
    """Return a body with defaults filled in; refuse one that does not fit its operation's schema."""
    return _checked(body, {**(operation.body or {}), "$defs": DEFINITIONS})


def _checked(values: Any, schema: JsonSchema) -> dict[str, Any]:
    try:
        return checked_body(values, schema)
    except BadRequestError as error:
        raise RefusalError(422, str(error), error.problems) from error


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    """Return a text as a number where the schema wants one; the schema refuses any other text."""
    read = _READERS.get(schema.get("type", ""))
    if read is None:
        return text
    try:
        return read(text)
    except TextError:
        return text
