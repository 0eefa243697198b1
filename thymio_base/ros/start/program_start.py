"""Starts the programs that need ROS: checks the environment; Ctrl-C ends them at once while they are loaded."""

from pkgutil import resolve_name

from thymio_base.ros.start.ros_environment import end_if_ros_cannot_start
from thymio_base.stop_signal import end_at_once, ended_with_its_reader


def run_program(main: str) -> int:
    """Load and run a program's function, such as "fleet.ros.driver_node:main"; return its exit code."""
    end_at_once()
    end_if_ros_cannot_start()
    run = resolve_name(main)  # loading takes up to a second
    with ended_with_its_reader():
        return int(run())
