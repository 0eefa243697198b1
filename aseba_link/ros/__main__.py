"""Where `asebaros` begins: checks the environment; Ctrl-C ends it at once while it is loaded."""

import sys

from thymio_base.ros.start.ros_environment import end_if_ros_cannot_start
from thymio_base.stop_signal import end_at_once, ended_with_its_reader


def main() -> int:
    """Load and run the bridge; return its exit code."""
    end_at_once()
    end_if_ros_cannot_start()
    from aseba_link.ros.asebaros import main as run  # noqa: PLC0415  loading takes up to a second

    with ended_with_its_reader():
        return run()


if __name__ == "__main__":
    sys.exit(main())
