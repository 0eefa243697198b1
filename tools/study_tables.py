"""Prints tables of a study with three factors from its summary.json, in Markdown.

python tools/study_tables.py summary.json [MEASURE ...]

There is a table for each level of the first factor and each measure; its rows are the levels of the last factor, its
columns those of the second one. A cell is the mean over all runs with its 95 % interval, and the largest value.
"""

import argparse
import json
from pathlib import Path

MEASURES = ("path_max_mm", "path_rms_mm", "makespan_s")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("summary", type=Path, metavar="FILE", help="summary.json of the study")
    parser.add_argument("measures", nargs="*", default=MEASURES, metavar="MEASURE", help="default: %(default)s")
    options = parser.parse_args()
    conditions = json.loads(options.summary.read_text(encoding="utf-8"))["conditions"]
    cells = {tuple(one["levels"].values()): one for one in conditions}
    first, second, third = (list(dict.fromkeys(levels)) for levels in zip(*cells, strict=True))
    name = list(conditions[0]["levels"])[-1]
    for level in first:
        print(f"## {level.capitalize()}\n")
        for measure in options.measures:
            print(f"`{measure}`:\n\n| {name} | {' | '.join(second)} |\n|---|{'---|' * len(second)}")
            for row in third:
                print(f"| {row} | {' | '.join(cell(cells[level, column, row], measure) for column in second)} |")
            print()
    runs, succeeded = (sum(one[key] for one in conditions) for key in ("runs", "succeeded"))
    print(f"{succeeded} of {runs} runs succeeded.")


def cell(condition: dict, measure: str) -> str:
    """Return what one cell says."""
    found = condition["measures"].get(measure)
    if found is None:
        return "-"
    return f"{found['mean']:.2f} [{found['low']:.2f}, {found['high']:.2f}], {found['largest']:.1f}"


if __name__ == "__main__":
    main()
