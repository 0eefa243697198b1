"""Robots are unplugged and plugged in again in different ways; `python -m bench.outages` does it 200 times."""

import threading
from pathlib import Path

import pytest

from bench.outages import ROBOTS, Outage, Outages, open_files

CYCLES = 2 * len(Outage)
LOSSES = [outage for outage in Outage if outage is not Outage.SHORT_SILENCE]


@pytest.fixture(scope="module")
def outages(tmp_path_factory: pytest.TempPathFactory) -> Outages:
    run = Outages(tmp_path_factory.mktemp("outages"))
    run.run(CYCLES)
    return run


@pytest.mark.slow
def test_all_robots_are_back_with_their_script_after_every_outage(outages: Outages) -> None:
    assert outages.absent == []


def test_robot_of_another_target_moves_and_reports_all_the_time(outages: Outages) -> None:
    assert (outages.missed, outages.stood) == ([], [])


@pytest.mark.parametrize("outage", LOSSES, ids=lambda outage: outage.name)
def test_robots_are_lost_in_an_outage(outages: Outages, outage: Outage) -> None:
    assert outages.lost[outage] == ROBOTS * CYCLES // len(Outage)


def test_robots_are_not_lost_in_a_short_silence(outages: Outages) -> None:
    assert outages.lost[Outage.SHORT_SILENCE] == 0


def test_outages_leak_no_threads_and_no_files(tmp_path: Path) -> None:
    before = threading.active_count(), open_files()
    Outages(tmp_path).run(len(Outage))
    assert (threading.active_count(), open_files()) == before
