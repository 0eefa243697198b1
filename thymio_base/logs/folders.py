"""Folders of programs: for data that outlives them, and for data that must not wait for a disk."""

import os
import tempfile
from pathlib import Path
from typing import Final

LOG_VARIABLE: Final = "THYMIO_FLEET_LOG_DIR"  # the folder of JSON logs and audit logs
_MEMORY: Final = Path("/dev/shm")


def state_folder() -> Path:
    """Return the folder for data that programs keep, by the XDG Base Directory Specification."""
    base = os.environ.get("XDG_STATE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".local" / "state") / "thymio_fleet"
    except RuntimeError:  # a user without a home, as in containers
        return Path(tempfile.gettempdir()) / f"thymio_fleet_{os.getuid()}"


def json_log_folder() -> Path | None:
    """Return the folder for JSON logs named by the environment; None if none are wanted."""
    folder = os.environ.get(LOG_VARIABLE)
    return Path(folder).expanduser() if folder else None


def audit_folder() -> Path:
    """Return the folder for audit logs: that for JSON logs, or else that for data that programs keep."""
    return json_log_folder() or state_folder()


def memory_folder() -> Path:
    """Return a folder in memory, or the system's temporary folder if there is no writable folder in memory.

    A write to a disk can take a quarter of a second.
    """
    return _MEMORY if os.access(_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
