"""Answers of the API: JSON, and problem details (RFC 9457)."""

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

from aiohttp import web

from fleet.dashboard.access.request_refusal import RefusalError

_PROBLEM_TYPE: Final = "application/problem+json"


def problem_answer(refusal: RefusalError, commands: Sequence[dict[str, Any]] = ()) -> web.Response:
    """Return a refusal as problem details, with the commands that were not carried out."""
    problem: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(refusal.status).phrase,
        "status": refusal.status,
        "detail": str(refusal),
    }
    if refusal.problems:
        problem["problems"] = [{"field": one.field, "text": one.text} for one in refusal.problems]
    if commands:
        problem["commands"] = list(commands)
    text = json.dumps(problem)
    return web.Response(text=text, status=refusal.status, content_type=_PROBLEM_TYPE, headers=refusal.headers)
