"""The command `thymio-fleet script`: loads scripts into robots, through the bridge of a driver or of asebaros."""

import argparse
import re
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from asebaros_msgs.msg import Constant
from thymio_fleet_interfaces.srv import LoadScript

from fleet.client.fleet_client import FleetClient
from fleet.client.robot_node import ROBOT_HELP, RobotName, node_id_of, robot_name
from fleet.errors import HOW_TO_START, ConfigError, NoServerError
from thymio_base.argument_types import whole
from thymio_base.errors import SettingsError
from thymio_base.exit_code import ExitCode
from thymio_base.ros.ros_domain import ros_domain_id
from thymio_base.settings_file import load_text
from thymio_base.texts.shortened import shortened

_SERVICE = "/aseba/x/load_script"
_LOAD_S = 60.0  # a script is uploaded again until the robot confirms it
_INLINE_NAME = "the script in the request"  # the bridge's name for a script without a file
_CONSTANT = re.compile(r"([^\W\d][\w.]*)=(.+)")  # names as in the language
_LEAST, _MOST = -32768, 32767  # of Aseba's numbers
_VALUE = f"VALUE with a whole number from {_LEAST} to {_MOST}"


def add_script(parser: argparse.ArgumentParser) -> None:
    """Add the actions."""
    actions = parser.add_subparsers(required=True, metavar="ACTION", title="actions")
    load = actions.add_parser(
        "load",
        help="load an .aesl script into robots",
        description="Load an .aesl script into robots. Robots of a fleet get no tasks until their own script is back.",
        epilog="example: thymio-fleet script load blink.aesl 1 --constant PERIOD=500",
    )
    load.add_argument("file", type=Path, metavar="FILE", help="the script, at most 128 kB")
    _add_robots(load)
    load.add_argument(
        "--constant",
        dest="constants",
        type=_constant,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another value for a constant of the script",
    )
    load.set_defaults(run=_load)
    default = actions.add_parser(
        "default",
        help="load the default script again: that of the fleet, or of asebaros",
        description="Load the default script of the driver or of asebaros into robots again.",
        epilog="example: thymio-fleet script default 1",
    )
    _add_robots(default)
    default.set_defaults(run=_load_default)


def _add_robots(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("robots", type=robot_name, nargs="+", metavar="ROBOT", help=ROBOT_HELP)


def _constant(text: str) -> Constant:
    match = _CONSTANT.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"must be NAME={_VALUE}, got {shortened(text)!r}")
    return Constant(name=match.group(1), value=whole(match.group(2), f"{match.group(1)}={_VALUE}", _LEAST, _MOST))


def _load(options: argparse.Namespace) -> int:
    try:
        text = load_text(options.file)
    except SettingsError as error:
        raise ConfigError(str(error)) from error
    if not text.strip():
        raise ConfigError(f"{options.file}: is empty")
    return _send(options.robots, str(options.file), text=text, constants=options.constants)


def _load_default(options: argparse.Namespace) -> int:
    return _send(options.robots, "the default script")


def _send(robots: list[RobotName], script: str, **fields: Any) -> int:
    """Load a script into robots; print the result of each, and return the exit code."""
    with closing(FleetClient()) as client:
        _find_bridge(client)
        names = {node_id_of(client, robot): robot for robot in robots}
        request = LoadScript.Request(node_ids=list(names), **fields)
        response = client.graph.call(LoadScript, _SERVICE, request, _LOAD_S, _LOAD_S)
    if response.message:
        print(response.message.replace(_INLINE_NAME, script), file=sys.stderr)
    for result in response.results:
        _print_result(result, names.get(result.node_id, f"node {result.node_id}"), script)
    return ExitCode.DONE if response.success else ExitCode.FAILED


def _find_bridge(client: FleetClient) -> None:
    if not client.graph.has_service(_SERVICE):
        if not client.robot_ids():
            raise NoServerError(f"no robots on ROS domain {ros_domain_id()}; {HOW_TO_START}")
        raise NoServerError(
            "no bridge runs: set `link: {bridge: true}` in the fleet's file and restart the driver, or start asebaros"
        )


def _print_result(result: Any, robot: RobotName | str, script: str) -> None:
    if result.success:
        print(f"{robot} runs {script}")
        return
    problem = result.message.replace(_INLINE_NAME, script)
    print(f"{robot} does not run {script}: {problem}", file=sys.stderr)
