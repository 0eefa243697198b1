"""The command `thymio-fleet floor`: makes the section `floor` of a fleet from a world; needs no ROS."""

import argparse
import sys
from pathlib import Path

from experiments.checks.floor_section import FloorSectionError, with_floor
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
    """Put a section into a fleet file, if the file is valid with it."""
    text = with_floor(load_text(file), section, str(file))
    load_config(file, text=text)
    file.write_text(text, encoding="utf-8")
    print(f"{file}: floor written")
