"""Replaces the section `floor` in the text of a fleet file; comments and everything else stay as they are."""

import re

_KEY = re.compile(r"^[A-Za-z_\"'].*", re.MULTILINE)  # the first line of a section at the top level


class FloorSectionError(Exception):
    """The text of a fleet file has a form in which a section cannot be replaced."""


def with_floor(text: str, section: str, source: str) -> str:
    """Return a text in which `section` replaces the section `floor`, or follows `arena`, or is the first.

    Raises
    ------
    FloorSectionError
        The file is not written in sections that start at the beginning of a line; `source` names it.
    """
    lines = text.splitlines(keepends=True)
    starts = {_name(line): index for index, line in enumerate(lines) if _KEY.match(line)}
    if not starts:
        raise FloorSectionError(
            f"{source}: no section starts at the beginning of a line; add this yourself:\n{section}"
        )
    if "floor" in starts:
        start = starts["floor"]
        return "".join([*lines[:start], section, *lines[_end(lines, start) :]])
    after = _end(lines, starts["arena"]) if "arena" in starts else min(starts.values())
    before, rest = lines[:after], lines[after:]
    if before and "arena" in starts:
        before[-1] = before[-1].rstrip("\n") + "\n"
        return "".join([*before, "\n", section, *rest])
    return "".join([*before, section, "\n", *rest])


def _name(line: str) -> str:
    return line.partition(":")[0].strip().strip("\"'")


def _end(lines: list[str], start: int) -> int:
    """Return the index behind a section: empty lines and comments at its end belong to what follows."""
    end = start + 1
    while end < len(lines) and not _KEY.match(lines[end]) and not lines[end].startswith("---"):
        end += 1
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return end
