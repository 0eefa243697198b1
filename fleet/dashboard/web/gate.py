"""The gate for every request of pages: checks host, origin, session and rate."""

from collections.abc import Callable
from typing import Final

from aiohttp import web

from fleet.dashboard.access.addresses import OurAddresses, is_loopback
from fleet.dashboard.access.key_ring import KeyRing, Session, WrongKeyError
from fleet.dashboard.access.rate_limit import RateLimit
from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.access.roles import Role, role_problem
from fleet.dashboard.api.bearer_gate import BearerGate
from fleet.dashboard.api.operations import BASE
from fleet.dashboard.orders.command_log import Person
from fleet.dashboard.orders.fleet_orders import Verb

_COMMANDS: Final = 20  # a second, from one session
_MANUAL: Final = 40  # commands of teleoperation a second
_HEADER: Final = "X-Fleet"
_ONE_TIME_NS: Final = 600_000_000_000  # then the unused key of a QR code expires


class Gate:
    """Admits requests, or refuses them with a sentence.

    Parameters
    ----------
    addresses : our own
    keys : keys and sessions
    cookie : name of our cookie; browsers send cookies to all ports of a host
    clock : returns the time since the server started [ns]
    programs : admits programs with a token
    is_secure : whether the connection is encrypted

    Attributes
    ----------
    clock : the same
    viewers_may_stop : whether STOP needs no key
    """

    def __init__(
        self,
        addresses: OurAddresses,
        keys: KeyRing,
        cookie: str,
        clock: Callable[[], int],
        programs: BearerGate,
        *,
        is_secure: bool,
    ) -> None:
        self.clock = clock
        self._addresses = addresses
        self._keys = keys
        self._cookie = cookie
        self._programs = programs
        self._is_secure = is_secure
        self._limit = RateLimit(_COMMANDS)
        self._own_limits: dict[Verb | None, RateLimit] = {  # many earlier commands must not hold a STOP back
            Verb.DRIVE: RateLimit(_MANUAL, "commands of driving by hand"),
            Verb.STOP: RateLimit(_COMMANDS, "stops"),
        }
        self.viewers_may_stop = False

    def check_host(self, request: web.Request) -> None:
        """Refuse a request with a foreign Host."""
        if not self._addresses.is_our_host(request.headers.get("Host")):
            raise RefusalError(421, "This host name is none of the dashboard's: use the address that it printed.")

    def check_page(self, request: web.Request) -> None:
        """Refuse a request that does not come from our page."""
        if not self._addresses.is_our_origin(request.headers.get("Origin")):
            what = "Only the dashboard's own page may do this: the Origin is missing, or foreign"
            raise RefusalError(403, f"{what}. Programs use {BASE} with a token, see docs/api.md.")

    def check_command(self, request: web.Request) -> None:
        """Refuse a POST that a foreign page could have sent."""
        self.check_page(request)
        if request.headers.get(_HEADER) != "1":
            raise RefusalError(403, f"Commands need the header {_HEADER}: 1.")
        if request.content_type != "application/json":
            raise RefusalError(415, "Commands need the content type application/json.")
        if request.headers.get("Content-Encoding", "identity") != "identity":
            raise RefusalError(415, "Commands need a body that is not compressed.")

    def session(self, request: web.Request) -> Session:
        """Return the session of a request; for a browser on this machine without a cookie, a viewer's session.

        A program with a token may read what pages read, such as the metrics; it sends commands to the API instead.
        """
        if request.method == "GET" and self._programs.is_offered(request):
            token = self._programs.admit(request, Role.VIEWER, None)
            return Session(0, token.role, name=token.name)
        session = self._keys.session(request.cookies.get(self._cookie))
        if session is not None:
            return session
        if is_loopback(request.remote):
            return self._keys.guest()
        raise RefusalError(401, "This dashboard needs a key: open the address that it printed, or scan its QR code.")

    def check_role(self, verb: Verb, session: Session) -> None:
        """Refuse a verb that the session's role may not command."""
        problem = role_problem(verb, session.role, viewers_may_stop=self.viewers_may_stop)
        if problem:
            raise RefusalError(403, problem)

    def check_rate(self, request: web.Request, session: Session, verb: Verb | None = None) -> None:
        """Refuse requests above the rate limit."""
        limit = self._own_limits.get(verb, self._limit)
        key = session.token or f"{request.remote}"
        if not limit.allows(key, self.clock()):
            raise RefusalError(429, f"More than {limit.text}: wait a moment.")

    def open(self, request: web.Request, key: str) -> Session:
        """Return a new session for a key."""
        try:
            return self._keys.open(key, request.remote or "", self.clock())
        except WrongKeyError as error:
            status = 429 if error.is_limited else 401
            raise RefusalError(status, f"{str(error).capitalize()}.") from error

    def give_cookie(self, response: web.StreamResponse, session: Session) -> None:
        """Set the cookie by which a browser keeps its session."""
        response.set_cookie(
            self._cookie, session.token, httponly=True, samesite="Strict", secure=self._is_secure, path="/"
        )

    def one_time_key(self, role: Role) -> str:
        """Return a key that opens a single session."""
        return self._keys.one_time_key(role, self.clock() + _ONE_TIME_NS)


def person_of(request: web.Request, session: Session) -> Person:
    """Return who sends a request."""
    return Person(session.label, session.role.value, request.remote or "")
