"""Entry point of the command `thymio-fleet`: Ctrl-C while it loads ends it at once, without a traceback."""

from thymio_base.stop_signal import ended_at_once, open_closed_streams


def main() -> int:
    """Load and run the command; return its exit code."""
    open_closed_streams()
    with ended_at_once():
        from fleet.commands.main import main as run  # noqa: PLC0415  loading takes up to a second
    return run()
