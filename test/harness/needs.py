"""Which tests need ROS or sockets, by their folder; such tests mostly wait."""

from pathlib import Path

NEED_MORE = {
    "api", "calls", "client", "commands", "feed", "interface", "interfaces", "launch", "page", "peers", "ros",
    "sockets", "watch", "web",
}  # fmt: skip
TESTS = Path(__file__).parents[1]


def needs_more(path: Path) -> bool:
    """Whether a file of tests needs ROS or sockets."""
    return TESTS in path.parents and bool(NEED_MORE & set(path.relative_to(TESTS).parts))
