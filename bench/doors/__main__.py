"""Sends bad requests through every door of every program: python -m bench.doors [--minutes 5] [--seed 1] [--json].

Simulators, driver, dashboard, bridge, coupler and arm are processes of their own. Everything stays on this machine.
docs/measured/answers.md explains doors and columns. Returns 1 if a program ended or did not answer, or a fence caught
something.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from bench.doors.all_doors import all_doors
from bench.doors.door import DoorRow, table_of
from bench.doors.doors_run import DoorsRun
from bench.doors.ros_access import RosAccess
from bench.doors.tried_programs import TriedPrograms
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.ros.private_domain import reserve_private_domain


def main() -> int:
    """Try all doors, and print a row for each."""
    options = _options()
    reserve_private_domain()
    use_shipped_profile()
    with tempfile.TemporaryDirectory() as folder, TriedPrograms(Path(folder)) as programs:
        ros = RosAccess()
        doors = [one for one in all_doors(programs, ros, options.seed) if options.door in one.name]
        try:
            DoorsRun(programs, ros, doors).run(60.0 * options.minutes, options.slice, options.first)
        finally:
            rows = [door.row for door in doors]
            _print(rows, as_json=options.json)
            ros.close()
    return int(not all(row.is_clean for row in rows))


def _print(rows: list[DoorRow], *, as_json: bool) -> None:
    if not as_json:
        Console(width=160).print(table_of(rows))
        return
    for row in rows:
        print(row.json(), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.doors", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5.0, help="for all doors together (default: %(default)g)")
    parser.add_argument("--slice", type=float, default=5.0, metavar="S", help="at one door (default: %(default)g)")
    parser.add_argument("--seed", type=int, default=1, help="of all requests (default: %(default)s)")
    parser.add_argument("--door", default="", help="only doors whose name contains this")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="N", help="number of the first request")
    parser.add_argument("--json", action="store_true", help="print a row per line, as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
