"""Folders of programs: for what outlives them, and for what must not wait for a disk."""

import os
import tempfile
from pathlib import Path
from typing import Final

LOG_VARIABLE: Final = "THYMIO_FLEET_LOG_DIR"  # the folder of JSON logs and audit logs
_MEMORY: Final = Path("/dev/shm")


def state_folder() -> Path:
    """Return where programs keep what is theirs, by the XDG Base Directory Specification."""
    base = os.environ.get("XDG_STATE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".local" / "state") / "thymio_fleet"
    except RuntimeError:  # a user without a home, as in containers
        return Path(tempfile.gettempdir()) / f"thymio_fleet_{os.getuid()}"


def json_log_folder() -> Path | None:
    """Return the folder of JSON logs that the environment names; None if none are wanted."""
    folder = os.environ.get(LOG_VARIABLE)
    return Path(folder).expanduser() if folder else None


def audit_folder() -> Path:
    """Return the folder of audit logs: that of the JSON logs, or else that of what programs keep."""
    return json_log_folder() or state_folder()


def memory_folder() -> Path:
    """Return a folder in memory, or the system's folder for temporary files if there is none that can be written.

    A write to a disk can take a quarter of a second.
    """
    return _MEMORY if os.access(_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
