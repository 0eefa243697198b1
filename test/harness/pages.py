"""The pages of the documentation: their blocks of code, the files that they show, and their commands."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/measured").glob("*.md")),
)

_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"^(?:#|<!--) (my_\w+\.\w+): ", re.MULTILINE)
_COMMENT = re.compile(r"(?:^|\s+)#\s.*$")
_INLINE = re.compile(r"`(thymio-fleet [^`]+)`")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of code: its language ("" without one) and its text, without the fence's indentation."""

    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page in their order."""
    found = _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [Block(language, re.sub(f"^{indent}", "", text, flags=re.MULTILINE)) for indent, language, text in found]


def shown_files(page: Path) -> dict[str, str]:
    """Return the files that a page shows in full: blocks with a comment such as `# my_world.yaml: a room`."""
    named = ((_NAMED.search(block.text), block.text) for block in blocks(page))
    return {match.group(1): text for match, text in named if match}


def commands(page: Path) -> list[str]:
    """Return the command lines of a page's `sh` blocks: continued lines joined, comments left out."""
    texts = (block.text.replace("\\\n", " ") for block in blocks(page) if block.language == "sh")
    lines = (_COMMENT.sub("", line) for text in texts for line in text.splitlines())
    return [" ".join(line.split()) for line in lines if line.strip()]


def inline_commands(page: Path) -> list[str]:
    """Return the commands `thymio-fleet ...` in the text of a page."""
    return _INLINE.findall(_BLOCK.sub("", page.read_text(encoding="utf-8")))
