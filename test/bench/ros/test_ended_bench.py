"""Benchmarks that are asked to end."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DEADLINE_S = 120.0


def test_bench_that_is_asked_to_end_ends_its_programs() -> None:
    with subprocess.Popen([sys.executable, "-m", "bench.body.live"], cwd=ROOT, stdout=subprocess.DEVNULL) as bench:
        programs = running_programs(bench)
        bench.terminate()
        assert bench.wait(DEADLINE_S) == 1
        assert len(programs) == 2
        assert not [program for program in programs if program.exists()]


def running_programs(bench: subprocess.Popen[bytes]) -> list[Path]:
    """Return the processes that a bench has started, once it talks to them by ROS."""
    threads = Path(f"/proc/{bench.pid}/task")
    end_s = time.monotonic() + DEADLINE_S
    while not any(name.startswith("dds.ev.") for name in names_of(threads)):
        assert time.monotonic() < end_s
        with pytest.raises(subprocess.TimeoutExpired):  # it has not ended
            bench.wait(0.05)
    return [Path("/proc", child) for child in (threads / str(bench.pid) / "children").read_text().split()]


def names_of(threads: Path) -> Iterator[str]:
    for thread in threads.iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            yield (thread / "comm").read_text()
