"""Every goal of our client gets an answer and ends: two cases of bench.answers, with few goals."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEADLINE_S = 150.0
COMMAND = [sys.executable, "-m", "bench.answers", "--short", "--goals", "9", "--clients", "ours", "--json"]


def run(cases: str) -> str:
    process = subprocess.Popen([*COMMAND, "--cases", cases], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        return process.communicate(timeout=DEADLINE_S)[0]
    finally:
        process.terminate()  # it then ends all its children
        process.communicate()


def test_no_goal_of_our_client_hangs_even_beside_a_client_that_cannot_be_answered() -> None:
    rows = [json.loads(line) for line in run("quiet,latched").splitlines()]
    assert [(row["case"], row["goals"]) for row in rows] == [("quiet", 9), ("latched", 9)]
    assert [(row["unanswered"], row["without_end"], row["executed_twice"]) for row in rows] == [(0, 0, 0)] * 2
