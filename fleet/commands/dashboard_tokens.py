"""The commands `thymio-fleet dashboard token ...`: tokens with which programs use the dashboard's API."""

import argparse
import time

from fleet.dashboard.access.roles import Role
from fleet.dashboard.kept_files import KeptFiles
from fleet.dashboard.kept_tokens import KeptTokens
from thymio_base.exit_code import ExitCode
from thymio_base.logs.folders import state_folder
from thymio_base.stop_signal import say


def add_token_commands(parser: argparse.ArgumentParser) -> None:
    """Add the commands `token add`, `token list` and `token revoke`."""
    tokens = parser.add_subparsers(metavar="token", required=False).add_parser(
        "token", help="make, list and revoke the tokens of programs, see docs/api.md"
    )
    actions = tokens.add_subparsers(metavar="add|list|revoke", required=True)
    adding = actions.add_parser("add", help="make a token and print it; it cannot be printed again")
    adding.add_argument("name", help="of the program, such as mes")
    adding.add_argument(
        "--role",
        type=Role,
        choices=list(Role),
        default=Role.OPERATOR,
        metavar="|".join(role.value for role in Role),
        help="what it allows (default: operator)",
    )
    adding.set_defaults(run=_add, orders=True)
    actions.add_parser("list", help="list all tokens, without their secrets").set_defaults(run=_list)
    revoking = actions.add_parser("revoke", help="revoke a token; it ends within a second")
    revoking.add_argument("name", help="of the program")
    revoking.set_defaults(run=_revoke, orders=True)


def _tokens() -> KeptTokens:
    return KeptTokens(KeptFiles(state_folder()))


def _add(options: argparse.Namespace) -> int:
    say(_tokens().add(options.name, options.role, time.time()))
    return ExitCode.DONE


def _list(_: argparse.Namespace) -> int:
    for token in _tokens().all():
        made = time.strftime("%Y-%m-%d %H:%M", time.localtime(token.made_unix_s))
        say(f"{token.name}  {token.role.value}  made {made}")
    return ExitCode.DONE


def _revoke(options: argparse.Namespace) -> int:
    _tokens().revoke(options.name)
    say(f"{options.name} is revoked")
    return ExitCode.DONE
