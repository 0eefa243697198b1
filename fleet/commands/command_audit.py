"""Notes commands of the terminal in the audit log."""

import os
import shlex
from collections.abc import Sequence
from typing import Final

from thymio_base.exit_code import ExitCode
from thymio_base.logs.audit_log import AuditEvent, Orderer, own_audit_log, user_name
from thymio_base.ros.ros_domain import ros_domain_id

_PROGRAM: Final = "thymio-fleet"


class CommandAudit:
    """Notes a command now, and its end later.

    Parameters
    ----------
    arguments : arguments of the command line
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._what: Final = shlex.join(arguments)
        self._orderer: Final = Orderer(user_name(), "command line")
        self._audit: Final = own_audit_log(_PROGRAM, ros_domain_id())
        self._audit.note(AuditEvent.ORDERED, self._orderer, self._what, pid=os.getpid())

    def end(self, code: int | None) -> None:
        """Note the exit code; None if the command ended by an exception."""
        codes = set(ExitCode)
        outcome = ExitCode(code).name.lower() if code in codes else "failed" if code is None else f"exit code {code}"
        self._audit.note(AuditEvent.ENDED, self._orderer, self._what, outcome=outcome, exit_code=code, pid=os.getpid())
