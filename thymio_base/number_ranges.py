"""Lists of numbers in words."""

from collections.abc import Iterable


def ranges_text(numbers: Iterable[int]) -> str:
    """Return numbers in ascending order, with ranges of three and more: "1 to 4, 7 and 9"; "none" if there are none."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [part for run in runs for part in _run_parts(run)]
    if len(parts) < 2:
        return "".join(parts) or "none"
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _run_parts(run: list[int]) -> list[str]:
    return [f"{run[0]} to {run[-1]}"] if len(run) > 2 else list(map(str, run))
