"""The command `thymio-fleet`: starts a fleet, watches it, and sends it tasks through the customer's interface."""

import argparse
import re
import signal
import sys
from collections.abc import Sequence
from typing import Any

from fleet.commands.command_audit import CommandAudit
from fleet.commands.registry import SUBCOMMANDS, Subcommand, missing_text
from fleet.errors import ConfigError, FleetError, PathError
from thymio_base.argument_types import suggestion
from thymio_base.exit_code import ExitCode
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.program_version import version_text
from thymio_base.ros.log_folder import use_writable_log_folder
from thymio_base.ros.start.ros_environment import end_if_ros_cannot_start
from thymio_base.stop_signal import ended_at_once, ended_with_its_reader

_PROGRAM = "thymio-fleet"
_OPTION = re.compile(r"--[a-z][a-z-]*")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code, see `ExitCode`."""
    with ended_with_its_reader():
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    with ended_at_once():
        options = read_options(list(sys.argv[1:] if argv is None else argv))
        if options.needs_ros:
            _prepare_ros()
    for number in (signal.SIGTERM, signal.SIGHUP):  # the end of the terminal is like Ctrl-C, except after `nohup`
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not options.orders:
        return _performed(options)
    audit = CommandAudit(arguments)
    code: int | None = None
    try:
        code = _performed(options)
    finally:
        audit.end(code)
    return code


def _performed(options: argparse.Namespace) -> int:
    try:
        return int(options.run(options))
    except FleetError as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE if isinstance(error, ConfigError | PathError) else ExitCode.FAILED
    except ModuleNotFoundError as error:  # of a package that the command imports late
        print(missing_text(options.subcommand, error), file=sys.stderr)
        return ExitCode.FAILED
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED


def _prepare_ros() -> None:
    use_shipped_profile()
    use_writable_log_folder()


def read_options(arguments: list[str]) -> argparse.Namespace:
    """Return the options of the given command; end the program if they are wrong."""
    names = [subcommand.name for subcommand in SUBCOMMANDS]
    used = next((argument for argument in arguments if not argument.startswith("-")), "")
    parser, own = _parser(used)
    if not arguments:
        parser.print_help(sys.stderr)
        parser.exit(ExitCode.USAGE)
    if used and own is None:
        parser.error(f"there is no command {used!r}{suggestion(used, names) or f'; see {_PROGRAM} --help'}")
    options, further = parser.parse_known_args(arguments)
    options.further = further
    if own is not None and further and not options.passes_on:
        known = _OPTION.findall(own.format_help())
        own.error("; ".join(f"unknown argument {one!r}{suggestion(one.partition('=')[0], known)}" for one in further))
    return options


def _parser(used: str) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser | None]:
    """Return the parser of all subcommands, and that of the given one, which alone has options."""
    parser = _Parser(prog=_PROGRAM, description="A fleet of Thymio II robots on ROS 2.")
    parser.add_argument("--version", nargs=0, action=_Version, help="print the versions of the program and its parts")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    parsers = {one.name: _subparser(commands, one) for one in SUBCOMMANDS}
    for subcommand in SUBCOMMANDS:
        if subcommand.name == used:
            if subcommand.needs_ros:
                end_if_ros_cannot_start()  # options may need ROS
            subcommand.add_options(parsers[used])
    return parser, parsers.get(used)


def _subparser(commands: "argparse._SubParsersAction[_Parser]", subcommand: Subcommand) -> argparse.ArgumentParser:
    own = commands.add_parser(subcommand.name, help=subcommand.help, description=subcommand.description)
    own.set_defaults(
        subcommand=subcommand.name,
        passes_on=subcommand.passes_on,
        needs_ros=subcommand.needs_ros,
        orders=subcommand.orders,
    )
    return own


class _Parser(argparse.ArgumentParser):
    """A parser that suggests words and accepts values that start like negative numbers: -0.5, -30deg, -0.5,0.3."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not a choice; name the most similar choice, or all of them."""
        if action.choices is not None and value not in action.choices:
            choices = list(map(str, action.choices))
            advice = suggestion(str(value), choices) or f"; known: {', '.join(choices)}"
            raise argparse.ArgumentError(action, f"there is no {str(value)!r}{advice}")


class _Version(argparse.Action):
    """Prints the versions, which are only looked up then, and ends the program."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(version_text(_PROGRAM, "thymio_fleet", "fleet.tasks.task"))
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
