"""Tries broken files of every kind our programs read: python -m bench.doors.broken_files [--files 2000] [--seed 1].

`thymio-fleet check` and the programs must agree about each file; a file of a kind without a check is read and used.
Prints each disagreement, and a line with counts; returns 1 if there is any.
"""

import argparse
import sys
from collections import Counter

from bench.doors.file_doors import file_door


def main() -> int:
    """Try files, and print the disagreements and the counts."""
    parser = argparse.ArgumentParser(prog="bench.doors.broken_files", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=2000, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of all files (default: %(default)s)")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="N", help="number of the first file")
    options = parser.parse_args()
    door = file_door(options.seed, is_deep=True)
    kinds: Counter[str] = Counter()
    for number in range(options.first, options.first + options.files):
        kinds[door.read(number)[0]] += 1
        for fault in door.trace.faults:
            print(fault, flush=True)
        door.trace.faults.clear()
    row = door.row
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    print(f"{options.files} files ({counts}): {row.accepted or 0} accepted, {row.refused or 0} refused, ", end="")
    print(f"{row.deaths} disagreements, {row.unanswered} not read in time")
    return int(not row.is_clean)


if __name__ == "__main__":
    sys.exit(main())
