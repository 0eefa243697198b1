"""The program `rbc`: couples the body that a URDF describes."""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter

from body.description.urdf_reader import read_urdf
from body.errors import DescriptionError
from body.expansion.robot_file import robot_text
from body.kinematics.layout import BodyLayout
from body.ros.coupler_node import NODE_NAME, CouplerNode, CouplerSettings
from body.ros.message_types import RosMessageTypes
from thymio_base.argument_types import number
from thymio_base.exit_code import ExitCode
from thymio_base.ros.executors import create_executor, spin_once
from thymio_base.ros.start.garbage import exempt_what_exists
from thymio_base.ros.start.priority import request_priority, request_real_time
from thymio_base.ros.start.ros_start import start_ros
from thymio_base.stop_signal import StopSignal, say

_GOODBYE_S: Final = 5.0  # time for reachers to end


def main(argv: Sequence[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM; return 0, or end with 2 for a bad URDF or bad options."""
    parser = _parser()
    options, arguments, ros_arguments = parse_options(parser, argv)
    if options.sim_time and not options.in_process:
        parser.error("--sim-time needs --in-process: separate processes have no common simulated time")
    text = read_text(options.urdf, xacro_arguments(parser, arguments))
    if options.print_urdf:
        print(text)
        return ExitCode.DONE
    stop = StopSignal()
    request_priority()  # reachers inherit it
    start_ros("rbc", [sys.argv[0], *ros_arguments])
    layout = read_layout(text, options.urdf, NODE_NAME)
    settings = CouplerSettings(options.rate_hz, options.reacher_rate_hz, options.in_process)
    executor = create_executor()
    clock_ns = None if options.sim_time else time.monotonic_ns
    node = CouplerNode(layout, text, settings, executor, clock_ns)
    if options.sim_time:
        node.set_parameters([Parameter("use_sim_time", value=True)])
    executor.add_node(node)
    exempt_what_exists()  # full collections would hold up a command now and then
    request_real_time()  # the threads of the middleware are there; reachers do not inherit it
    say(f"{len(layout.variables)} variables, {len(layout.motions)} motions")
    while not stop.is_requested:
        node.fence.call("executor", spin_once, executor, 0.1)
    node.fence.call("the end", node.begin_to_end)
    deadline_s = time.monotonic() + _GOODBYE_S
    while node.has_members and time.monotonic() < deadline_s:
        node.fence.call("executor", spin_once, executor, 0.1)
    node.close()
    rclpy.try_shutdown()
    return ExitCode.DONE


def parse_options(
    parser: argparse.ArgumentParser, argv: Sequence[str] | None
) -> tuple[argparse.Namespace, list[str], list[str]]:
    """Return the options, the arguments for xacro (name:=value), and the arguments for ROS."""
    options, rest = parser.parse_known_args(argv)
    count = rest.index("--ros-args") if "--ros-args" in rest else len(rest)
    return options, rest[:count], rest[count:]


def xacro_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> dict[str, str]:
    """Return arguments by name; end the program with exit code 2 if an argument is malformed."""
    found: dict[str, str] = {}
    for argument in arguments:
        name, separator, value = argument.partition(":=")
        if not separator or not name.isidentifier():
            parser.error(f"unrecognized argument: {argument}; arguments of a xacro file are written name:=value")
        found[name] = value
    return found


def read_text(file: Path, arguments: Mapping[str, str]) -> str:
    """Return the text of a URDF; end the program with exit code 2 if it cannot be read."""
    try:
        return robot_text(file, arguments)
    except DescriptionError as error:
        print(*(f"{file}: {problem}" for problem in error.problems), sep="\n", file=sys.stderr)
        raise SystemExit(ExitCode.USAGE) from error


def read_layout(text: str, file: Path, node_name: str) -> BodyLayout:
    """Return the layout of the body that a URDF describes; ROS must have been started.

    Parameters
    ----------
    text
        text of the URDF
    file
        file that it comes from, for messages
    node_name
        name of the node that will have its topics

    Raises
    ------
    SystemExit
        The URDF has problems, which have been printed; the exit code is 2.
    """
    node = Node(node_name, enable_rosout=False, start_parameter_services=False)
    try:
        return BodyLayout(read_urdf(text, RosMessageTypes(), node.resolve_topic_name))
    except DescriptionError as error:
        print(*(f"{file}: {problem}" for problem in error.problems), sep="\n", file=sys.stderr)
        rclpy.try_shutdown()
        raise SystemExit(ExitCode.USAGE) from error
    finally:
        node.destroy_node()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rbc", description="Couples a robot's body: variables from its URDF, moved by reachers. See docs/body.md."
    )
    parser.add_argument(
        "--urdf",
        type=Path,
        required=True,
        help="the robot, with <rbc> tags in its joints; a xacro file may have name:=value",
    )
    parser.add_argument("--print-urdf", action="store_true", help="print the robot as xacro has expanded it, and end")
    parser.add_argument("--rate-hz", type=rate, default=100.0, help="rate of commands (default: %(default)g)")
    parser.add_argument(
        "--reacher-rate-hz",
        type=rate,
        default=200.0,
        help="rate of reachers in separate processes (default: %(default)g)",
    )
    parser.add_argument("--in-process", action="store_true", help="run reachers within this process, in order")
    parser.add_argument("--sim-time", action="store_true", help="follow /clock; only with --in-process")
    return parser


def rate(text: str) -> float:
    """Return a rate given on the command line [Hz]."""
    return number(text, "a rate, 1 to 1000", 1.0, 1000.0)


if __name__ == "__main__":
    sys.exit(main())
