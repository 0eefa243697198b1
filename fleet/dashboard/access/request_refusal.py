"""The refusal of a request, of pages and of programs."""

from collections.abc import Iterable, Mapping

from fleet.dashboard.orders.request_errors import BadRequestError, ConflictError, NotFoundError, RequestProblem


class RefusalError(Exception):
    """A request is refused.

    Parameters
    ----------
    status : as in HTTP
    text : a sentence for people
    problems : all mistakes of a body
    headers : that the answer needs
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


def refusal_of(error: BadRequestError | NotFoundError | ConflictError, bad_status: int) -> RefusalError:
    """Return the refusal for what is wrong with a request; `bad_status` is that of a body that does not fit."""
    status = 404 if isinstance(error, NotFoundError) else 409 if isinstance(error, ConflictError) else bad_status
    return RefusalError(status, str(error), error.problems)
