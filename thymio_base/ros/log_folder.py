"""Chooses where ROS writes logs if its usual folder cannot be written: ROS does not start without one."""

import os
import tempfile
from pathlib import Path


def use_writable_log_folder() -> str:
    """Let ROS log to a temporary folder if it cannot use its own; return one line about that, "" if it can.

    Call this before ROS starts; programs that are started later inherit the choice.
    """
    folder = _log_folder()
    if _is_writable(folder):
        return ""
    substitute = Path(tempfile.gettempdir()) / f"ros_log_{os.getuid()}"
    os.environ["ROS_LOG_DIR"] = str(substitute)
    return f"cannot write logs to {folder}, so they go to {substitute}; set ROS_LOG_DIR to a folder that can be written"


def _log_folder() -> Path:
    """Return the folder of ROS's logs, by the rules of rcl_logging."""
    if os.environ.get("ROS_LOG_DIR"):
        return Path(os.environ["ROS_LOG_DIR"]).expanduser()
    home = os.environ.get("ROS_HOME") or os.path.join(os.environ.get("HOME", ""), ".ros")  # noqa: PTH118  HOME may be ""
    return Path(home).expanduser() / "log"


def _is_writable(folder: Path) -> bool:
    """Whether a folder can be written, or created in the nearest one that exists."""
    nearest = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
