from collections.abc import Iterator
from pathlib import Path

import pytest

from isolation import use_private_domain
from running_fleet import RunningFleet, running_fleet

use_private_domain()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.ros)


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[RunningFleet]:
    """A fleet of its own, ready, for a test that breaks it."""
    yield from running_fleet(tmp_path)


@pytest.fixture(scope="module")
def shared_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    """A ready fleet for the tests of one file that leave it as they found it: idle."""
    yield from running_fleet(tmp_path_factory.mktemp("fleet"))
