"""Robots of a running driver are unplugged and plugged in again; `python -m bench.replug` does it 200 times."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.unplugging import Outage, Unplugging


@pytest.fixture
def unplugging(tmp_path: Path) -> Iterator[Unplugging]:
    run = Unplugging(tmp_path, unplugged=2, steady=1)
    try:
        run.wait_until_ready()
        run.go_through(Outage.CLOSED)  # once for what is made at the first need
        yield run
    finally:
        run.close()


def test_outages_leave_nothing_behind_and_fail_no_task_of_another_target(unplugging: Unplugging) -> None:
    before = unplugging.footprint()
    for outage in (Outage.CUT, Outage.CLOSED, Outage.KILLED):
        unplugging.go_through(outage)
    assert unplugging.footprint() == before
    assert unplugging.goals
    assert unplugging.failed_goals() == 0
