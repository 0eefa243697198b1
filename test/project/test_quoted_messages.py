"""Messages that the page on troubleshooting quotes are those of the programs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.pages import ROOT

PAGE = ROOT / "docs/troubleshooting.md"
OUR_PACKAGES = ("aseba_link", "fleet", "simulator", "thymio_base", "thymio_fleet", "tools")
OF_OTHERS = {"Address already in use", "command not found"}  # of the operating system and the shell
FIRST_CELL = re.compile(r"^\| ([^|]*`[^|]*) \|", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")
SPACES = re.compile(r"\s+")
BLANKS = re.compile(r"%d\.%d|%s|%d")  # what a message leaves to be filled in
OF_SHELL = re.compile(r"\$\{?\w+\}?|\$\([^)]*\)")


def quoted() -> list[str]:
    """Return the words of the quoted messages, without the parts that differ: `...`, numbers and names."""
    quotes = [quote for cell in FIRST_CELL.findall(PAGE.read_text(encoding="utf-8")) for quote in QUOTED.findall(cell)]
    parts = [part.strip(" ,;:") for quote in quotes if " " in quote for part in re.split(r"\.\.\.|,|: |; ", quote)]
    return [part for part in parts if part.count(" ") >= 2 and part not in OF_OTHERS]


def messages() -> str:
    """Return all texts in our sources, with `#` for every part that is filled in, and for every number."""
    texts = [text for package in OUR_PACKAGES for path in (ROOT / package).rglob("*.py") for text in texts_in(path)]
    texts += [OF_SHELL.sub("#", path.read_text(encoding="utf-8")) for path in (ROOT / "tools").glob("*.sh")]
    return SPACES.sub(" ", BLANKS.sub("#", "\n".join(texts)))


def texts_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "#" for part in node.values)


def pattern(part: str) -> re.Pattern[str]:
    """Return what finds a part of a message: its numbers, addresses and paths may be filled in."""
    words = ["#" if re.fullmatch(r"[\d.]+|/dev/\S+", word) else re.escape(word) for word in part.split()]
    return re.compile(" ".join(f"(?:{word}|#|[\\d.]+)" if word == "#" else word for word in words))


@pytest.mark.slow
def test_quoted_messages_exist_in_the_programs() -> None:
    known, parts = messages(), quoted()
    assert len(parts) > 20
    assert [part for part in parts if not pattern(part).search(known)] == []
