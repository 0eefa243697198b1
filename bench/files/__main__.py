"""Reads a folder's files as our programs would: python -m bench.files FOLDER [--json] [--reasons].

Counts files that were read, refused, or crashed a reader, and robots whose poses differ from Pinocchio's, if that is
installed. Robots that neither Pinocchio nor our reader reads do not count.
"""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.files.file_readers import FileResult, FileSort, Verdict, tried
from bench.instruments.printed_rows import options_of, print_rows
from experiments.workers import parallel_map


def main(argv: Sequence[str] | None = None) -> int:
    """Print a row for each kind; return 1 if a file crashed a reader, or a robot has wrong poses."""
    parser = options_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--reasons", action="store_true", help="print files that were not read, with the reasons")
    parser.add_argument("--processes", type=int, default=None, help="for the files (default: one a processor)")
    options = parser.parse_args(argv)
    files = [Path(folder) / name for folder, _, names in os.walk(options.folder) for name in names]
    results = [one for one in parallel_map(tried, sorted(files), options.processes) if one is not None]
    if options.reasons:
        for one in results:
            if one.verdict is not Verdict.READ:
                print(f"{one.verdict.value}: {one.file}: {one.words}")
    print_rows(rows_of(results), as_json=options.json)
    return int(any(one.verdict in (Verdict.CRASHED, Verdict.WRONG) for one in results))


def rows_of(results: Sequence[FileResult]) -> list[dict[str, str | int]]:
    """Return the counts of each kind of file that occurs."""
    rows: list[dict[str, str | int]] = []
    for sort in FileSort:
        counts = Counter(one.verdict for one in results if one.sort is sort)
        if counts:
            verdicts = {verdict.value: counts[verdict] for verdict in Verdict}
            verdicts["read"] += counts[Verdict.WRONG]
            rows.append({"kind": sort.value, "files": counts.total(), **verdicts})
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
