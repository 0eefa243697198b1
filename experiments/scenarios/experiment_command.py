"""The command `thymio-fleet experiment`, which needs no ROS."""

import argparse
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import cast

from thymio_base.argument_types import whole
from thymio_base.exit_code import ExitCode
from thymio_base.stop_signal import ended_at_once
from thymio_base.texts.decimal_text import MAX_WHOLE


def add_experiment(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_options(parser)
    parser.set_defaults(run=_run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of an experiment."""
    parser.add_argument(
        "file", type=Path, nargs="?", metavar="FILE", help="the experiment, such as examples/experiments/relay.yaml"
    )
    parser.add_argument(
        "--seed", type=_natural, default=1, metavar="S", help="seed of all noise (default: %(default)s)"
    )
    parser.add_argument("--repeat", type=_positive, metavar="N", help="number of runs; default: as in the file")
    parser.add_argument("--jobs", type=_positive, metavar="N", help="processes; default: one for each processor")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="folder for the results; default: the file's name")
    parser.add_argument(
        "--animate", type=Path, metavar="FILE", help="also render the first run: .gif, or .mp4 with ffmpeg"
    )
    parser.add_argument("--resume", action="store_true", help="keep the runs of this experiment that are complete")
    parser.add_argument("--tables-only", action="store_true", help="write neither recordings nor pictures of the runs")
    parser.add_argument("--figures", choices=("pdf", "svg", "png"), help="also draw figures for papers over all runs")
    parser.add_argument(
        "--only",
        type=_level,
        action="append",
        default=[],
        metavar="FACTOR=LEVEL",
        help="level of a sweep that figures show; repeatable",
    )
    parser.add_argument(
        "--repeat-result", type=Path, metavar="FILE", help="repeat the run of a results.json, and compare the bytes"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON, and no progress")
    parser.add_argument("--quiet", action="store_true", help="print errors only")


def _run(options: argparse.Namespace) -> int:
    if find_spec("mcap") is None:
        print("experiments need the Python package mcap, which is not part of ROS: pip install mcap", file=sys.stderr)
        return ExitCode.USAGE
    with ended_at_once():  # no other command should load matplotlib
        run = cast(Callable[[argparse.Namespace], int], resolve_name("experiments.scenarios.perform:run"))
    return run(options)


def _natural(text: str) -> int:
    return whole(text, "a whole number from 0", 0, MAX_WHOLE)


def _level(text: str) -> tuple[str, str]:
    factor, sign, level = text.partition("=")
    if not (factor and sign and level):
        raise argparse.ArgumentTypeError(f"{text!r} is not FACTOR=LEVEL, such as law=lqr")
    return factor, level


def _positive(text: str) -> int:
    return whole(text, "a whole number from 1 to 10000", 1, 10_000)
