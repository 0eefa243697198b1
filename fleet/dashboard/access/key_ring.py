"""Keys of roles, one-time keys, and the cookies that browsers get for them."""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from fleet.dashboard.access.roles import Role

_WRONG_KEYS: Final = 5
_WRONG_NS: Final = 60_000_000_000
_SESSIONS: Final = 200  # the oldest session makes room for a new one, and is added again when its browser returns
_NAME_CHARACTERS: Final = 40


class WrongKeyError(Exception):
    """The key is unknown, or is not looked at because too many were wrong (`is_limited`)."""

    def __init__(self, *, is_limited: bool) -> None:
        super().__init__("too many wrong keys: wait a minute" if is_limited else "this key is not ours, or was used")
        self.is_limited = is_limited


@dataclass(slots=True)
class Session:
    """A browser that has shown a key, or one on this machine without any.

    Parameters
    ----------
    number : identifies it in logs
    token : its cookie; "" for a browser without one
    name : chosen by its user
    """

    number: int
    role: Role
    token: str = ""
    name: str = ""

    @property
    def label(self) -> str:
        """Its name in logs."""
        return self.name or f"s{self.number}"


class KeyRing:
    """The valid keys, and the sessions opened with them.

    Cookies are signed and outlive the server: a page carries on when the server is restarted.

    Parameters
    ----------
    keys : the key of each role
    secret : signs cookies
    make_token : returns a new secret of at least 128 bit
    """

    def __init__(self, keys: Mapping[Role, str], secret: str, make_token: Callable[[], str]) -> None:
        self._keys = dict(keys)
        self._secret = secret.encode()
        self._make_token = make_token
        self._one_time: dict[str, tuple[Role, int | None]] = {}  # with the end of their validity; None is for ever
        self._sessions: dict[str, Session] = {}
        self._count = 0
        self._wrong: dict[str, list[int]] = {}  # times of wrong keys, by the browser's address

    def one_time_key(self, role: Role, until_ns: int | None = None) -> str:
        """Return a new key that opens a single session, valid until an instant or for ever."""
        key = self._make_token()
        self._one_time[key] = role, until_ns
        if len(self._one_time) > _SESSIONS:
            del self._one_time[next(iter(self._one_time))]
        return key

    def is_unused(self, key: str) -> bool:
        """Whether a one-time key can still be used."""
        return key in self._one_time

    def open(self, key: str, address: str, now_ns: int) -> Session:
        """Return a new session for a key.

        Raises
        ------
        WrongKeyError
            The key is unknown, or its browser has shown too many wrong keys.
        """
        wrong = [when for when in self._wrong.get(address, ()) if now_ns - when < _WRONG_NS]
        if len(wrong) >= _WRONG_KEYS:
            raise WrongKeyError(is_limited=True)
        role = self._role(key, now_ns)
        if role is None:
            self._wrong = {one: times for one, times in self._wrong.items() if now_ns - times[-1] < _WRONG_NS}
            self._wrong[address] = [*wrong, now_ns]
            raise WrongKeyError(is_limited=False)
        named = f"{role.value}.{self._make_token()}"
        return self._add(role, f"{named}.{self._signature(named)}")

    def guest(self) -> Session:
        """Return a viewer's session for this machine; it ends with its connection."""
        self._count += 1
        return Session(self._count, Role.VIEWER)

    def session(self, token: str | None) -> Session | None:
        """Return the session of a cookie, None if it is unknown."""
        if token is None or token in self._sessions:
            return self._sessions.get(token or "")
        named, _, signature = token.rpartition(".")
        if not hmac.compare_digest(self._signature(named).encode(), signature.encode()):
            return None
        return self._add(Role(named.partition(".")[0]), token)

    def _signature(self, named: str) -> str:
        return hmac.new(self._secret, named.encode(), "sha256").hexdigest()

    def _add(self, role: Role, token: str) -> Session:
        self._count += 1
        session = Session(self._count, role, token)
        self._sessions[token] = session
        if len(self._sessions) > _SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session

    def _role(self, key: str, now_ns: int) -> Role | None:
        offered = key.encode()
        for one, (role, until_ns) in list(self._one_time.items()):
            if hmac.compare_digest(one.encode(), offered):
                del self._one_time[one]
                return role if until_ns is None or now_ns < until_ns else None
        matching = (role for role, one in self._keys.items() if hmac.compare_digest(one.encode(), offered))
        return next(matching, None)


def printable_name(name: str) -> str:
    """Return a user's chosen name without unprintable characters, cut to the allowed length."""
    return "".join(character for character in name if character.isprintable())[:_NAME_CHARACTERS].strip()
