"""The command `thymio-fleet check`: reports all mistakes in users' files; needs no ROS."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.checks.file_check import FileCheck, check_file
from experiments.checks.file_kind import FileKind
from fleet.errors import FleetError
from fleet.settings.config import FleetConfig, load_config
from simulator.errors import WorldError
from simulator.world.config import WorldFile, read_world
from thymio_base.exit_code import ExitCode
from thymio_base.number_text import count_text
from thymio_base.texts.json_lines import add_json_option, print_json_lines

_EXAMPLE = """
example:
  thymio-fleet check my_fleet.yaml --world my_world.yaml

The exit code is 2 if there are mistakes. Warnings do not count.
"""


def add_check(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLE
    parser.add_argument(
        "files", type=Path, nargs="+", metavar="FILE", help="a file of any kind, recognized by its keys"
    )
    parser.add_argument(
        "--kind", choices=[kind.value for kind in FileKind], help="kind of the files, instead of recognizing it"
    )
    parser.add_argument(
        "--world", type=Path, metavar="WORLD", help="a world file: check it, and whether each fleet among FILE fits it"
    )
    add_json_option(parser)
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    kind = FileKind(options.kind) if options.kind else None
    world, results = None, []
    if options.world is not None:
        results.append(check_file(options.world, FileKind.WORLD))
        world = _readable(options.world)
    fleet = _first_fleet(options.files, kind)
    results += [check_file(file, kind, world, fleet) for file in options.files if file != options.world]
    if options.json:
        print_json_lines(map(_row, results))
    else:
        for result in results:
            _print(result)
    if options.world is not None and not any(result.kind is FileKind.FLEET for result in results):
        print(f"--world {options.world}: there is no fleet among the files to check with it", file=sys.stderr)
        return ExitCode.USAGE
    return ExitCode.USAGE if any(result.mistakes for result in results) else ExitCode.DONE


def _first_fleet(files: Sequence[Path], kind: FileKind | None) -> FleetConfig | None:
    """Return the first valid fleet of several files; its limits apply to the paths among them."""
    for file in files if len(files) > 1 and kind is None else ():
        try:
            return load_config(file, with_calibration=False)
        except FleetError:
            continue
    return None


def _readable(file: Path) -> WorldFile | None:
    """Return a world's document even if it has mistakes; None if it cannot be read."""
    try:
        return read_world(file)
    except WorldError:
        return None


def _row(result: FileCheck) -> dict[str, Any]:
    return {
        "file": str(result.file),
        "kind": None if result.kind is None else result.kind.value,
        "summary": result.summary,
        "mistakes": [str(mistake) for mistake in result.mistakes],
        "warnings": [str(warning) for warning in result.warnings],
        "notes": [str(note) for note in result.notes],
    }


def _print(result: FileCheck) -> None:
    for mistake in result.mistakes:
        print(mistake, file=sys.stderr, flush=True)
    if not result.mistakes:
        print(f"{result.file}: {result.summary}: ok")
    elif result.kind is not None:
        print(f"{result.file}, read as {result.kind.noun}: {count_text(result.mistake_count, 'mistake')}")
    for note in result.notes:
        print(f"  {note}")
    for warning in result.warnings:
        print(f"warning: {warning}")
    sys.stdout.flush()
