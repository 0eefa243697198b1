"""Keeps the tokens of programs in a file that a command may change while the dashboard runs."""

import re
import secrets
from collections.abc import Sequence
from typing import Any, Final

from fleet.dashboard.access.roles import Role
from fleet.dashboard.access.token_ring import ProgramToken, token_digest, token_text
from fleet.dashboard.kept_files import KeptFiles
from fleet.errors import FleetError

_NAME: Final = "dashboard_tokens.json"
_TOKENS: Final = 100
_ALLOWED: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_LATEST_UNIX_S: Final = 1e11  # a time that every machine can print


class TokenError(FleetError, ValueError):
    """A token cannot be made or revoked; the message says why and what to do."""


class KeptTokens:
    """The tokens of programs, in a file that only its user can read.

    Parameters
    ----------
    files : the user's files
    """

    def __init__(self, files: KeptFiles) -> None:
        self._files = files

    def all(self) -> Sequence[ProgramToken]:
        """Return all tokens; none if the file is corrupt."""
        return self._files.rows(_NAME, _token)

    def add(self, name: str, role: Role, now_unix_s: float) -> str:
        """Make a token for a program and return its text, which cannot be read again.

        Raises
        ------
        TokenError
            The name is wrong or has a token already, there are too many, or the file cannot be written.
        """
        tokens = self.all()
        if not _ALLOWED.fullmatch(name):
            raise TokenError(f"the name {name[:60]!r} is not 1 to 40 letters, digits, dots, dashes and underscores")
        if any(token.name == name for token in tokens):
            raise TokenError(f"{name} has a token already: revoke it first, or choose another name")
        if len(tokens) >= _TOKENS:
            raise TokenError(f"there are {_TOKENS} tokens already: revoke those that nobody uses")
        text = token_text(secrets.token_urlsafe(32))
        self._write([*tokens, ProgramToken(name, role, token_digest(text), now_unix_s)])
        return text

    def revoke(self, name: str) -> None:
        """Revoke the token of a program.

        Raises
        ------
        TokenError
            The program has no token, or the file cannot be written.
        """
        tokens = self.all()
        kept = [token for token in tokens if token.name != name]
        if len(kept) == len(tokens):
            names = ", ".join(token.name for token in tokens) or "none"
            raise TokenError(f"there is no token {name[:60]!r}; there are {names}")
        self._write(kept)

    def _write(self, tokens: Sequence[ProgramToken]) -> None:
        try:
            self._files.write(_NAME, [_values(token) for token in tokens])
        except OSError as error:
            raise TokenError(f"tokens cannot be kept in {self._files.folder}: {error.strerror or error}") from error


def _values(token: ProgramToken) -> dict[str, Any]:
    return {"name": token.name, "role": token.role.value, "sha256": token.digest, "made_unix_s": token.made_unix_s}


def _token(values: Any) -> ProgramToken | None:
    """Return a token, None if its row is corrupt."""
    try:
        name, digest, made_unix_s = values["name"], values["sha256"], float(values["made_unix_s"])
        is_sound = _ALLOWED.fullmatch(name) and _DIGEST.fullmatch(digest) and 0.0 <= made_unix_s < _LATEST_UNIX_S
        return ProgramToken(name, Role(values["role"]), digest, made_unix_s) if is_sound else None
    except (KeyError, TypeError, ValueError):
        return None
