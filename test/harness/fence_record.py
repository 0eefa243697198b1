"""Fails each test in which a fence caught an exception; lets messages refuse values of wrong types."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from thymio_base.fence import RECORD_VARIABLE

MARKER = "fenced"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARKER}: raises exceptions on purpose, which a fence must catch")
    # messages refuse values of wrong types, such as an int that is sent as 0
    os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"
    begin()


def begin() -> None:
    """Let this process, and the programs that it starts from now on, record what their fences catch."""
    handle, name = tempfile.mkstemp(prefix="thymio_fleet_fence_")
    os.close(handle)
    os.environ[RECORD_VARIABLE] = name


def pytest_unconfigure() -> None:
    end()


def end() -> None:
    """Remove the record."""
    Path(os.environ.pop(RECORD_VARIABLE)).unlink(missing_ok=True)


def take_record() -> str:
    """Return what was recorded since the last call."""
    file = Path(os.environ[RECORD_VARIABLE])
    text = file.read_text(encoding="utf-8")
    if text:
        os.truncate(file, 0)
    return text


@pytest.fixture(autouse=True)
def nothing_is_fenced(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail if a fence caught an exception, unless the test raises it on purpose."""
    yield
    caught = take_record()
    if request.node.get_closest_marker(MARKER) is None:
        assert not caught, f"a fence caught an exception:\n{caught}"
