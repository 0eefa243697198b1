"""The command `thymio-fleet law`: shows or changes the control law of a robot while it drives."""

import argparse
import sys
from contextlib import closing

from rich.table import Table
from thymio_fleet_interfaces.srv import ConfigureTracker

from fleet.client.fleet_client import FleetClient
from fleet.commands.fleet_table import table_console
from fleet.control.tracker_config import LawName
from thymio_base.argument_types import identifier
from thymio_base.errors import TextError
from thymio_base.exit_code import ExitCode
from thymio_base.texts.decimal_text import real_number


def add_law(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("id", type=identifier, help="the robot's ID")
    parser.add_argument(
        "changes",
        nargs="*",
        metavar="LAW|GAIN=VALUE",
        help=f"one of {', '.join(law.value for law in LawName)}, and gains by their names in fleet.yaml, such as "
        "cross_m=0.002 of the law in force or kanayama.kx_per_s=3; the driver forgets them when it ends",
    )
    parser.set_defaults(run=lambda options: _run(parser, options))


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    laws = [change for change in options.changes if "=" not in change]
    pairs = [change.partition("=") for change in options.changes if "=" in change]
    gains = {name: _number(parser, name, value) for name, _, value in pairs}
    if len(laws) > 1:
        parser.error(f"{' and '.join(laws)}: a robot has one law")
    if len(gains) < len(pairs):
        parser.error("a gain is given twice")
    with closing(FleetClient()) as client:
        response = client.configure_tracker(options.id, laws[0] if laws else "", gains)
    if not response.success:
        print(f"robot {options.id}: {response.message}", file=sys.stderr)
        return ExitCode.USAGE
    print(f"robot {options.id}: {response.law}")
    table_console().print(_gains(response))
    return ExitCode.DONE


def _number(parser: argparse.ArgumentParser, name: str, text: str) -> float:
    try:
        return real_number(text)
    except TextError as error:
        parser.error(f"{name}: {error}")


def _gains(response: ConfigureTracker.Response) -> Table:
    """Return the gains of the law in force, and those common to all laws."""
    table = Table.grid(padding=(0, 2))
    for name, value in zip(response.names, response.values, strict=True):
        owner, dot, gain = name.rpartition(".")
        if not dot or owner == response.law:
            table.add_row(gain, f"{value:g}")
    return table
