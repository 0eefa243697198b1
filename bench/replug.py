"""Unplugs robots of a running driver and plugs them in again, over TCP and DDS: python -m bench.replug --cycles 200.

Robots on another target drive meanwhile. Prints how soon all were back, what the driver leaked, and the largest gap
between two poses of the others.
"""

import itertools
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

from bench.disturbances.unplugging import DriverOutage, Footprint, Unplugging
from bench.instruments.printed_rows import options_of, print_rows

POSE_PERIOD_S = 0.1
GAP_S = 3 * POSE_PERIOD_S  # two poses are missing


def main() -> int:
    """Measure and print tables; return 1 if something leaked or a pose of the other robots was missed."""
    parser = options_of(__doc__)
    parser.add_argument("--cycles", type=int, default=200)
    options = parser.parse_args()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    with tempfile.TemporaryDirectory() as folder:
        run = Unplugging(Path(folder))
        try:
            run.wait_until_ready()
            for outage in DriverOutage:  # one pass first, for everything that is created on first use
                run.go_through(outage)
            run.back_s.clear()
            run.forget_gaps()
            before = run.footprint()
            for outage in itertools.islice(itertools.cycle(DriverOutage), options.cycles):
                run.go_through(outage)
            after = run.footprint()
        finally:
            run.close()
    print_rows([_outage_row(outage, durations_s) for outage, durations_s in run.back_s.items()], as_json=options.json)
    print_rows(_leak_rows(before, after), as_json=options.json)
    gap = {"largest_gap_s": run.largest_gap_s(), "others_goals": len(run.goals), "failed": run.failed_goals()}
    print_rows([gap], as_json=options.json)
    return int(after != before or run.largest_gap_s() >= GAP_S)


def _outage_row(outage: DriverOutage, durations_s: Sequence[float]) -> dict[str, object]:
    cycles, median_s, worst_s = len(durations_s), statistics.median(durations_s), max(durations_s)
    return {"outage": outage.value, "cycles": cycles, "all_back_median_s": median_s, "all_back_worst_s": worst_s}


def _leak_rows(before: Footprint, after: Footprint) -> list[dict[str, object]]:
    """Return how much of each of the driver's resources has leaked."""
    counts = zip(Footprint.__slots__, astuple(before), astuple(after), strict=True)
    return [{"resource": name, "before": first, "after": last, "leaked": last - first} for name, first, last in counts]


if __name__ == "__main__":
    sys.exit(main())
