"""Unplugs robots of a running driver and plugs them in again, over TCP and DDS: python -m bench.replug --cycles 200.

Robots on another target drive meanwhile. Prints how soon all were back, what the driver leaked, and the largest gap
between two poses of the others.
"""

import argparse
import itertools
import os
import sys
import tempfile
from dataclasses import astuple
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.disturbances.unplugging import DriverOutage, Footprint, Unplugging

POSE_PERIOD_S = 0.1
GAP_S = 3 * POSE_PERIOD_S  # two poses are missing


def main() -> int:
    """Measure and print tables; return 1 if something leaked or a pose of the other robots was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
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
    console = Console(highlight=False)
    console.print(_outage_table(run), _leak_table(before, after))
    console.print(
        f"largest gap between poses of the other robots: {run.largest_gap_s():.3f} s at {1 / POSE_PERIOD_S:g} Hz; "
        f"their goals: {len(run.goals)}, failed {run.failed_goals()}"
    )
    return int(after != before or run.largest_gap_s() >= GAP_S)


def _outage_table(run: Unplugging) -> Table:
    table = Table(title="Outages", title_justify="left", box=None)
    for heading in ("", "cycles", "all back after s, median", "worst"):
        table.add_column(heading, justify="right" if heading else "left")
    for outage, durations_s in run.back_s.items():
        ordered = sorted(durations_s)
        table.add_row(outage.value, str(len(ordered)), f"{ordered[len(ordered) // 2]:.1f}", f"{ordered[-1]:.1f}")
    return table


def _leak_table(before: Footprint, after: Footprint) -> Table:
    table = Table(title="The driver's resources", title_justify="left", box=None)
    for heading in ("", "before", "after", "leaked"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, first, last in zip(Footprint.__slots__, astuple(before), astuple(after), strict=True):
        table.add_row(name, str(first), str(last), str(last - first))
    return table


if __name__ == "__main__":
    sys.exit(main())
