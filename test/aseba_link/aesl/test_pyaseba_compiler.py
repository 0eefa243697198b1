"""A request to the original compiler is repeated if its process dies; an unusable compiler is detected."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.aseba.pyaseba_compiler import ATTEMPTS, MAX_DEATHS, MAX_GIVEN_UP, PeerDiedError, PyasebaCompiler

# In place of the original: exits at "fatal", and at "moody" the first time; answers anything else with its length.
PEER = """
import json, pathlib, sys
mood = pathlib.Path(sys.argv[1])
for line in sys.stdin:
    code = json.loads(line)["code"]
    if code == "fatal" or code == "moody" and not mood.exists():
        mood.touch()
        sys.exit(3)
    print(json.dumps({"bytecode": [len(code)]}), flush=True)
"""


@pytest.fixture
def deaths() -> list[str]:
    """The deaths listed in the summary of a run."""
    return []


@pytest.fixture
def compiler(tmp_path: Path, deaths: list[str]) -> Iterator[PyasebaCompiler]:
    found = PyasebaCompiler([sys.executable, "-c", PEER, str(tmp_path / "mood")], deaths.append)
    yield found
    found.close()


def test_a_program_is_compiled_although_the_process_died_at_it_once(
    compiler: PyasebaCompiler, deaths: list[str]
) -> None:
    assert compiler.compile("moody") == (5,)
    assert compiler.deaths == ["exit code 3"]
    assert deaths == ["pyaseba's compiler: exit code 3"]


def test_a_program_that_kills_the_process_each_time_is_given_up_and_the_next_one_is_compiled(
    compiler: PyasebaCompiler,
) -> None:
    with pytest.raises(PeerDiedError):
        compiler.compile("fatal")
    assert compiler.given_up == ["fatal"]
    assert len(compiler.deaths) == ATTEMPTS
    assert compiler.compile("var a") == (5,)


@pytest.mark.slow
def test_a_compiler_that_dies_at_many_programs_is_a_failure(compiler: PyasebaCompiler) -> None:
    for _ in range(MAX_GIVEN_UP):
        with pytest.raises(PeerDiedError):
            compiler.compile("fatal")
    with pytest.raises(AssertionError, match="cannot be used"):
        compiler.compile("fatal")


@pytest.mark.slow
def test_a_compiler_that_keeps_dying_is_a_failure(compiler: PyasebaCompiler, tmp_path: Path) -> None:
    for _ in range(MAX_DEATHS):
        assert compiler.compile("moody") == (5,)
        (tmp_path / "mood").unlink()
    with pytest.raises(AssertionError, match="cannot be used"):
        compiler.compile("moody")
