"""Tests beside a peer that dies, or on a machine that stalls, are rerun; our own failures remain failures."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TEST = """
import subprocess, sys
from pathlib import Path
import pytest
from harness import peer_deaths

RUNS = Path("runs")

@pytest.fixture(scope="module")
def peer():
    RUNS.write_text(RUNS.read_text() + "." if RUNS.exists() else ".")
    is_fatal = len(RUNS.read_text()) <= {deaths}
    command = [sys.executable, "-c", "import sys; sys.exit(3)" if is_fatal else "import time; time.sleep(600)"]
    with subprocess.Popen(command) as process:
        with peer_deaths.watched(["peer"], process):
            yield process
        process.kill()

@pytest.mark.peers
def test_beside_a_peer(peer):
    {failure}
    if len(RUNS.read_text()) <= {deaths}:
        peer.wait(60)
        pytest.fail("the peer has ended")

@pytest.mark.peers
def test_after_it(peer):
    assert peer.poll() is None
"""

STALLED = """
import os, signal, subprocess, time
from pathlib import Path
import pytest

@pytest.mark.ros
def test_beside_programs():
    is_first = not Path("runs").exists()
    with Path("runs").open("a") as runs:
        runs.write(".")
    if is_first and {stalls}:
        waker = f"sleep 0.5; kill -CONT {{os.getpid()}}"
        with subprocess.Popen(["sh", "-c", waker]):
            os.kill(os.getpid(), signal.SIGSTOP)
            time.sleep(0.2)
    assert not is_first, "too late"
"""

CONFTEST = """
from harness import runs_again

def pytest_configure(config):
    config.pluginmanager.register(runs_again)
"""


def run(pytester: pytest.Pytester, deaths: int, failure: str = "") -> pytest.RunResult:
    return run_text(pytester, TEST.format(deaths=deaths, failure=failure))


def run_text(pytester: pytest.Pytester, text: str) -> pytest.RunResult:
    markers = "markers =\n    peers: has peers\n    ros: has programs"
    test = Path(__file__).parents[2]
    pytester.makeini(f"[pytest]\n{markers}\npythonpath = {test} {test.parent}")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(text)
    return pytester.runpytest_subprocess("-p", "no:cacheprovider")


@pytest.mark.parametrize("deaths", [0, 1, 2])
def test_test_passes_once_its_peer_survives(pytester: pytest.Pytester, deaths: int) -> None:
    result = run(pytester, deaths)
    result.assert_outcomes(passed=2)
    reported = [line for line in result.outlines if line.endswith("test_beside_a_peer: peer: exit code 3")]
    assert len(reported) == deaths
    assert any("Peers that died" in line for line in result.outlines) == bool(deaths)


def test_peer_that_dies_every_time_is_a_failure(pytester: pytest.Pytester) -> None:
    run(pytester, 3).assert_outcomes(failed=1, passed=1)


def test_failure_beside_a_live_peer_is_reported_without_a_rerun(pytester: pytest.Pytester) -> None:
    result = run(pytester, 0, "assert False")
    result.assert_outcomes(failed=1, passed=1)
    assert (pytester.path / "runs").read_text() == "."


def test_test_that_needs_real_time_is_rerun_after_a_stall_which_is_reported(pytester: pytest.Pytester) -> None:
    result = run_text(pytester, STALLED.format(stalls=True))
    result.assert_outcomes(passed=1)
    title = "*Tests that failed while the machine was busy*"
    result.stdout.fnmatch_lines([title, "*test_beside_programs: stall * s, *: AssertionError: too late*"])


def test_other_test_is_not_rerun_after_a_stall(pytester: pytest.Pytester) -> None:
    run_text(pytester, STALLED.format(stalls=True).replace("@pytest.mark.ros", "")).assert_outcomes(failed=1)
    assert (pytester.path / "runs").read_text() == "."
