"""Filters of entities by name: regular expressions that cannot take long."""

import re

_LONGEST = 200  # characters
_MOST_REPEATS = 3  # each multiplies the time by the length of a name
_REPEAT = re.compile(r"(?<!\\)(?:\\\\)*(?<!\()[*+?{]")
_REPEATED_GROUP = re.compile(r"\)[*+?{]")
_VERBOSE = re.compile(r"\(\?[a-zA-Z]*x")  # would allow blanks between a group and its repetition


def name_pattern(text: str) -> re.Pattern[str]:
    """Return a filter's regular expression; an empty filter matches every name.

    Raises
    ------
    ValueError
        The filter is not a regular expression, or could take very long.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"has more than {_LONGEST} characters")
    if _VERBOSE.search(text) or _REPEATED_GROUP.search(text) or len(_REPEAT.findall(text)) > _MOST_REPEATS:
        raise ValueError(f"repeats a group, is verbose, or has more than {_MOST_REPEATS} of * + ? {{")
    try:
        return re.compile(text or ".*")
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from error
