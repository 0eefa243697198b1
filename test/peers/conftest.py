import os
import shutil
from pathlib import Path

import pytest

REQUIRED = "THYMIO_FLEET_REQUIRE_PEERS"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder; skip them without the package, unless it must be there."""
    is_absent = shutil.which("asebaplayground") is None and not os.environ.get(REQUIRED)
    for item in items:
        if Path(__file__).parent not in item.path.parents:
            continue
        item.add_marker(pytest.mark.peers)
        if is_absent:
            item.add_marker(pytest.mark.skip(reason="asebaplayground is absent: apt-get install aseba"))
