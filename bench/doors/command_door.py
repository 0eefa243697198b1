"""The door of the command line, in this process: every command, with its options broken in one place."""

import argparse
import contextlib
import io
from collections.abc import Iterator
from typing import Any, Final

from numpy.random import Generator

from bench.doors.reader_doors import Attempt, ReaderDoor
from bench.doors.requests.odd_values import changed_text, odd_float, odd_integer, odd_text, pick
from fleet.commands.main import read_options
from fleet.commands.registry import SUBCOMMANDS
from thymio_base.errors import SettingsError

_VALUES: Final = (
    "1",
    "2",
    "thymio_1",
    "0.9",
    "0.8",
    "90deg",
    "A",
    "square",
    "lqr",
    "kx_per_s=3",
    "config/fleet.yaml",
    "VF0",
    "box",
    "center",
    "15%",
    "all",
    "on",
    "[0.1, 0.2]",
    "a=0.3",
)
_LONGEST: Final = 7  # values after a command


def command_door(seed: int) -> ReaderDoor:
    """Return the door of all commands; they are only parsed, as most would wait for a fleet."""
    words = {one.name: list(_words_of(one)) for one in SUBCOMMANDS}

    def make(chance: Generator) -> tuple[object, Attempt]:
        arguments = _arguments(words, chance)
        return arguments, lambda: _is_read(arguments)

    return ReaderDoor("command line", seed, make, (SystemExit, SettingsError))


def _arguments(words: dict[str, list[str]], chance: Generator) -> list[str]:
    command = pick(chance, sorted(words))
    found = [command]
    for _ in range(int(chance.integers(_LONGEST))):
        kind = chance.random()
        if kind < 0.35 and words[command]:
            found.append(pick(chance, words[command]))
        elif kind < 0.7:
            found.append(pick(chance, _VALUES))
        elif kind < 0.8:
            found.append(repr(odd_float(chance)))
        elif kind < 0.87:
            found.append(str(odd_integer(chance)))
        else:
            found.append(odd_text(chance, pick(chance, _VALUES)))
    if chance.random() < 0.2:
        place = int(chance.integers(len(found)))
        found[place] = changed_text(found[place], chance)
    return [one.replace("\0", "") for one in found]


def _words_of(subcommand: Any) -> Iterator[str]:
    """Yield the options and further commands of a command."""
    parser = argparse.ArgumentParser()
    subcommand.add_options(parser)
    rest = [parser]
    while rest:
        for action in rest.pop()._actions:
            yield from action.option_strings
            if isinstance(action.choices, dict):
                yield from action.choices
                rest += action.choices.values()
            elif action.choices is not None:
                yield from map(str, action.choices)


def _is_read(arguments: list[str]) -> bool:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        read_options(arguments)
    return True
