"""Receives commands: checks their sender, performs them, and answers with what they started."""

import asyncio
from typing import Any, Final

from aiohttp import web

from fleet.dashboard.access.key_ring import Session, printable_name
from fleet.dashboard.access.request_refusal import RefusalError, performed
from fleet.dashboard.model.published_state import Section
from fleet.dashboard.orders.command_desk import CommandDesk
from fleet.dashboard.orders.command_log import Person
from fleet.dashboard.orders.fleet_orders import Verb
from fleet.dashboard.orders.request_check import checked_request, read_body
from fleet.dashboard.orders.request_errors import BadRequestError
from fleet.dashboard.web.gate import Gate, person_of
from fleet.dashboard.web.http_answers import json_answer

_FORMER: Final = {"follow": Verb.FOLLOW_PATH}
_VERBS: Final = {verb.value: verb for verb in Verb if verb is not Verb.DRIVE} | _FORMER


class CommandPosts:
    """Handles every command sent by POST.

    Parameters
    ----------
    board : performs commands
    gate : admits requests
    """

    def __init__(self, board: CommandDesk, gate: Gate) -> None:
        self._board = board
        self._gate = gate

    async def post(self, request: web.Request) -> web.Response:
        """Perform a command."""
        self._gate.check_command(request)
        verb = _VERBS.get(request.match_info["verb"])
        if verb is None:
            raise RefusalError(404, f"There is no command of that name; there are {', '.join(_VERBS)}.")
        body = _json(await request.read())
        if verb is Verb.KEY:
            return self._open(request, body)
        session = self._gate.session(request)
        self._gate.check_rate(request, session, verb)
        self._gate.check_role(verb, session)
        if verb is Verb.NAME:
            return self._name(session, body)
        return await self._perform(verb, body, person_of(request, session))

    async def _perform(self, verb: Verb, body: Any, person: Person) -> web.Response:
        commands = performed(self._board, verb, body, person, self._gate.clock(), bad_status=400)
        if verb is Verb.STOP:
            await self.stop_local()
        if verb in (Verb.STOP, Verb.RESUME):
            return json_answer({"commands": commands, "stop": self._board.story.state.get(Section.FLEET, "stop")})
        return json_answer({"commands": commands})

    async def stop_local(self) -> None:
        """Stop the drivers of this host at once: they confirm within one tick."""
        drivers = await asyncio.to_thread(self._board.execution.stop_local)
        self._board.note_confirmed(drivers, self._gate.clock())

    def _open(self, request: web.Request, body: Any) -> web.Response:
        session = self._gate.open(request, _text(Verb.KEY, body))
        answer = json_answer({"commands": [], "role": session.role.value})
        self._gate.give_cookie(answer, session)
        return answer

    def _name(self, session: Session, body: Any) -> web.Response:
        session.name = printable_name(_text(Verb.NAME, body))
        return json_answer({"commands": []})


def _json(body: bytes) -> Any:
    try:
        return read_body(body)
    except BadRequestError as error:
        raise RefusalError(400, str(error)) from error


def _text(verb: Verb, body: Any) -> str:
    """Return the only text of a body, whose field is named like the verb."""
    try:
        return str(checked_request(verb, body)[verb.value])
    except BadRequestError as error:
        raise RefusalError(400, str(error)) from error
