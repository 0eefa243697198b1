"""Ctrl-C ends an experiment at once, and says what is kept."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples/experiments/squares.yaml"
LATEST_S = 120.0


def wait_for(program: subprocess.Popen[str], condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + LATEST_S
    while not condition():
        assert program.poll() is None
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_experiment_says_how_many_runs_are_kept(jobs: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fleet.commands.main", "experiment", str(EXAMPLE), "--repeat", "1000"]
    program = subprocess.Popen(
        [*command, "--out", str(tmp_path / "d"), "--jobs", str(jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for(program, lambda: any(tmp_path.glob("d/*/results.json")))
    os.killpg(program.pid, signal.SIGINT)  # as a terminal does
    out, err = program.communicate(timeout=LATEST_S)
    kept = len(list(tmp_path.glob("d/*/results.json")))
    assert (program.returncode, out) == (130, "")
    assert err.splitlines()[-1] in [
        f"interrupted: {count} of 1000 runs kept in {tmp_path / 'd'}; --resume continues" for count in (kept - 1, kept)
    ]
    assert "Traceback" not in err
    assert kept < 100
