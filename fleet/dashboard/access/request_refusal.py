"""Performs requests of pages and programs, or refuses them."""

from collections.abc import Iterable, Mapping
from typing import Any

from fleet.dashboard.access.roles import is_fault
from fleet.dashboard.model.published_state import Section
from fleet.dashboard.orders.command_desk import CommandDesk
from fleet.dashboard.orders.command_log import Person
from fleet.dashboard.orders.fleet_orders import Verb
from fleet.dashboard.orders.request_errors import BadRequestError, ConflictError, NotFoundError, RequestProblem


class RefusalError(Exception):
    """A request is refused.

    Parameters
    ----------
    status : as in HTTP
    text : a sentence for people
    problems : all mistakes of a body
    headers : HTTP headers that the answer needs
    """

    def __init__(
        self,
        status: int,
        text: str,
        problems: Iterable[RequestProblem] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(text)
        self.status = status
        self.problems = tuple(problems)
        self.headers = dict(headers or {})


def performed(
    board: CommandDesk, verb: Verb, body: Any, person: Person, now_ns: int, *, bad_status: int
) -> list[dict[str, Any]]:
    """Perform a request, and return the commands it started; `bad_status` answers a body that does not fit.

    Raises
    ------
    RefusalError
        The request is not performed.
    """
    if is_fault(verb) and not board.story.state.get(Section.FLEET, "simulation"):
        raise RefusalError(403, f"{verb.value} exists in simulation alone, and no simulator runs.")
    try:
        return board.perform(verb, body, person, now_ns)
    except (BadRequestError, NotFoundError, ConflictError) as error:
        raise _refusal_of(error, bad_status) from error


def _refusal_of(error: BadRequestError | NotFoundError | ConflictError, bad_status: int) -> RefusalError:
    status = 404 if isinstance(error, NotFoundError) else 409 if isinstance(error, ConflictError) else bad_status
    return RefusalError(status, str(error), error.problems)
