"""The command `thymio-fleet body`: the client of the body coupler, for the terminal."""

import argparse
import sys
from collections.abc import Callable

from rich.table import Table

from body.body_client import BodyClient, ReacherResult, joint_goal, pose_goal
from body.errors import BodyError
from fleet.commands.fleet_table import table_console
from thymio_base.argument_types import number, seconds
from thymio_base.errors import TextError
from thymio_base.exit_code import ExitCode
from thymio_base.texts.decimal_text import real_number
from thymio_base.texts.yaml_text import yaml_values

_POSE_LENGTHS = (3, 7)


def add_body(parser: argparse.ArgumentParser) -> None:
    """Add the actions and their options."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    create = _add(actions, "create", "create a reacher or extender", _create)
    create.add_argument("type", choices=("VF", "JR", "SC", "TC"), help="vector field, joints, contacts: docs/body.md")
    create.add_argument("name", help="of its node")
    _add(actions, "delete", "delete a reacher or extender", _delete).add_argument("name", help="its name")
    _add(actions, "list", "show the reachers and extenders", _list)
    change = _add(actions, "set", "set a parameter", _set)
    change.add_argument("name", help="of the reacher or extender")
    change.add_argument("parameter", help="its name, such as weight")
    change.add_argument("value", type=_parameter_value, help="as YAML: 1.0, robot-base, [arm_j0, arm_j1]")
    go = _add(actions, "go", "send a vector field reacher to a pose", _go)
    go.add_argument("name", help="of the reacher")
    go.add_argument("numbers", type=number, nargs="+", metavar="N", help="x y z, or x y z qx qy qz qw")
    go.add_argument("--timeout", type=seconds, default=0.0, metavar="SECONDS", help="default: none")
    joints = _add(actions, "joints", "send a joint reacher to positions", _joints)
    joints.add_argument("name", help="of the reacher")
    joints.add_argument("positions", type=_position, nargs="+", metavar="JOINT=VALUE", help="radians, or metres")
    _add(actions, "show", "show the variables of the body", _show)


def _add(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    text: str,
    run: Callable[[BodyClient, argparse.Namespace], int],
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    parser.set_defaults(run=lambda options: _with_body(run, options))
    return parser


def _with_body(run: Callable[[BodyClient, argparse.Namespace], int], options: argparse.Namespace) -> int:
    with BodyClient() as body:
        try:
            return run(body, options)
        except BodyError as error:
            print(error, file=sys.stderr)
            return ExitCode.FAILED


def _create(body: BodyClient, options: argparse.Namespace) -> int:
    body.add_re(options.type, options.name)
    return ExitCode.DONE


def _delete(body: BodyClient, options: argparse.Namespace) -> int:
    body.remove_re(options.name)
    return ExitCode.DONE


def _list(body: BodyClient, _: argparse.Namespace) -> int:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("name", "type", "weight", ""):
        table.add_column(heading)
    for one in body.list_re():
        table.add_row(one["name"], one["type"], f"{one['weight']:g}", "" if one["live"] else "does not answer")
    table_console().print(table)
    return ExitCode.DONE


def _set(body: BodyClient, options: argparse.Namespace) -> int:
    body.set_params(options.name, {options.parameter: options.value})
    return ExitCode.DONE


def _parameter_value(text: str) -> object:
    """Return the value of a text as YAML; the text itself, where that is not a possible parameter."""
    try:
        value = yaml_values(text)
    except TextError:
        return text
    return text if value is None or isinstance(value, bool) else value


def _go(body: BodyClient, options: argparse.Namespace) -> int:
    numbers = options.numbers
    if len(numbers) not in _POSE_LENGTHS:
        print(f"{len(numbers)} numbers are not a pose: write x y z, or x y z qx qy qz qw", file=sys.stderr)
        return ExitCode.USAGE
    orientation = numbers[3:] or (0.0, 0.0, 0.0, 1.0)
    return _follow(body, options.name, pose_goal(numbers[:3], orientation, timeout_s=options.timeout))


def _joints(body: BodyClient, options: argparse.Namespace) -> int:
    return _follow(body, options.name, joint_goal(dict(options.positions)))


def _follow(body: BodyClient, name: str, goal: object) -> int:
    """Send a goal and print its end; Ctrl-C cancels it."""
    sent = body.execute_action(name, goal, blocking=False)
    assert not isinstance(sent, ReacherResult)
    try:
        result = sent.wait()
    except KeyboardInterrupt:
        sent.cancel()
        print(f"{name}: CANCELED")
        return ExitCode.INTERRUPTED
    print(f"{name}: {result.reason}")
    return ExitCode.DONE if result.success else ExitCode.FAILED


def _show(body: BodyClient, _: argparse.Namespace) -> int:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("variable")
    table.add_column("value", justify="right")
    for name, value in body.variables().items():
        table.add_row(name, f"{value:.4f}")
    table_console().print(table)
    return ExitCode.DONE


def _position(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, real_number(value)
    except TextError:
        raise argparse.ArgumentTypeError(f"{text!r}: write JOINT=VALUE, such as arm_j0=0.5") from None
