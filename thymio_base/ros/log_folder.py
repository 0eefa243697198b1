"""The folder of a program's log files, which keeps those of the latest runs only."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

KEPT_RUNS: Final = 20  # log files of one program

_LOG_FILE: Final = re.compile(r"_(?P<process>\d+)_\d+\.log$")  # as ROS names them: program, process id, time


def use_log_folder(program: str) -> None:
    """Log into a folder of this program and remove its oldest logs; call this before ROS starts.

    The folder is `thymio_fleet/<program>` in ROS's own log folder. A `ROS_LOG_DIR` that the user has set, and a folder
    that cannot be written, are left to ROS.
    """
    if os.environ.get("ROS_LOG_DIR"):
        return
    home = Path(os.environ.get("ROS_HOME") or Path("~/.ros").expanduser())
    folder = home / "log" / "thymio_fleet" / program
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        remove_old_logs(folder, KEPT_RUNS - 1)
        os.environ["ROS_LOG_DIR"] = str(folder)


def remove_old_logs(folder: Path, kept: int) -> None:
    """Remove all but the latest log files of a folder, except those of running processes."""
    files = [path for path in folder.iterdir() if _LOG_FILE.search(path.name)]
    latest_first = sorted(files, key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in latest_first[kept:]:
        if not _is_running(path):
            path.unlink(missing_ok=True)


def _is_running(log: Path) -> bool:
    """Whether the process that writes a log file may still run."""
    found = _LOG_FILE.search(log.name)
    return found is not None and Path("/proc", found["process"]).exists()
