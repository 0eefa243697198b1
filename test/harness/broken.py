"""Breaks a method of the product, in programs of its own that run from sources: compiled methods cannot be replaced.

python -m harness.broken FAULTS MODULE ARGUMENTS... runs a program of ours in which the methods of faults raise. Commas
separate faults; with "", the program only runs from its sources.
"""

import os
import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from harness.packages import PRODUCT

ROOT = Path(__file__).parents[2]
_PACKAGES = tuple(ROOT / name for name in PRODUCT)


class InjectedError(Exception):
    """The exception that a fault raises."""


@dataclass(slots=True)
class Fault:
    """A method that raises.

    Parameters
    ----------
    method : such as "fleet.robots.robot:Robot.want"
    times : how often it raises
    after : how often it does not raise before
    """

    method: str
    times: int = 1
    after: int = 0

    @classmethod
    def from_text(cls, text: str) -> "Fault":
        """Return the fault of a text: METHOD[ TIMES[ AFTER]]."""
        method, *numbers = text.split()
        return cls(method, *map(int, numbers))

    def inject(self, is_hit: Callable[[tuple[Any, ...]], bool] = lambda _: True) -> Callable[[], None]:
        """Replace the method, for calls with arguments that are hit; return a function that puts it back."""
        owner_name, _, name = self.method.rpartition(".")
        owner = resolve_name(owner_name)
        original = getattr(owner, name)

        @wraps(original)
        def broken(*args: Any, **options: Any) -> Any:
            if self.times > 0 and is_hit(args):
                if self.after == 0:
                    self.times -= 1
                    raise InjectedError(self.method)
                self.after -= 1
            return original(*args, **options)

        setattr(owner, name, broken)
        return lambda: setattr(owner, name, original)


def environment() -> dict[str, str]:
    """Return the environment in which Python finds this module and our packages."""
    return {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'test'}"}


def broken_command(command: list[str], faults: list[str]) -> list[str]:
    """Return the command that runs a program with faults, from `python -m MODULE ...`."""
    python, _, *module = command
    return [python, "-m", "harness.broken", ",".join(faults), *module]


def use_sources() -> None:
    """Import our packages from their sources from now on, also where a compiled core lies beside them."""
    find_source = FileFinder.path_hook((SourceFileLoader, SOURCE_SUFFIXES))

    def find(folder: str) -> Any:
        if not any(Path(folder).is_relative_to(package) for package in _PACKAGES):
            raise ImportError(folder)
        return find_source(folder)

    sys.path_hooks.insert(0, find)
    sys.path_importer_cache.clear()


if __name__ == "__main__":
    use_sources()
    for text in filter(None, sys.argv[1].split(",")):
        Fault.from_text(text).inject()
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
