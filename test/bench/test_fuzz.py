"""Hostile peers do not stop our link or a healthy target; `python -m bench.fuzz` tests more of it."""

import resource
from pathlib import Path

import pytest

from aseba_link.link.connection import MAX_QUEUED
from bench.fuzz import Fuzz, Health

pytestmark = pytest.mark.slow

MESSAGES = 100_000
MEMORY_KB = 50_000


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> tuple[Fuzz, int]:
    """Return a run with hostile targets, and its growth of the process's peak memory."""
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fuzz = Fuzz(tmp_path_factory.mktemp("targets"), seed=1)
    fuzz.run(MESSAGES)
    return fuzz, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb


def test_hostile_targets_do_not_disturb_a_healthy_one(targets: tuple[Fuzz, int]) -> None:
    assert targets[0].messages >= MESSAGES
    assert targets[0].health == Health(ready=[1, 2])


def test_hostile_targets_cost_a_bounded_amount_of_memory(targets: tuple[Fuzz, int]) -> None:
    fuzz, grown_kb = targets
    assert grown_kb < MEMORY_KB
    assert max(peer.longest_queue for peer in fuzz.peers.values()) <= MAX_QUEUED


@pytest.mark.parametrize("name", ["random bytes", "truncated frames", "oversized lengths", "stalled"])
def test_hostile_target_that_breaks_the_framing_is_dialled_repeatedly(targets: tuple[Fuzz, int], name: str) -> None:
    assert next(peer for peer in targets[0].peers.values() if peer.name == name).connections >= 3


def test_malformed_messages_of_hostile_targets_are_counted(targets: tuple[Fuzz, int]) -> None:
    assert targets[0].dropped > 1000


@pytest.mark.parametrize("seed", [2, 3])
def test_hostile_clients_of_our_switch_do_not_disturb_a_target(tmp_path: Path, seed: int) -> None:
    fuzz = Fuzz(tmp_path, seed, as_clients=True)
    fuzz.run(MESSAGES // 4)
    assert fuzz.health == Health(ready=[1, 2])
