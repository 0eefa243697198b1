"""Robots of a running driver are unplugged and plugged in again; `python -m bench.replug` does it 200 times."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.disturbances.unplugging import DriverOutage, Unplugging


@pytest.fixture
def unplugging(tmp_path: Path) -> Iterator[Unplugging]:
    run = Unplugging(tmp_path, unplugged=2, steady=1)
    try:
        run.wait_until_ready()
        run.go_through(DriverOutage.CLOSED)  # once, for everything created on first use
        yield run
    finally:
        run.close()


def test_outages_leak_nothing_and_fail_no_task_on_another_target(unplugging: Unplugging) -> None:
    before = unplugging.footprint()
    for outage in (DriverOutage.CUT, DriverOutage.CLOSED, DriverOutage.KILLED):
        unplugging.go_through(outage)
    assert unplugging.footprint() == before
    assert unplugging.goals
    assert unplugging.failed_goals() == 0
