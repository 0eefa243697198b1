"""Performs the commands of programs, and answers with the outcomes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from aiohttp import web

from fleet.dashboard.access.request_refusal import RefusalError, performed
from fleet.dashboard.api.answer_schemas import answer_of
from fleet.dashboard.api.operations import BASE, IDEMPOTENCY_KEY
from fleet.dashboard.api.problem_answers import problem_answer
from fleet.dashboard.api.remembered_requests import RememberedRequests
from fleet.dashboard.api.request_reading import Asked, body_of
from fleet.dashboard.model.published_state import Section
from fleet.dashboard.orders.command_desk import CommandDesk
from fleet.dashboard.orders.command_log import CommandState, Person
from fleet.dashboard.orders.fleet_orders import Verb

_LOOK_S: Final = 0.02
_REFUSED: Final = (CommandState.REJECTED.value, CommandState.FAILED.value)


class ApiCommands:
    """Performs every command that programs may send.

    Parameters
    ----------
    board : performs commands
    clock : returns the time since the server started [ns]
    stop_local : stops the drivers of this host at once
    started_unix_s : when the clock started
    """

    def __init__(
        self,
        board: CommandDesk,
        clock: Callable[[], int],
        stop_local: Callable[[], Awaitable[None]],
        started_unix_s: float,
    ) -> None:
        self._board = board
        self._clock = clock
        self._stop_local = stop_local
        self._started_unix_s = started_unix_s
        self._remembered = RememberedRequests()

    async def perform(self, asked: Asked) -> web.Response:
        """Perform a command, unless it was performed already, and wait for its outcome."""
        verb, body = asked.operation.verb, await body_of(asked.request)
        assert verb is not None, asked.operation
        key = asked.fields.get(IDEMPOTENCY_KEY)
        ids = None if key is None else self._remembered.commands(asked.token, key, verb, body)
        if ids is None:
            ids = tuple(command["id"] for command in self._started(verb, body, asked))
            if key is not None:
                self._remembered.note(asked.token, key, verb, body, ids)
            if verb is Verb.STOP:
                await self._stop_local()
        return self._answer(verb, await self._outcome(ids, asked.fields["wait_s"]))

    def _started(self, verb: Verb, body: Any, asked: Asked) -> Sequence[dict[str, Any]]:
        person = Person(asked.token.name, asked.token.role.value, asked.request.remote or "")
        return performed(self._board, verb, body, person, self._clock(), bad_status=422)

    async def _outcome(self, ids: Sequence[str], wait_s: float) -> list[dict[str, Any]]:
        """Return commands as soon as all are over, or after `wait_s`."""
        until_ns = self._clock() + int(wait_s * 1e9)
        known: dict[str, dict[str, Any]] = {}
        while True:
            known |= {one: entry for one in ids if (entry := self._board.commands.entry(one)) is not None}
            if len(known) < len(ids):
                raise RefusalError(409, "This was performed too long ago to tell its outcome: read jobs or robots.")
            if all(map(_is_over, known.values())) or self._clock() >= until_ns:
                return list(known.values())
            await asyncio.sleep(_LOOK_S)

    def _answer(self, verb: Verb, entries: Sequence[dict[str, Any]]) -> web.Response:
        commands = [answer_of("command_answer", entry, self._started_unix_s) for entry in entries]
        if commands and all(command["state"] in _REFUSED for command in commands):
            first = commands[0]
            text = f"{first['reason'] or first['state']}: {first['text'] or 'no reason was given'}"
            return problem_answer(RefusalError(409, text), commands)
        is_stop = verb in (Verb.STOP, Verb.RESUME)
        stop = self._board.story.state.get(Section.FLEET, "stop") if is_stop else None
        values = {"commands": commands, "stop": stop}
        waiting = [entry["id"] for entry in entries if not _is_over(entry)]
        if not waiting:
            return web.json_response(values)
        return web.json_response(values, status=202, headers={"Location": f"{BASE}/commands/{waiting[0]}"})


def _is_over(entry: dict[str, Any]) -> bool:
    return CommandState(entry["state"]).is_final
