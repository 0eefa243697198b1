"""The command `thymio-fleet floor`: writes the section `floor` of a fleet from a world; needs no ROS."""

import argparse
import re
import sys
from pathlib import Path

from experiments.checks.world_floor import floor_of, floor_text
from fleet.errors import ConfigError
from fleet.settings.config import load_config
from simulator.errors import WorldError
from simulator.world.config import load_world
from thymio_base.errors import SettingsError
from thymio_base.exit_code import ExitCode
from thymio_base.settings_file import load_text

_EXAMPLE = """
example:
  thymio-fleet floor my_world.yaml --write my_fleet.yaml

Walls inside the arena become walls, objects that never move become areas to keep out of. The arena's own walls are left
out: `arena` of the fleet keeps robots away from them. The frames of fleet and world are taken to be the same.
"""
_KEY = re.compile(r"^[A-Za-z_\"'].*", re.MULTILINE)  # first line of a top-level section


class FloorSectionError(Exception):
    """A section cannot be replaced in a fleet file of this form."""


def with_floor(text: str, section: str, source: str) -> str:
    """Replace the section `floor` of a text, or insert it after `arena`, or at the start.

    Raises
    ------
    FloorSectionError
        No section of the text starts at the beginning of a line; the message names `source`.
    """
    lines = text.splitlines(keepends=True)
    starts = {_name(line): index for index, line in enumerate(lines) if _KEY.match(line)}
    if not starts:
        raise FloorSectionError(
            f"{source}: no section starts at the beginning of a line; add this yourself:\n{section}"
        )
    if "floor" in starts:
        start = starts["floor"]
        return "".join([*lines[:start], section, *lines[_end(lines, start) :]])
    after = _end(lines, starts["arena"]) if "arena" in starts else min(starts.values())
    before, rest = lines[:after], lines[after:]
    if before and "arena" in starts:
        before[-1] = before[-1].rstrip("\n") + "\n"
        return "".join([*before, "\n", section, *rest])
    return "".join([*before, section, "\n", *rest])


def _name(line: str) -> str:
    return line.partition(":")[0].strip().strip("\"'")


def _end(lines: list[str], start: int) -> int:
    """Return the index of the line after a section; empty lines and comments at its end belong to the next section."""
    end = start + 1
    while end < len(lines) and not _KEY.match(lines[end]) and not lines[end].startswith("---"):
        end += 1
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return end


def add_floor(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLE
    parser.add_argument("world", type=Path, metavar="WORLD", help="a world file")
    parser.add_argument(
        "--write", type=Path, metavar="FLEET", help="put the section into a fleet file instead of printing it"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        section = floor_text(floor_of(load_world(options.world)), options.world.name)
        if options.write is None:
            print(section, end="")
        else:
            _write(options.write, section)
    except (WorldError, ConfigError, SettingsError, FloorSectionError) as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    except OSError as error:
        print(f"cannot write {options.write}: {error.strerror}", file=sys.stderr)
        return ExitCode.USAGE
    return ExitCode.DONE


def _write(file: Path, section: str) -> None:
    """Write a section into a fleet file, if the result is valid."""
    text = with_floor(load_text(file), section, str(file))
    load_config(file, text=text)
    file.write_text(text, encoding="utf-8")
    print(f"{file}: floor written")
