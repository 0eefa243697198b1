"""Describes sets of numbers in words."""

from collections.abc import Iterable


def number_text(numbers: Iterable[int]) -> str:
    """Return numbers in ascending order, runs of three or more by their ends: "1 to 8, 10 and 12"."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [part for run in runs for part in _run_texts(run)]
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def robots_text(robot_ids: Iterable[int]) -> str:
    """Return robots in words: "robot 2", or "robots 1 to 8"."""
    ids = set(robot_ids)
    return f"{'robot' if len(ids) == 1 else 'robots'} {number_text(ids)}"


def _run_texts(run: list[int]) -> list[str]:
    return [f"{run[0]} to {run[-1]}"] if len(run) > 2 else list(map(str, run))
