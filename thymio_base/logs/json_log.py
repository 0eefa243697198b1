"""The log of a program as lines of JSON in a file, if the environment names a folder for them."""

import logging
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from thymio_base.logs.background_lines import BackgroundLines
from thymio_base.logs.folders import json_log_folder
from thymio_base.logs.rotated_lines import RotatedLines
from thymio_base.program_version import distribution_name, package_version

_LINES: Final = "thymio_fleet"  # logger for what programs also log in other ways
_LEVELS: Final = {"warning": "warn", "critical": "fatal"}  # the names of ROS


class JsonHandler(logging.Handler):
    """Writes each record as a line with time, level, program, pid, logger and message.

    Parameters
    ----------
    program : the name of the running program
    lines : the file
    """

    def __init__(self, program: str, lines: BackgroundLines) -> None:
        super().__init__()
        self._program = program
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; additional facts come last."""
        level = record.levelname.lower()
        row = {
            "level": _LEVELS.get(level, level),
            "program": self._program,
            "pid": os.getpid(),
            "logger": getattr(record, "source", record.name),
            "message": record.getMessage(),
        }
        if record.exc_info:
            row["exception"] = logging.Formatter().formatException(record.exc_info)
        self._lines.append(row | getattr(record, "facts", {}))


def start_json_log(program: str, arguments: Sequence[str], configuration: Path | None = None) -> None:
    """Also write everything this process logs to FOLDER/PROGRAM.jsonl from now on; without a folder, do nothing.

    The first line is `started`, with version, command line, configuration and ROS domain.
    """
    folder, root = json_log_folder(), logging.getLogger()
    if folder is None or any(isinstance(handler, JsonHandler) for handler in root.handlers):
        return
    handler = JsonHandler(program, BackgroundLines(RotatedLines(folder / f"{program}.jsonl")))
    if not root.handlers and logging.lastResort is not None:
        root.addHandler(logging.lastResort)  # prints warnings, as Python does while there is no handler
    root.addHandler(handler)
    own = logging.getLogger(_LINES)
    own.setLevel(logging.DEBUG)
    own.propagate = False  # these are printed anyway
    own.addHandler(handler)
    facts = {
        "version": package_version("thymio_fleet"),
        "distro": distribution_name(),
        "command": shlex.join(arguments),
        "configuration": None if configuration is None else str(configuration.resolve()),
        "domain": os.environ.get("ROS_DOMAIN_ID") or "0",
    }
    own.info("started", extra={"source": program, "facts": facts})


def log_line(level: int, source: str, message: str) -> None:
    """Write a line that a program has logged by its own means; without a JSON log, do nothing.

    Parameters
    ----------
    level
        a level of Python's logging, whose numbers equal those of ROS
    source
        the name of the logger
    message
        the text
    """
    own = logging.getLogger(_LINES)
    if own.handlers:
        own.log(level, "%s", message, extra={"source": source})
