"""Keys of roles, one-time keys, and the cookies that browsers get for them."""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from fleet.dashboard.access.roles import Role

_ONE_TIME_NS: Final = 600_000_000_000  # a one-time key that is not used by then is void
_WRONG_KEYS: Final = 5
_WRONG_NS: Final = 60_000_000_000
_SESSIONS: Final = 200  # the oldest one is dropped for a new one
_NAME_CHARACTERS: Final = 40


class WrongKeyError(Exception):
    """The key is none of ours; `is_limited` if so many were wrong that none is looked at."""

    def __init__(self, *, is_limited: bool) -> None:
        super().__init__("too many wrong keys: wait a minute" if is_limited else "this key is not ours, or was used")
        self.is_limited = is_limited


@dataclass(slots=True)
class Session:
    """A browser that has shown a key, or one on this machine without any.

    Parameters
    ----------
    number : shows in logs
    token : its cookie; "" for a browser without one
    name : chosen by its user
    """

    number: int
    role: Role
    token: str = ""
    name: str = ""

    @property
    def label(self) -> str:
        """Who it is, in logs."""
        return self.name or f"s{self.number}"


class KeyRing:
    """Knows the keys, and the sessions that were opened with them.

    Parameters
    ----------
    keys : of each role
    make_token : returns a new secret of at least 128 bit
    """

    def __init__(self, keys: Mapping[Role, str], make_token: Callable[[], str]) -> None:
        self._keys = dict(keys)
        self._make_token = make_token
        self._one_time: dict[str, tuple[Role, int]] = {}
        self._sessions: dict[str, Session] = {}
        self._count = 0
        self._wrong: dict[str, list[int]] = {}  # when, by the address of the browser

    def one_time_key(self, role: Role, now_ns: int) -> str:
        """Return a new key that opens one session."""
        self._one_time = {key: one for key, one in self._one_time.items() if now_ns - one[1] < _ONE_TIME_NS}
        key = self._make_token()
        self._one_time[key] = role, now_ns
        return key

    def open(self, key: str, address: str, now_ns: int) -> Session:
        """Return a new session for a key.

        Raises
        ------
        WrongKeyError
            It is no key, or its browser has shown too many wrong ones.
        """
        wrong = [when for when in self._wrong.get(address, ()) if now_ns - when < _WRONG_NS]
        if len(wrong) >= _WRONG_KEYS:
            raise WrongKeyError(is_limited=True)
        role = self._role(key, now_ns)
        if role is None:
            self._wrong = {one: times for one, times in self._wrong.items() if now_ns - times[-1] < _WRONG_NS}
            self._wrong[address] = [*wrong, now_ns]
            raise WrongKeyError(is_limited=False)
        return self._add(role)

    def guest(self) -> Session:
        """Return a session that ends with its connection: of a viewer on this machine."""
        self._count += 1
        return Session(self._count, Role.VIEWER)

    def session(self, token: str | None) -> Session | None:
        """Return the session of a cookie, None if it has none."""
        return None if token is None else self._sessions.get(token)

    def _add(self, role: Role) -> Session:
        self._count += 1
        session = Session(self._count, role, self._make_token())
        self._sessions[session.token] = session
        if len(self._sessions) > _SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session

    def _role(self, key: str, now_ns: int) -> Role | None:
        offered = key.encode()
        for one, (role, made_ns) in list(self._one_time.items()):
            if hmac.compare_digest(one.encode(), offered):
                del self._one_time[one]
                return role if now_ns - made_ns < _ONE_TIME_NS else None
        matching = (role for role, one in self._keys.items() if hmac.compare_digest(one.encode(), offered))
        return next(matching, None)


def printable_name(name: str) -> str:
    """Return a name that a user has chosen, without what cannot be printed, and not longer than allowed."""
    return "".join(character for character in name if character.isprintable())[:_NAME_CHARACTERS].strip()
