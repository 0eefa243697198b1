"""Sends bad requests to every door of every program: python -m bench.doors [--minutes 5] [--seed 1] [--json].

Simulators, driver, dashboard, bridge, coupler and arm are processes of their own. Everything stays on this machine.
docs/measured/answers.md explains doors and columns. Returns 1 if a program ended or did not answer, or a fence caught
an exception.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from bench.doors.all_doors import all_doors
from bench.doors.doors_run import DoorsRun
from bench.doors.ros_access import RosAccess
from bench.doors.tried_programs import TriedPrograms
from bench.instruments.printed_rows import options_of, print_rows
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
            print_rows([door.row.shown() for door in doors], as_json=options.json)
            ros.close()
    return int(not all(door.row.is_clean for door in doors))


def _options() -> argparse.Namespace:
    parser = options_of(__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="for all doors together (default: %(default)g)")
    parser.add_argument("--slice", type=float, default=5.0, metavar="S", help="at one door (default: %(default)g)")
    parser.add_argument("--seed", type=int, default=1, help="of all requests (default: %(default)s)")
    parser.add_argument("--door", default="", help="only doors whose name contains this")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="N", help="number of the first request")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
