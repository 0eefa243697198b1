"""Programs left running by tests are found and ended, even if the tests themselves were killed."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import left_behind

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]
# a test run with a program started by another program that ends at once
RUN = f"""
import os, subprocess, sys, time
from harness import left_behind
left_behind.mark_children()
grandchild = "import subprocess; print(subprocess.Popen({SLEEP!r}).pid, flush=True)"
subprocess.run([sys.executable, "-c", grandchild], check=True)
time.sleep(600)
"""
DEADLINE_S = 60.0


def marked(mark: str) -> dict[str, str]:
    return {**os.environ, left_behind.VARIABLE: mark}


@contextmanager
def sleeping(environment: dict[str, str] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program that sleeps; it is loaded, so that Linux shows its environment, and is ended afterwards."""
    with subprocess.Popen(SLEEP, env=environment) as program:
        try:
            wait_until(lambda: b"THYMIO" in Path(f"/proc/{program.pid}/environ").read_bytes(), "it is not loaded")
            yield program
        finally:
            program.kill()


def test_program_left_running_is_ended_and_reported() -> None:
    with sleeping(marked("one")) as left, sleeping(marked("other")) as other:
        assert left_behind.end_left("one", 0.0) == [" ".join(SLEEP)]
        assert left.wait(DEADLINE_S) < 0
        assert other.poll() is None


def test_program_that_is_exiting_does_not_count_as_left_behind() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3)"], env=marked("brief")) as brief:
        assert left_behind.end_left("brief", DEADLINE_S) == []
        assert brief.wait(DEADLINE_S) == 0


def test_program_that_this_process_has_started_is_ended() -> None:
    assert left_behind.end_left_by_this_process() == []
    with sleeping():
        assert left_behind.end_left_by_this_process(0.0) == [" ".join(SLEEP)]


def test_programs_left_behind_by_killed_tests_are_ended() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    with subprocess.Popen([sys.executable, "-c", RUN], stdout=subprocess.PIPE, env=environment) as tests:
        assert tests.stdout is not None
        grandchild = int(tests.stdout.readline())
        tests.kill()
    wait_until(lambda: not is_running(grandchild), "it still runs")


def wait_until(holds: Callable[[], bool], otherwise: str) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < deadline_s, otherwise
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Return whether a process exists and is not a zombie, which only waits for its parent to collect it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
