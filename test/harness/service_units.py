"""The shipped units of systemd: their settings, and their programs as systemd would start them."""

import os
import shlex
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "config/systemd"
INSTALLED = "/opt/thymio_fleet/.venv/bin"  # where the units expect the programs
NAME = "lab"  # of the fleet
_MODULES = {"multi_thymio_driver": "fleet.ros", "thymio-fleet": "fleet.commands.main"}


def settings(unit: str, key: str) -> list[str]:
    """Return all values of a key of a unit, in their order."""
    lines = (FOLDER / unit).read_text(encoding="utf-8").splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(f"{key}=")]


def variables(unit: str, state: Path) -> dict[str, str]:
    """Return the environment that a unit adds; `state` stands for /var/lib."""
    words = (word for value in settings(unit, "Environment") for word in shlex.split(_named(value, state)))
    return dict(word.split("=", 1) for word in words)


def command(unit: str, state: Path, **environment: str) -> list[str]:
    """Return the program of a unit with its arguments, run by this Python.

    `environment` has what the fleet's file `environment` sets.
    """
    (line,) = settings(unit, "ExecStart")
    found = {**variables(unit, state), **environment}
    words = [
        part
        for word in shlex.split(_named(line, state))
        for part in (shlex.split(found[word[1:]]) if word.startswith("$") else [word])
    ]
    program = Path(words[0])
    assert str(program.parent) == INSTALLED
    return [sys.executable, "-m", _MODULES[program.name], *words[1:]]


def environment(unit: str, state: Path) -> dict[str, str]:
    """Return all variables of a unit's program in a test."""
    return {**os.environ, **variables(unit, state)}


def _named(text: str, state: Path) -> str:
    return text.replace("%S", str(state)).replace("%i", NAME)
