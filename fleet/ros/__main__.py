"""Entry point of `multi_thymio_driver`."""

import sys

from thymio_base.ros.start.ros_environment import run_program


def main() -> int:
    """Load and run the driver; return its exit code."""
    return run_program("fleet.ros.driver_node:main")


if __name__ == "__main__":
    sys.exit(main())
