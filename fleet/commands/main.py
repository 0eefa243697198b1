"""The command `thymio-fleet`: starts a fleet, watches it, and sends it tasks through the customer's interface."""

import argparse
import signal
import sys
from collections.abc import Sequence

from fleet.commands.exit_code import ExitCode
from fleet.commands.registry import SUBCOMMANDS
from fleet.errors import ConfigError, FleetError, PathError
from thymio_base.fast_dds import use_shipped_profile


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code, see `ExitCode`."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    use_shipped_profile()
    arguments = sys.argv[1:] if argv is None else argv
    parser = _parser(arguments)
    options, further = parser.parse_known_args(arguments)
    options.further = further
    if further and not options.passes_on:
        parser.error(f"unrecognized arguments: {' '.join(further)}")
    try:
        return int(options.run(options))
    except FleetError as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE if isinstance(error, ConfigError | PathError) else ExitCode.FAILED
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of all subcommands, with the options of the one that is used."""
    parser = argparse.ArgumentParser(prog="thymio-fleet", description="A fleet of Thymio II robots on ROS 2.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for subcommand in SUBCOMMANDS:
        own = commands.add_parser(subcommand.name, help=subcommand.help, description=subcommand.description)
        own.set_defaults(passes_on=subcommand.passes_on)
        if subcommand.name in arguments:
            subcommand.add_options(own)
    return parser


if __name__ == "__main__":
    sys.exit(main())
