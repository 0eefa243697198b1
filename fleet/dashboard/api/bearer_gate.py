"""The gate for programs: checks their tokens, their roles and their request rates."""

from collections.abc import Callable
from typing import Final

from aiohttp import web

from fleet.dashboard.access.rate_limit import RateLimit
from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.access.roles import Role
from fleet.dashboard.access.token_ring import ProgramToken, TokenRing
from fleet.dashboard.orders.fleet_orders import Verb

_REQUESTS: Final = 50
_COMMANDS: Final = 20
_UNKNOWN: Final = 20  # a second, from one address: tokens cannot be guessed, but each look-up costs time
_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="thymio_fleet"'}
_ADVICE: Final = "make one by `thymio-fleet dashboard token add NAME`, and send it as `Authorization: Bearer TOKEN`"


class BearerGate:
    """Admits requests with a valid token in their header, and nothing else.

    Parameters
    ----------
    tokens : those that are valid
    clock : returns the time since the server started [ns]
    """

    def __init__(self, tokens: TokenRing, clock: Callable[[], int]) -> None:
        self._tokens = tokens
        self._clock = clock
        self._requests = RateLimit(_REQUESTS, "requests")
        self._commands = RateLimit(_COMMANDS, "commands")
        self._stops = RateLimit(_COMMANDS, "stops")  # many earlier commands must not hold a STOP back
        self._unknown = RateLimit(_UNKNOWN, "requests without a valid token")

    def token(self, request: web.Request) -> ProgramToken:
        """Return the token of a request; refuse a request without."""
        kind, _, text = request.headers.get("Authorization", "").partition(" ")
        token = self._tokens.find(text.strip(), self._clock()) if kind.lower() == "bearer" else None
        if token is None:
            self._count(self._unknown, request.remote or "")
            what = "This token is not valid, or was revoked" if text else "This takes a token"
            raise RefusalError(401, f"{what}: {_ADVICE}.", headers=_CHALLENGE)
        return token

    def admit(self, request: web.Request, role: Role, verb: Verb | None) -> ProgramToken:
        """Return the token of a request; refuse it if its role does not include `role`, or if it comes too often."""
        token = self.token(request)
        limit = self._requests if verb is None else self._stops if verb is Verb.STOP else self._commands
        self._count(limit, token.name)
        if not token.role.includes(role):
            raise RefusalError(403, f"The token of {token.name} is a {token.role.value}'s; this takes {role.value}.")
        return token

    @staticmethod
    def is_offered(request: web.Request) -> bool:
        """Whether a request carries a token, valid or not."""
        return request.headers.get("Authorization", "").lower().startswith("bearer ")

    def is_valid(self, token: ProgramToken) -> bool:
        """Whether an admitted token is still valid."""
        return self._tokens.is_valid(token, self._clock())

    def _count(self, limit: RateLimit, key: str) -> None:
        if not limit.allows(key, self._clock()):
            raise RefusalError(429, f"More than {limit.text}: wait a moment.", headers={"Retry-After": "1"})
