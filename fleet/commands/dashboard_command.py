"""The command `thymio-fleet dashboard`: shows the fleet in a browser."""

import argparse
import sys
from pathlib import Path

from fleet.commands.dashboard_tokens import add_token_commands
from fleet.dashboard.access.roles import Role
from fleet.dashboard.dashboard_program import PORT, DashboardSettings, run_dashboard
from thymio_base.argument_types import port, seconds
from thymio_base.exit_code import ExitCode


def add_dashboard(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "--config", type=Path, help="the fleet whose floor and stations are shown; any fleet is shown without it"
    )
    parser.add_argument("--port", type=port, default=PORT, help="the first port to try, of ten (default: %(default)s)")
    parser.add_argument(
        "--host", default="", help="listen on this address too, such as 0.0.0.0 for phones (default: this machine only)"
    )
    parser.add_argument("--tls-cert", type=Path, metavar="FILE", help="certificate for https")
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its key, unless that is in the same file")
    parser.add_argument("--open", dest="opens", action="store_true", help="open the page in a browser")
    parser.add_argument(
        "--role",
        type=Role,
        choices=list(Role),
        default=Role.OPERATOR,
        metavar="|".join(role.value for role in Role),
        help="what the printed address allows (default: operator)",
    )
    parser.add_argument(
        "--attended",
        type=seconds,
        metavar="S",
        help="let go of the dashboard's tasks when no operator has had the page open for this many seconds",
    )
    parser.add_argument(
        "--wait-for-input",
        action="store_true",
        help="load, but open the page when a line comes on standard input; print its address again at the next one",
    )
    parser.add_argument("--fresh-page", action="store_true", help="read the page's files again each time, to edit them")
    parser.set_defaults(run=_run)
    add_token_commands(parser)


def _run(options: argparse.Namespace) -> int:
    if options.wait_for_input and not sys.stdin.readline():
        return ExitCode.DONE  # the program that would have released it has ended
    settings = DashboardSettings(
        config=options.config,
        port=options.port,
        host=options.host,
        tls_cert=options.tls_cert,
        tls_key=options.tls_key,
        role=options.role,
        opens=options.opens,
        is_page_fresh=options.fresh_page,
        attended_s=options.attended,
        says_again=options.wait_for_input,
    )
    run_dashboard(settings)
    return ExitCode.DONE
