"""The command `thymio-fleet`: starts a fleet, watches it, and sends it tasks through the customer's interface."""

import argparse
import difflib
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fleet.commands.exit_code import ExitCode
from fleet.commands.registry import SUBCOMMANDS, Subcommand, missing_text
from fleet.errors import ConfigError, FleetError, PathError
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.program_version import version_text
from thymio_base.ros.log_folder import use_writable_log_folder

_PROGRAM = "thymio-fleet"
_OPTION = re.compile(r"--[a-z][a-z-]*")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code, see `ExitCode`."""
    with _ended_at_once():
        options = read_options(list(sys.argv[1:] if argv is None else argv))
        if options.needs_ros:
            _prepare_ros()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
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


@contextmanager
def _ended_at_once() -> Iterator[None]:
    """Let Ctrl-C end the program within the block, where it only imports: libraries in C report other errors."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:  # the parent process has switched it off
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(ExitCode.INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _prepare_ros() -> None:
    use_shipped_profile()
    use_writable_log_folder()


def read_options(arguments: list[str]) -> argparse.Namespace:
    """Return the options of the command that is used; end the program if they are wrong."""
    names = [subcommand.name for subcommand in SUBCOMMANDS]
    used = next((argument for argument in arguments if not argument.startswith("-")), "")
    parser, own = _parser(used)
    if used and own is None:
        parser.error(f"there is no command {used!r}{_suggestion(used, names) or f'; see {_PROGRAM} --help'}")
    options, further = parser.parse_known_args(arguments)
    options.further = further
    if own is not None and further and not options.passes_on:
        known = _OPTION.findall(own.format_help())
        own.error("; ".join(f"unknown argument {one!r}{_suggestion(one.partition('=')[0], known)}" for one in further))
    return options


def _parser(used: str) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser | None]:
    """Return the parser of all subcommands, and of the one that is used, which alone has options."""
    parser = _Parser(prog=_PROGRAM, description="A fleet of Thymio II robots on ROS 2.")
    parser.add_argument("--version", nargs=0, action=_Version, help="print the versions of the program and its parts")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    parsers = {one.name: _subparser(commands, one) for one in SUBCOMMANDS}
    for subcommand in SUBCOMMANDS:
        if subcommand.name == used:
            subcommand.add_options(parsers[used])
    return parser, parsers.get(used)


def _subparser(commands: "argparse._SubParsersAction[_Parser]", subcommand: Subcommand) -> argparse.ArgumentParser:
    own = commands.add_parser(subcommand.name, help=subcommand.help, description=subcommand.description)
    own.set_defaults(subcommand=subcommand.name, passes_on=subcommand.passes_on, needs_ros=subcommand.needs_ros)
    return own


def _suggestion(text: str, known: Sequence[str]) -> str:
    """Return the question whether the most similar word was meant, "" if none is similar."""
    matches = difflib.get_close_matches(text, known, 1)
    return f", did you mean {matches[0]!r}?" if matches else ""


class _Parser(argparse.ArgumentParser):
    """A parser for which whatever starts like a negative number is a value: -0.5, -30deg, -0.5,0.3."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._negative_number_matcher = re.compile(r"-\.?\d")


class _Version(argparse.Action):
    """Prints the versions and ends the program; they are looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(version_text(_PROGRAM, "thymio_fleet", "fleet.tasks.task"))
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
