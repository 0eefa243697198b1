"""Checks the environment before ROS is loaded, which would end the program with less helpful messages."""

import os
import socket
import sys
from pkgutil import resolve_name
from typing import Final

from thymio_base.exit_code import ExitCode
from thymio_base.ros.ros_domain import domain_problem
from thymio_base.stop_signal import end_at_once, ended_with_its_reader, open_closed_streams

_LINKED: Final = "rmw_fastrtps_cpp"  # by the wheels of PyPI; every ROS installation has it too


def end_if_ros_cannot_start() -> None:
    """End the program with a sentence if ROS cannot start in this environment; call before importing rclpy.

    Raises
    ------
    SystemExit
        With exit code 2: ROS_DOMAIN_ID is not a domain, RMW_IMPLEMENTATION is not installed, or ROS_STATIC_PEERS
        contains a host without an address.
    """
    problem = domain_problem() or middleware_problem() or peers_problem()
    if problem:
        print(problem, file=sys.stderr)
        raise SystemExit(ExitCode.USAGE)


def peers_problem() -> str:
    """Return which host in ROS_STATIC_PEERS has no address, in a sentence; "" if each has one."""
    for peer in filter(None, os.environ.get("ROS_STATIC_PEERS", "").split(";")):
        try:
            socket.getaddrinfo(peer, None)
        except (OSError, UnicodeError):
            return (
                f"ROS_STATIC_PEERS names {peer[:80]!r}, which has no address: write hosts or addresses, with "
                "semicolons between them, or unset the variable"
            )
    return ""


def middleware_problem() -> str:
    """Return why the middleware of RMW_IMPLEMENTATION cannot be used, in a sentence; "" if it can.

    Without it, importing rclpy ends the process in C code. So a separate process tries it, unless it is the default.
    """
    name = os.environ.get("RMW_IMPLEMENTATION", "")
    if not name or name == _LINKED:
        return ""
    import subprocess  # noqa: PLC0415  most programs do without, and Ctrl-C is not served yet

    trial = subprocess.run([sys.executable, "-c", "import rclpy"], capture_output=True, check=False)
    if b"RMW implementation" not in trial.stderr:  # it works, or the program's own import says what is missing
        return ""
    return (
        f"RMW_IMPLEMENTATION is {name[:80]!r}, a middleware that this installation of ROS does not have: install it "
        "(the wheels of PyPI have none but Fast DDS; a ROS installation may have others), or unset the variable"
    )


def run_program(main: str) -> int:
    """Load and run a program's function, such as "fleet.ros.driver_node:main"; return its exit code."""
    open_closed_streams()
    end_at_once()
    end_if_ros_cannot_start()
    run = resolve_name(main)  # loading takes up to a second
    with ended_with_its_reader():
        return int(run())
