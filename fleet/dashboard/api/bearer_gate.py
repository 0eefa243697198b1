"""The gate of programs: their tokens, their roles, how often they may ask."""

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
_UNKNOWN: Final = 20  # a second, from one address: a token cannot be guessed, but looking costs
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
        self._stops = RateLimit(_COMMANDS, "stops")  # many commands before must not keep a STOP away
        self._unknown = RateLimit(_UNKNOWN, "requests without a valid token")

    def token(self, request: web.Request) -> ProgramToken:
        """Return the token of a request; refuse one without."""
        kind, _, text = request.headers.get("Authorization", "").partition(" ")
        token = self._tokens.find(text.strip(), self._clock()) if kind.lower() == "bearer" else None
        if token is None:
            self._count(self._unknown, request.remote or "")
            what = "This token is not valid, or was revoked" if text else "This takes a token"
            raise RefusalError(401, f"{what}: {_ADVICE}.", headers=_CHALLENGE)
        return token

    def admit(self, request: web.Request, role: Role, verb: Verb | None) -> ProgramToken:
        """Return the token of a request; refuse one whose role does not include another, or that comes too often."""
        token = self.token(request)
        limit = self._requests if verb is None else self._stops if verb is Verb.STOP else self._commands
        self._count(limit, token.name)
        if not token.role.includes(role):
            raise RefusalError(403, f"The token of {token.name} is a {token.role.value}'s; this takes {role.value}.")
        return token

    @staticmethod
    def is_offered(request: web.Request) -> bool:
        """Whether a request comes with a token, valid or not."""
        return request.headers.get("Authorization", "").lower().startswith("bearer ")

    def is_valid(self, token: ProgramToken) -> bool:
        """Whether a token that was admitted still is valid."""
        return self._tokens.is_valid(token, self._clock())

    def _count(self, limit: RateLimit, key: str) -> None:
        if not limit.allows(key, self._clock()):
            raise RefusalError(429, f"More than {limit.text}: wait a moment.", headers={"Retry-After": "1"})
