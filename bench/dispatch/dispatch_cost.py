"""Measures the cost of jobs per tick: python -m bench.dispatch.dispatch_cost [--robots 20] [--jobs 100] [--json].

The fleet's dispatcher in the lab, with all robots at work and the other jobs in the queue. `tick_ms` is the CPU time of
a tick in which nothing happens; `event_ms` the additional cost of one event, over all ticks until its plan is adopted.
"""

import sys
import time
from statistics import median, quantiles
from typing import Final

from bench.dispatch.fleet_day import FleetDay, transports
from bench.instruments.printed_rows import options_of, print_rows
from experiments.lab.lab import Lab, uncollected
from fleet.dispatch.dispatcher import Dispatcher
from thymio_base.instant import Instant

_TICK_NS: Final = 50_000_000
_PLANNED_TICKS: Final = 100  # in which the jobs are planned
_QUIET_TICKS: Final = 2_000
_EVENTS: Final = 40
_TICKS_AN_EVENT: Final = 40
_STARTED_S: Final = 3.0


def main() -> int:
    """Measure and print the row."""
    parser = options_of(__doc__)
    parser.add_argument("--robots", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=100, help="that are open")
    options = parser.parse_args()
    lab, dispatcher = FleetDay(options.robots, options.jobs, 0, is_naive=False).parts
    lab.start()
    dispatcher.submit(transports(options.jobs, 0), lab.now)
    lab.run(_STARTED_S)
    with uncollected():
        row = {"robots": options.robots, "jobs": options.jobs, **_figures(lab, dispatcher)}
    print_rows([row], as_json=options.json)
    return 0


def _figures(lab: Lab, dispatcher: Dispatcher) -> dict[str, float]:
    clock = _Ticks(lab.now_ns, dispatcher)
    for _ in range(_PLANNED_TICKS):
        clock.advance()
    quiet_ms = [clock.advance() for _ in range(_QUIET_TICKS)]
    queued = [report.job_id for report in dispatcher.reports(lab.now) if not report.robot_id and not report.ended_ns]
    sums: list[float] = []
    longest: list[float] = []
    for job_id in queued[:_EVENTS]:
        dispatcher.change(job_id, clock.now, priority=6)
        ticks = [clock.advance() for _ in range(_TICKS_AN_EVENT)]
        sums.append(sum(ticks) - _TICKS_AN_EVENT * median(quiet_ms))
        longest.append(max(ticks))
    return {
        "tick_ms_median": round(median(quiet_ms), 3),
        "tick_ms_mean": round(sum(quiet_ms) / len(quiet_ms), 3),
        "tick_ms_p99": round(quantiles(quiet_ms, n=100)[98], 3),
        "event_ms_median": round(median(sums), 2),
        "event_ms_worst": round(max(sums), 2),
        "longest_tick_ms": round(max(longest), 2),
    }


class _Ticks:
    """Advances a dispatcher alone; its robots stay stationary."""

    def __init__(self, now_ns: int, dispatcher: Dispatcher) -> None:
        self._now_ns = now_ns
        self._dispatcher = dispatcher

    @property
    def now(self) -> Instant:
        return Instant(self._now_ns, self._now_ns)

    def advance(self) -> float:
        """Return the CPU time of a tick [ms]."""
        self._now_ns += _TICK_NS
        began_s = time.process_time()
        self._dispatcher.advance((), self.now)
        return 1e3 * (time.process_time() - began_s)


if __name__ == "__main__":
    sys.exit(main())
