"""Kills drivers while their robots perform jobs: python -m bench.dispatch.kills [--kills 200] [--drivers 2] [--json].

At random instants the driver that assigns jobs is killed (SIGKILL) and restarted; with --drivers 2 another driver, with
robots of its own, takes over meanwhile. With --handling each kill comes just after a robot started to load or unload.
After each kill every accepted job must be known; no load may be loaded or unloaded again, unless its job was held as
HELD_AT_RESTART, which this program then releases; in the end every job must have ended. Exit code 1 otherwise.
Times are in real time: until robots have stopped, and from the start of the driver (with two: from the kill)
until jobs are published and until the next task starts.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from bench.dispatch.killed_fleet import KilledFleet, station, station_names
from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.private_postgresql import PrivatePostgresql
from fleet.commands.processes import Processes
from fleet.dispatch.records.job import Job
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work

_TRANSPORTS: Final = 0.8  # share of transports among jobs; the others only drive
_LONGEST_S: Final = 4.0  # from a driver's first task to the next kill
_HANDLING_S: Final = 0.25  # ... or from the start of loading or unloading
_LAST_S: Final = 3_600.0


class KillRun:
    """A run; its figures accumulate over kills.

    Parameters
    ----------
    fleet : the fleet
    seed : seed of instants and jobs
    jobs : number of open jobs at any time
    at_handling : whether kills come just after a robot started to load or unload
    """

    def __init__(self, fleet: KilledFleet, seed: int, jobs: int, *, at_handling: bool) -> None:
        self._fleet: Final = fleet
        self._at_handling: Final = at_handling
        self._random: Final = random.Random(seed)
        self._jobs: Final = jobs
        self._accepted: Final[list[str]] = []
        self._held: Final[Counter[str]] = Counter()
        self._lost: Final[set[str]] = set()
        self._stood_s: Final[list[float]] = []
        self._back_s: Final[list[float]] = []
        self._next_s: Final[list[float]] = []

    def kill_often(self, kills: int, drivers: int) -> None:
        """Kill and restart drivers, with enough open jobs."""
        self._submit(self._jobs)
        self._fleet.spin_until(lambda: bool(self._fleet.started), "the first task")
        for _ in range(kills):
            self._await_instant()
            self._kill(drivers)
            self._release()
            self._submit(self._jobs - len(self._fleet.shown()))

    def finish(self) -> None:
        """Let all jobs end."""
        deadline_s = time.monotonic() + _LAST_S
        while self._fleet.shown() and time.monotonic() < deadline_s:
            self._fleet.spin(1.0)
            self._release()

    def row(self) -> dict[str, object]:
        """Return the figures."""
        reports = self._fleet.reports(self._accepted)
        self._lost.update(job_id for job_id in self._accepted if job_id not in reports)
        ends = Counter(report.state.value for report in reports.values())
        twice = [
            f"{job_id} {what}"
            for (job_id, what), count in self._fleet.handled.items()
            if count > 1 + self._held[job_id]
        ]
        return {
            "kills": len(self._stood_s),
            "accepted": len(self._accepted),
            "lost": len(self._lost),
            "handled_twice": twice,
            "held_at_restart": sum(self._held.values()),
            "ends": dict(ends),
            "not_ended": sum(report.ended_ns == 0 for report in reports.values()),
            "handled": sum(self._fleet.handled.values()),
            "stood_s": _spread(self._stood_s),
            "published_s": _spread(self._back_s),
            "next_task_s": _spread(self._next_s),
        }

    def _await_instant(self) -> None:
        if not self._at_handling:
            self._fleet.spin(self._random.uniform(0.0, _LONGEST_S))
            return
        before = self._fleet.handled.total()
        self._fleet.spin_until(lambda: self._fleet.handled.total() > before, "a loading or unloading")
        self._fleet.spin(self._random.uniform(0.0, _HANDLING_S))

    def _kill(self, drivers: int) -> None:
        fleet = self._fleet
        host = fleet.active_host
        number = int(host.rpartition("-")[2])
        own = [robot_id for robot_id in fleet.robot_ids if (robot_id - 1) // 2 == number]
        killed_s = fleet.kill(host)
        self._stood_s.append(fleet.stood_after_s(own, killed_s))
        known = set(fleet.started)
        fleet.jobs.latest = None
        fleet.start_driver(number)
        started_s = killed_s if drivers > 1 else time.monotonic()
        fleet.spin_until(lambda: fleet.jobs.latest is not None and not fleet.jobs.latest.trouble, "jobs")
        self._back_s.append(time.monotonic() - started_s)
        fleet.spin_until(lambda: bool(fleet.started - known) or bool(fleet.held_at_restart()), "a task")
        while not fleet.started - known:
            self._release()
            fleet.spin(0.1)
        self._next_s.append(time.monotonic() - started_s)
        known_ids = fleet.reports(self._accepted)
        self._lost.update(job_id for job_id in self._accepted if job_id not in known_ids)

    def _release(self) -> None:
        held = self._fleet.held_at_restart()
        if held:
            self._fleet.jobs.change(held, "release")
            self._held.update(held)
            self._fleet.spin_until(lambda: not set(held).intersection(self._fleet.held_at_restart()), "the release")

    def _submit(self, count: int) -> None:
        jobs = [self._job(f"job-{len(self._accepted) + number}") for number in range(count)]
        if jobs:
            self._fleet.jobs.submit(jobs)
            self._accepted.extend(job.job_id for job in jobs)

    def _job(self, job_id: str) -> Job:
        first, second = (Place(station(name), name) for name in self._random.sample(station_names(), 2))
        if self._random.random() < _TRANSPORTS:
            return Job(job_id, Work(TaskKind.TRANSPORT, (first, second)))
        return Job(job_id, Work(TaskKind.GO_TO, (first,)))


def main() -> int:
    """Measure, print a row, and return 1 if a job was lost, handled twice, or did not end."""
    parser = options_of(__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=100, help="that are open at any time, until the last kill")
    parser.add_argument("--drivers", type=int, default=1, choices=(1, 2), help="with two robots each, and one book")
    parser.add_argument("--handling", action="store_true", help="kill just after a robot began to load or to unload")
    parser.add_argument("--book", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        book = "sqlite:jobs.sqlite"
        if options.book == "postgresql":
            book = stack.enter_context(PrivatePostgresql()).source
        row = {"book": options.book, "drivers": options.drivers, **_measure(folder, book, options)}
    print_rows([row], as_json=options.json)
    return 1 if row["lost"] or row["handled_twice"] or row["not_ended"] else 0


def _measure(folder: Path, book: str, options: argparse.Namespace) -> dict[str, object]:
    with Processes() as processes:
        fleet = KilledFleet(folder, processes, options.drivers, book)
        try:
            fleet.spin_until(lambda: fleet.jobs.latest is not None and not fleet.jobs.latest.trouble, "jobs")
            kills = KillRun(fleet, options.seed, options.jobs, at_handling=options.handling)
            kills.kill_often(options.kills, options.drivers)
            kills.finish()
            return kills.row()
        except BaseException:
            for log in sorted(folder.glob("*.log")):
                print(f"--- {log.name}", *log.read_text(encoding="utf-8").splitlines()[-40:], sep="\n", file=sys.stderr)
            raise
        finally:
            fleet.client.close()


def _spread(values_s: list[float]) -> dict[str, float]:
    if not values_s:
        return {}
    return {"median": round(statistics.median(values_s), 2), "worst": round(max(values_s), 2)}


if __name__ == "__main__":
    sys.exit(main())
