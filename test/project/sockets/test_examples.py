"""Properties try the same examples in every run, unless a seed is given."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TEST = """
from hypothesis import given, strategies as st

@given(st.integers())
def test_numbers(number):
    with open("drawn", "a") as drawn:
        print(number, file=drawn)
"""


def drawn(pytester: pytest.Pytester, *options: str) -> str:
    (pytester.path / "drawn").unlink(missing_ok=True)
    pytester.makeini(f"[pytest]\npythonpath = {Path(__file__).parents[2]}")
    pytester.makepyfile(TEST)
    run = pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin", "-p", "harness.examples", *options
    )
    run.assert_outcomes(passed=1)
    return (pytester.path / "drawn").read_text()


def test_examples_are_the_same_in_every_run(pytester: pytest.Pytester) -> None:
    assert drawn(pytester) == drawn(pytester)


def test_seed_gives_other_examples(pytester: pytest.Pytester) -> None:
    assert len({drawn(pytester), drawn(pytester, "--hypothesis-seed=1"), drawn(pytester, "--hypothesis-seed=2")}) == 3
