"""The option --fast: only tests that need neither ROS nor sockets, with fewer examples; both are blocked."""

import socket
import sys
from pathlib import Path
from typing import Never

import pytest
from hypothesis import HealthCheck, settings

NEED_MORE = {
    "client",
    "commands",
    "interface",
    "interfaces",
    "launch",
    "peers",
    "ros",
    "sockets",
    "web",
}  # folders
ROS = {"action_msgs", "builtin_interfaces", "diagnostic_msgs", "geometry_msgs", "nav_msgs", "rclpy", "sensor_msgs"}
TESTS = Path(__file__).parents[1]

settings.register_profile("fast", deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))


class NoRos:
    """Refuses to import ROS, like a machine without it."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raise ImportError for modules of ROS; leave other modules to other finders."""
        if name.partition(".")[0] in ROS:
            raise ImportError(f"{name} is ROS, which is blocked in fast tests")


def no_socket(*_: object, **__: object) -> Never:
    raise OSError("sockets are blocked in fast tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="only what needs neither ROS nor sockets, with fewer examples")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--fast"):
        settings.load_profile("fast")
        sys.meta_path.insert(0, NoRos)  # type: ignore[arg-type]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if config.getoption("--fast") and TESTS in collection_path.parents:
        return True if NEED_MORE & set(collection_path.relative_to(TESTS).parts) else None
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--fast"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        items[:] = [item for item in items if item not in slow]
        config.hook.pytest_deselected(items=slow)


@pytest.fixture(autouse=True)
def no_sockets(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep fast tests from using sockets."""
    if pytestconfig.getoption("--fast"):
        monkeypatch.setattr(socket, "socket", no_socket)
