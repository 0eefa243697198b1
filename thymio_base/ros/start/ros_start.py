"""Starts ROS in a program: checks the environment, and applies our settings for Fast DDS and logs."""

import sys
from collections.abc import Sequence
from pathlib import Path

import rclpy
from rclpy.signals import SignalHandlerOptions

from thymio_base.exit_code import ExitCode
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.logs.json_log import start_json_log
from thymio_base.ros.log_folder import use_log_folder
from thymio_base.ros.start.ros_environment import end_if_ros_cannot_start


def start_ros(
    program: str, arguments: Sequence[str], *, has_profile: bool = True, configuration: Path | None = None
) -> None:
    """Start ROS; SIGINT and SIGTERM remain the program's own.

    Parameters
    ----------
    program
        name of the program, of its log folder and of its JSON log
    arguments
        command line, including the program's name
    has_profile
        whether Fast DDS uses the shipped profile unless the user has one
    configuration
        configuration file of the program, for its log

    Raises
    ------
    SystemExit
        With a sentence and exit code 2: ROS cannot start in this environment, or cannot read the arguments.
    """
    end_if_ros_cannot_start()
    if has_profile:
        use_shipped_profile()
    use_log_folder(program)
    start_json_log(program, arguments, configuration)
    try:
        rclpy.init(args=list(arguments), signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        raise SystemExit(ExitCode.USAGE) from error
