"""Who ordered what, when, and with which outcome: lines of JSON that a user's programs append to one file."""

import getpass
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol

from thymio_base.logs.background_lines import BackgroundLines
from thymio_base.logs.folders import audit_folder
from thymio_base.logs.rotated_lines import RotatedLines

_FILE: Final = "audit.jsonl"


class AuditEvent(Enum):
    """What a line of the audit log says about an order."""

    ORDERED = "ordered"
    REFUSED = "refused"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Orderer:
    """The person or program that orders something.

    Parameters
    ----------
    who : name of a session, token, user or ROS node; "" if unknown
    role : role of a session or token, or the way the order comes: command line, ROS
    address : address of the browser or program; "" on this machine
    """

    who: str
    role: str
    address: str = ""


class Lines(Protocol):
    """Takes rows for a file."""

    def append(self, row: Mapping[str, Any]) -> None:
        """Append a row, preceded by the time."""


class AuditLog:
    """Records everything ordered through a program.

    Parameters
    ----------
    program : name of the program
    domain : the ROS domain
    lines : the file; None drops everything
    """

    def __init__(self, program: str, domain: int = 0, lines: Lines | None = None) -> None:
        self._program: Final = program
        self._domain: Final = domain
        self._lines: Final = lines

    def note(self, event: AuditEvent, orderer: Orderer, what: str, **facts: object) -> None:
        """Append a line with an order in words, and further facts about it; empty facts are left out."""
        if self._lines is None:
            return
        row = {
            "program": self._program,
            "domain": self._domain,
            "event": event.value,
            "who": orderer.who,
            "role": orderer.role,
            "address": orderer.address,
            "what": what,
            **facts,
        }
        self._lines.append({key: value for key, value in row.items() if value not in ("", None)})


def own_audit_log(program: str, domain: int) -> AuditLog:
    """Return the audit log of this user; a program appends to it in the background."""
    return AuditLog(program, domain, BackgroundLines(RotatedLines(audit_folder() / _FILE)))


def user_name() -> str:
    """Return the name of the user who runs this process."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the user is not in the system's list
        return f"user {os.getuid()}"
