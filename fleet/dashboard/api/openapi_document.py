"""The OpenAPI 3.1 document of the API, made from the table of operations."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fleet.dashboard.api.answer_schemas import ANSWERS
from fleet.dashboard.api.operations import BASE, EVENT_KINDS, OPERATIONS, ApiOperation
from fleet.dashboard.orders.request_schemas import DEFINITIONS, described_object

_OF_ALL: Final = (401, 403, 421, 422, 429, 500)
_OF_BODIES: Final = (400, 413, 415)
_INTRODUCTION: Final = """Commands and reads a fleet of Thymio II robots.

Units are SI, and are part of the names of fields. Tokens are made by `thymio-fleet dashboard token add`, and are sent
in the header Authorization alone."""


def openapi_document(version: str) -> dict[str, Any]:
    """Return the OpenAPI document for a version of the product."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(BASE + operation.path, {})[operation.method.lower()] = _operation(operation)
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Thymio fleet", "version": version, "description": _INTRODUCTION},
        "security": [{"token": []}],
        "paths": paths,
        "webhooks": {kind: {"post": _delivery(kind)} for kind in EVENT_KINDS},
        "components": {
            "schemas": {**DEFINITIONS, **ANSWERS},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    located: dict[str, Any] = _located(document)
    return located


def _operation(operation: ApiOperation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"Takes the token of a role that includes {operation.role.value}.",
        "parameters": _parameters(operation),
        "responses": _responses(operation),
    }
    if operation.body is not None:
        content = {"application/json": {"schema": operation.body}}
        found["requestBody"] = {"required": bool(operation.body.get("required", True)), "content": content}
    return found


def _parameters(operation: ApiOperation) -> list[dict[str, Any]]:
    groups = (("path", operation.path_fields), ("query", operation.query), ("header", operation.headers))
    return [
        {"name": name, "in": place, "required": place == "path", "schema": schema}
        for place, fields in groups
        for name, schema in fields.items()
    ]


def _responses(operation: ApiOperation) -> dict[str, Any]:
    refusals = {*operation.refusals, *_OF_ALL, *(_OF_BODIES if operation.body is not None else ())} - {202}
    found = {str(operation.status): _good(operation)}
    if 202 in operation.refusals:
        found["202"] = _good(operation) | {"description": "Its outcome is not known yet: Location says where to ask."}
    return found | {str(status): _refused(status) for status in sorted(refusals)}


def _good(operation: ApiOperation) -> dict[str, Any]:
    description = {"description": HTTPStatus(operation.status).phrase}
    if operation.answer is not None:
        return description | {"content": {"application/json": {"schema": operation.answer}}}
    if operation.status == HTTPStatus.NO_CONTENT:
        return description
    return description | {"content": {"text/event-stream": {"schema": {"type": "string"}}}}


def _refused(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/$defs/problem"}
    phrase = HTTPStatus(status).phrase
    return {"description": phrase, "content": {"application/problem+json": {"schema": schema}}}


def _delivery(kind: str) -> dict[str, Any]:
    subject = "job_answer" if kind == "job_ended" else "alarm_answer"
    schema = described_object(
        {"type": {"const": kind}, "time_unix_s": {"type": "number"}, "data": {"$ref": f"#/$defs/{subject}"}}
    )
    return {
        "summary": kind.replace("_", " ").capitalize(),
        "description": "Signed by the headers webhook-id, webhook-timestamp and webhook-signature.",
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {"2XX": {"description": "Taken; any other answer is tried again."}},
    }


def _located(value: Any) -> Any:
    """Return a part of the document with its references pointing into the document."""
    if isinstance(value, Mapping):
        return {key: _target(item) if key == "$ref" else _located(item) for key, item in value.items()}
    return [_located(item) for item in value] if isinstance(value, list | tuple) else value


def _target(reference: str) -> str:
    return reference.replace("#/$defs/", "#/components/schemas/")
