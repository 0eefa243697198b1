"""Entry point of `asebaros`."""

import sys

from thymio_base.ros.start.ros_environment import run_program


def main() -> int:
    """Load and run the bridge; return its exit code."""
    return run_program("aseba_link.ros.asebaros:main")


if __name__ == "__main__":
    sys.exit(main())
