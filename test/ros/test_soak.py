"""A driver's resources do not grow while robots drive, leave and return: half a minute of bench.soak."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.soak import SoakRow, leaks
from harness.budgets import IS_LONG


@pytest.mark.skipif(not IS_LONG, reason="repeats for half a minute: make test-long")
def test_driver_of_robots_that_leave_and_return_leaks_nothing() -> None:
    command = [sys.executable, "-m", "bench.soak", "--minutes", "0.5", "--robots", "3", "--json"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    rows = [SoakRow(**json.loads(line)) for line in done.stdout.splitlines()]
    assert len(rows) == 2, done.stderr
    assert leaks(rows) == [], done.stdout
    assert all(row.goals for row in rows)
