"""Entry point of `thymio_simulator`: Ctrl-C while it loads ends it at once, without a traceback."""

import sys

from thymio_base.stop_signal import end_at_once, ended_with_its_reader, open_closed_streams


def main() -> int:
    """Load and run the simulator; return its exit code."""
    open_closed_streams()
    end_at_once()
    from simulator.simulator_program import main as run  # noqa: PLC0415  loading takes up to a second

    with ended_with_its_reader():
        return run()


if __name__ == "__main__":
    sys.exit(main())
