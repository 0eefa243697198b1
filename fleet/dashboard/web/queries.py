"""Answers queries for state, history, events, numbers and metrics."""

import asyncio
import json
from collections.abc import Callable
from typing import Final

from aiohttp import web

from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.model.history import LENGTH_S
from fleet.dashboard.model.metrics import CONTENT_TYPE
from fleet.dashboard.orders.command_desk import CommandDesk
from fleet.dashboard.web.fleet_readiness import readiness
from fleet.dashboard.web.gate import Gate
from fleet.dashboard.web.http_answers import binary_answer, json_answer, text_answer
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import real_number

_EVENTS: Final = 2000
_SHORTEST_STEP_S: Final = 0.5
_AT_ONCE: Final = 16  # frames
_LONGEST_PAST_S: Final = 120.0
_PAST_EVENTS: Final = 200


class Queries:
    """Answers every query that viewers may send.

    Parameters
    ----------
    board : has all that is queried
    gate : admits requests
    metrics : returns the metrics as text
    """

    def __init__(self, board: CommandDesk, gate: Gate, metrics: Callable[[], str]) -> None:
        self._board = board
        self._gate = gate
        self._metrics = metrics

    async def state(self, request: web.Request) -> web.Response:
        """Return everything that pages show beside poses."""
        self._gate.session(request)
        update = self._board.story.state.update_since(0, self._gate.clock() * 1e-9)
        return text_answer(update, "application/json")

    async def command(self, request: web.Request) -> web.Response:
        """Return one command."""
        self._gate.session(request)
        entry = self._board.commands.entry(request.match_info["id"])
        if entry is None:
            raise RefusalError(404, "There is no such command, or it is too old.")
        return json_answer(entry)

    async def history(self, request: web.Request) -> web.Response:
        """Return frames of the last half hour."""
        self._gate.session(request)
        from_s, to_s = self._span(request)
        step_s = max(_number(request, "step_s", _SHORTEST_STEP_S), _SHORTEST_STEP_S)
        found: list[bytes] = []
        for frame in self._board.story.history.between(from_s, to_s, step_s):
            found.append(frame)
            if len(found) % _AT_ONCE == 0:
                await asyncio.sleep(0)  # so that a STOP need not wait for half an hour of frames
        return binary_answer(b"".join(found))

    async def past(self, request: web.Request) -> web.Response:
        """Return what pages showed beside poses, from one instant to another, and the events until then."""
        self._gate.session(request)
        from_s, to_s = self._span(request)
        story = self._board.story
        updates = ",".join(story.states.between(from_s, min(to_s, from_s + _LONGEST_PAST_S)))
        events = json.dumps(story.log.between(to_s - LENGTH_S, to_s, _PAST_EVENTS))
        return text_answer(f'{{"updates":[{updates}],"events":{events}}}', "application/json")

    async def events(self, request: web.Request) -> web.Response:
        """Return the events of an interval."""
        self._gate.session(request)
        from_s, to_s = self._span(request)
        return json_answer({"events": self._board.story.log.between(from_s, to_s, _EVENTS)})

    async def series(self, request: web.Request) -> web.Response:
        """Return a robot's recent numbers."""
        self._gate.session(request)
        robot_id = round(_number(request, "robot", 0.0))
        seconds = _number(request, "seconds", 60.0)
        until_s = _number(request, "until_s", self._gate.clock() * 1e-9)
        found = self._board.story.series.between(robot_id, until_s - seconds, until_s)
        if found is None:
            raise RefusalError(404, f"There is no robot {robot_id}.")
        return json_answer(found)

    async def metrics(self, request: web.Request) -> web.Response:
        """Return the metrics for Prometheus."""
        self._gate.session(request)
        return web.Response(text=self._metrics(), headers={"Content-Type": CONTENT_TYPE})

    async def health(self, _: web.Request) -> web.Response:
        """Report that the server is alive."""
        return json_answer({"ok": True})

    async def ready(self, _: web.Request) -> web.Response:
        """Report the fleet's readiness: 200, or 503 if a part is missing."""
        found = readiness(self._board.story, self._gate.clock())
        return json_answer(found.entry, 200 if found.is_ready else 503)

    def _span(self, request: web.Request) -> tuple[float, float]:
        now_s = self._gate.clock() * 1e-9
        return _number(request, "from_s", now_s - LENGTH_S), _number(request, "to_s", now_s)


def _number(request: web.Request, key: str, default: float) -> float:
    text = request.query.get(key)
    if text is None:
        return default
    try:
        return real_number(text)
    except TextError as error:
        raise RefusalError(400, f"{key}: {error}.") from error
