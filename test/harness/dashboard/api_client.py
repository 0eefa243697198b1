"""A program that uses the API of a dashboard's server."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator
from typing import Any, Final

import aiohttp
import jsonschema

from fleet.dashboard.access.roles import Role
from fleet.dashboard.api.openapi_document import openapi_document
from harness.dashboard.scripted_dashboard import TOKENS
from harness.dashboard.server_stage import ServerStage

_DOCUMENT: Final = openapi_document("0.1.0")


class ApiClient:
    """A program with the token of a role, or with another one, or none."""

    def __init__(self, stage: ServerStage, token: str | Role | None = Role.OPERATOR) -> None:
        self._stage = stage
        text = TOKENS[token] if isinstance(token, Role) else token
        self._headers = {} if text is None else {"Authorization": f"Bearer {text}"}
        self.session = stage.browser().session

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Return the status and the JSON of an answer; the stage's time stands still."""
        answer, values = await self.answer(method, path, body, **headers)
        return answer.status, values

    async def answer(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[aiohttp.ClientResponse, Any]:
        """Return an answer and its JSON."""
        given = self._headers | {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            given = {"Content-Type": "application/json"} | given
        url = self._stage.url + (path if path.startswith("/openapi") else f"/api/v1{path}")
        async with self.session.request(method, url, data=data, headers=given) as answer:
            text = await answer.text()
            values = json.loads(text) if text else None
            check_answer(method, answer.url.path, answer.status, answer.content_type, values)
            return answer, values

    async def get(self, path: str, **headers: str) -> tuple[int, Any]:
        return await self.ask("GET", path, **headers)

    async def command(self, verb: str, body: Any, query: str = "?wait_s=0", **headers: str) -> tuple[int, Any]:
        return await self.ask("POST", f"/commands/{verb}{query}", body, **headers)

    @contextlib.asynccontextmanager
    async def events(self, last: str | None = None) -> AsyncIterator["EventReader"]:
        """Read the stream of events."""
        headers = self._headers | ({} if last is None else {"Last-Event-ID": last})
        async with self.session.get(f"{self._stage.url}/api/v1/events/stream", headers=headers) as answer:
            assert answer.status == 200, await answer.text()
            yield EventReader(answer)


def check_answer(method: str, path: str, status: int, content_type: str, values: Any) -> None:
    """Assert that an answer is one that the document describes."""
    operation = _operation(method, path)
    if operation is None:
        assert status in (200, 401, 404, 405, 421), (method, path, status)
        return
    described = operation["responses"].get(str(status))
    assert described is not None, f"{method} {path} answered {status}, which the document does not have"
    content = described.get("content", {})
    if content:
        schema = content[content_type]["schema"]
        jsonschema.Draft202012Validator(schema | {"components": _DOCUMENT["components"]}).validate(values)


def _operation(method: str, path: str) -> dict[str, Any] | None:
    """Return the operation of the document at an address; one without parameters hides others."""
    patterns = sorted(_DOCUMENT["paths"], key=lambda pattern: "{" in pattern)
    found = (pattern for pattern in patterns if re.fullmatch(re.sub("{[a-z]+}", "[^/]+", pattern), path))
    operation: dict[str, Any] | None = _DOCUMENT["paths"].get(next(found, ""), {}).get(method.lower())
    return operation


class EventReader:
    """Reads server-sent events."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self.answer = answer

    async def next(self) -> dict[str, str]:
        """Return the fields of the next event; comments are skipped."""
        found: dict[str, str] = {}
        while True:
            line = (await asyncio.wait_for(self.answer.content.readline(), 20.0)).decode()
            assert line, "the stream has ended"
            if line == "\n" and found:
                return found
            name, _, value = line.rstrip("\n").partition(": ")
            if name:
                found[name] = value
