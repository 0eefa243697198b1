from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.ros.running_fleet import RunningFleet, running_fleet
from thymio_base.ros.private_domain import take_private_domain

take_private_domain()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.ros)


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[RunningFleet]:
    """A separate ready fleet, for a test that breaks it."""
    yield from running_fleet(tmp_path)


@pytest.fixture(scope="module")
def shared_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    """A ready fleet shared by the tests of one file, which leave it as they found it: idle."""
    yield from running_fleet(tmp_path_factory.mktemp("fleet"))
