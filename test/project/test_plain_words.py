"""Sentences of the sources and pages avoid phrases that are translated word by word."""

import re
from pathlib import Path

import pytest

from harness.packages import CHECKED

ROOT = Path(__file__).parents[2]
PHRASES = {  # what is found: what to write
    r"\banew\b": "again",
    r"\bshall\b": "must, should",
    r"\bnone of ours\b": "foreign, unknown",
    r"\b(?:became|become) of\b": "outcome, state",
    r"\bany more\b": "no longer",
    r"\bgets on\b": "state, progress",
    r"(?<!here )\b(?:is|are) no (?!longer\b|more\b|better\b|such\b|limit\b)(?=[a-zA-Z])": "is not a",
    r"\bso (?:long|many|much|often)\b(?!.*\b(?:that|as)\b)": "this long, that many",
}
FOUND = re.compile("|".join(PHRASES))


@pytest.mark.parametrize("package", [*CHECKED, "test"])
def test_sources_avoid_translated_phrases(package: str) -> None:
    files = (file for file in (ROOT / package).rglob("*.py") if file != Path(__file__))
    assert [found for file in sorted(files) for found in phrases(file)] == []


def test_pages_avoid_translated_phrases() -> None:
    files = (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/measured").glob("*.md"))
    assert [found for file in sorted(files) for found in phrases(file)] == []


def test_translated_phrases_are_found_and_others_are_not(tmp_path: Path) -> None:
    file = tmp_path / "sentences.md"
    file.write_text("it is no number\nthere is no number\nso many that\nso often\nno longer\n", encoding="utf-8")
    assert [line.split(": ")[1] for line in phrases(file)] == ["it is no number", "so often"]


def phrases(file: Path) -> list[str]:
    """Return the lines of a file with such phrases."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [f"{file.name}:{number}: {line.strip()}" for number, line in enumerate(lines, 1) if FOUND.search(line)]
