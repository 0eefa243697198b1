"""Errors of refused requests."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from fleet.errors import FleetError

_SHOWN: Final = 10  # problems in one sentence


@dataclass(frozen=True, slots=True)
class RequestProblem:
    """One mistake of a request: `field` is its place in the body, such as "goals[0].x_m", "" for the body itself."""

    field: str
    text: str

    def __str__(self) -> str:
        return f"{self.field or 'the body'}: {self.text}"


class _RequestError(FleetError):
    """A request is refused.

    Parameters
    ----------
    problems : all mistakes, or one sentence about the request as a whole

    Attributes
    ----------
    problems : the mistakes; empty for a sentence
    """

    def __init__(self, problems: str | Iterable[RequestProblem]) -> None:
        self.problems = () if isinstance(problems, str) else tuple(problems)
        more = len(self.problems) - _SHOWN
        shown = [*map(str, self.problems[:_SHOWN]), *([f"and {more} more"] if more > 0 else [])]
        super().__init__(problems if isinstance(problems, str) else "; ".join(shown))


class BadRequestError(_RequestError, ValueError):
    """The body of a request is not what its verb needs."""


class NotFoundError(_RequestError, LookupError):
    """Something that a request names does not exist."""


class ConflictError(_RequestError, RuntimeError):
    """The request conflicts with the present state, such as the work of others."""
