"""Tokens that identify programs and grant them a role. Only their hashes are kept."""

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from fleet.dashboard.access.roles import Role

_PREFIX: Final = "tf_"  # lets secret scanners recognize a token
_READ_AGAIN_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ProgramToken:
    """A token of a program.

    Parameters
    ----------
    name : of the program; each has one token
    digest : the SHA-256 of the token, in hex; the token has 256 random bits, too many to guess
    made_unix_s : when it was made
    """

    name: str
    role: Role
    digest: str
    made_unix_s: float


def token_text(random: str) -> str:
    """Return a token made of a random text."""
    return f"{_PREFIX}{random}"


def token_digest(text: str) -> str:
    """Return a token's hash, the only part of it that is kept."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


class TokenRing:
    """The tokens that are valid now.

    Parameters
    ----------
    read : returns the kept tokens; called at most once a second, so a revoked token works for up to a second
    """

    def __init__(self, read: Callable[[], Sequence[ProgramToken]]) -> None:
        self._read = read
        self._tokens: Sequence[ProgramToken] = ()
        self._read_ns = -_READ_AGAIN_NS

    def find(self, text: str, now_ns: int) -> ProgramToken | None:
        """Return the token with this text, None if it is not valid."""
        return self._matching(token_digest(text), now_ns)

    def is_valid(self, token: ProgramToken, now_ns: int) -> bool:
        """Whether a token is still valid, with an unchanged role."""
        return self._matching(token.digest, now_ns) == token

    def _matching(self, digest: str, now_ns: int) -> ProgramToken | None:
        if now_ns - self._read_ns >= _READ_AGAIN_NS:
            self._tokens, self._read_ns = tuple(self._read()), now_ns
        found = (token for token in self._tokens if hmac.compare_digest(token.digest, digest))
        return next(found, None)
