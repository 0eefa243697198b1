"""Chooses where ROS writes our programs' log files: in a writable folder that keeps the latest runs."""

import os
import re
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

KEPT_RUNS: Final = 20  # log files per program

_LOG_FILE: Final = re.compile(r"_(?P<process>\d+)_\d+\.log$")  # named by ROS: program, process id, time


def use_log_folder(program: str) -> None:
    """Log into a folder of this program and remove its oldest logs; call before ROS starts.

    The folder is `thymio_fleet/<program>` in ROS's own log folder; a `ROS_LOG_DIR` set by the user is used unchanged.
    If neither is writable, ROS logs to a temporary folder, and a printed line says so.
    """
    folder = _ros_folder() / "thymio_fleet" / program
    with suppress(OSError):
        if not os.environ.get("ROS_LOG_DIR"):
            folder.mkdir(parents=True, exist_ok=True)
            remove_old_logs(folder, KEPT_RUNS - 1)
            os.environ["ROS_LOG_DIR"] = str(folder)
    use_writable_log_folder()


def use_writable_log_folder() -> None:
    """Log to a temporary folder, and print why, if ROS cannot use its own, without which it does not start.

    Call before ROS starts; programs started later inherit the choice.
    """
    folder = _ros_folder()
    if _is_writable(folder):
        return
    substitute = Path(tempfile.gettempdir()) / f"ros_log_{os.getuid()}"
    os.environ["ROS_LOG_DIR"] = str(substitute)
    print(
        f"cannot write logs to {folder}, so they go to {substitute}; set ROS_LOG_DIR to a folder that can be written",
        file=sys.stderr,
    )


def remove_old_logs(folder: Path, kept: int) -> None:
    """Remove all but the latest log files of a folder, except those of running processes."""
    files = [path for path in folder.iterdir() if _LOG_FILE.search(path.name)]
    latest_first = sorted(files, key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in latest_first[kept:]:
        if not _is_running(path):
            path.unlink(missing_ok=True)


def _is_running(log: Path) -> bool:
    found = _LOG_FILE.search(log.name)
    return found is not None and Path("/proc", found["process"]).exists()


def _ros_folder() -> Path:
    """Return the folder of ROS's logs by the rules of rcl_logging."""
    if os.environ.get("ROS_LOG_DIR"):
        return Path(os.environ["ROS_LOG_DIR"]).expanduser()
    home = os.environ.get("ROS_HOME") or os.path.join(os.environ.get("HOME", ""), ".ros")  # noqa: PTH118  HOME may be ""
    return Path(home).expanduser() / "log"


def _is_writable(folder: Path) -> bool:
    """Return whether a folder can be written, or created in its nearest existing parent."""
    try:
        nearest = next(one for one in (folder, *folder.absolute().parents) if one.exists())
        return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
    except OSError:  # no folder can have this name, for instance a long one, or a parent may not be read
        return False
