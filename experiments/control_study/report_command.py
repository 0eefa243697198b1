"""The command `thymio-fleet report`; it loads matplotlib late, so that no other command does."""

import argparse
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import cast


def add_report(parser: argparse.ArgumentParser) -> None:
    """Add the reports, each with its options."""
    reports = parser.add_subparsers(required=True, metavar="REPORT")
    tracking = reports.add_parser("tracking", help="how closely robots follow their paths, law by law")
    add_options(tracking)
    tracking.set_defaults(run=_run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a report."""
    parser.add_argument("--out", type=Path, default=Path("report"), metavar="FOLDER", help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="a small report in ten seconds, to check that it works")


def _run(options: argparse.Namespace) -> int:
    run = cast(Callable[[argparse.Namespace], int], resolve_name("experiments.control_study.report:run"))
    return run(options)
