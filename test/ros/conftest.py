import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from harness.ros.first_participant import read_profiles
from harness.ros.running_fleet import RunningFleet, running_fleet
from thymio_base.ros.private_domain import reserve_private_domain


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    _use_private_domain(os.getpid())


@cache
def _use_private_domain(process: int) -> None:
    """Keep a process and its children within a ROS domain of their own."""
    reserve_private_domain()
    read_profiles()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.ros)


def thread_names() -> Iterator[str]:
    """Yield the names of this process's threads, also of those that Python did not start."""
    for thread in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            yield (thread / "comm").read_text().strip()


@pytest.fixture(scope="module", autouse=True)
def no_participant_is_left_on_the_graph() -> Iterator[None]:
    """Fail if tests of a file leave a participant in this process: later tests would see its clients."""
    yield
    participants = sum(name.startswith("dds.ev.") for name in thread_names())  # Fast DDS: one such thread each
    assert not participants, f"tests of this file left {participants} participants on the graph of this process"


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[RunningFleet]:
    """A separate ready fleet, for a test that breaks it."""
    yield from running_fleet(tmp_path)


@pytest.fixture(scope="module")
def shared_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    """A ready fleet shared by the tests of one file, which leave it as they found it: idle."""
    yield from running_fleet(tmp_path_factory.mktemp("fleet"))
