"""Describes numbers and sets of numbers in words."""

from collections.abc import Iterable


def number_text(numbers: Iterable[int]) -> str:
    """Return numbers in ascending order, with runs of three or more shortened: "1 to 8, 10 and 12"."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [part for run in runs for part in _run_texts(run)]
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def count_text(count: int, noun: str) -> str:
    """Return a number of things in words: "1 robot", or "8 robots"."""
    return f"{count} {_plural(noun, count)}"


def robots_text(robot_ids: Iterable[int]) -> str:
    """Return robots in words: "robot 2", or "robots 1 to 8"."""
    return numbered_text("robot", set(robot_ids))


def which_are_text(noun: str, numbers: Iterable[int]) -> str:
    """Return numbered things as the subject of a sentence, with the verb: "robot 2 is", or "robots 1 to 8 are"."""
    known = set(numbers)
    return f"{numbered_text(noun, known)} {'is' if len(known) == 1 else 'are'}"


def numbered_text(noun: str, numbers: Iterable[int]) -> str:
    """Return numbered things in words: "node 2", or "nodes 1 to 8"."""
    known = set(numbers)
    return f"{_plural(noun, len(known))} {number_text(known)}"


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def _run_texts(run: list[int]) -> list[str]:
    return [f"{run[0]} to {run[-1]}"] if len(run) > 2 else list(map(str, run))
