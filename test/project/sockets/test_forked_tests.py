"""Tests that workers run have the outcomes that they have in one process, whatever ends a worker."""

import os
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

PASSING = """
import pytest

@pytest.mark.parametrize("number", range(5))
def test_passing(number, tmp_path):
    (tmp_path / "file").write_text(str(number))
"""
FAILING = """
import os, pytest

@pytest.fixture(scope="module")
def shared():
    yield []
    print("the end of what is shared")

def test_first(shared):
    shared.append(1)

def test_failing(shared):
    print("some output")
    assert shared == [2]

def test_skipped(shared):
    pytest.skip("a reason")
"""
DYING = """
import os, signal

def test_before():
    pass

def test_dying():
    os.kill(os.getpid(), signal.SIGKILL)

def test_after():
    pass
"""
HANGING = """
import threading

def wait_in_vain():
    threading.Event().wait()

def test_hanging():
    wait_in_vain()

def test_after():
    pass
"""
PROCESS = "import os\ndef test_process():\n    open('processes', 'a').write(f'{os.getpid()} ')\n"


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    test = Path(__file__).parents[2]
    pytester.makeini(f"[pytest]\npythonpath = {test} {test.parent}")
    return pytester.runpytest_subprocess("-p", "harness.workers", "--workers", "2", *options)


def test_outcomes_and_output_match_the_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_passing=PASSING, test_failing=FAILING)
    result = run(pytester)
    result.assert_outcomes(passed=6, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["*assert *1* == *2*", "*some output*"])


def test_test_that_ends_its_worker_fails_and_the_others_are_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_passing=PASSING, test_dying=DYING)
    result = run(pytester)
    result.assert_outcomes(passed=7, failed=1)
    result.stdout.fnmatch_lines(["*the worker died in this test: exit code -9"])


def test_test_that_hangs_fails_with_its_stack_and_the_others_are_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_passing=PASSING, test_hanging=HANGING)
    result = run(pytester, "--patience", "0.5")
    result.assert_outcomes(passed=6, failed=1)
    result.stdout.fnmatch_lines(["*this test did not end", "*in wait_in_vain"])


def test_no_test_starts_after_the_last_allowed_failure(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_failing=FAILING)
    result = run(pytester, "-x")
    result.assert_outcomes(passed=1, failed=1)


def test_files_are_run_by_several_processes_that_collect_nothing(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("def pytest_collection_finish():\n    open('collections', 'a').write('.')\n")
    pytester.makepyfile(test_one=PROCESS, test_two=PROCESS, test_three=PROCESS)
    run(pytester).assert_outcomes(passed=3)
    processes = (pytester.path / "processes").read_text().split()
    assert len(processes) == 3
    assert str(os.getpid()) not in processes
    assert len(set(processes)) == 2
    assert (pytester.path / "collections").read_text() == "."


def test_longest_test_of_the_last_run_is_the_first_of_the_next(pytester: pytest.Pytester) -> None:
    slow = "import time\ndef test_slow():\n    time.sleep(0.5)\n"
    pytester.makepyfile(test_a=PASSING, test_b=PASSING, test_c=slow)
    run(pytester)
    result = run(pytester, "-v", "--workers", "1")
    first = next(line for line in result.outlines if "PASSED" in line)
    assert first.startswith("test_c.py::test_slow")


def test_files_of_a_folder_that_share_a_fixture_are_run_by_one_process(pytester: pytest.Pytester) -> None:
    shared = "import pytest\n@pytest.fixture(scope='package', autouse=True)\ndef shared():\n    yield\n"
    files = {"conftest": shared, "test_one": PROCESS, "test_two": PROCESS, "test_three": PROCESS}
    pytester.makepyfile(**{f"folder/{name}": text for name, text in files.items()})
    run(pytester).assert_outcomes(passed=3)
    assert len(set((pytester.path / "processes").read_text().split())) == 1
