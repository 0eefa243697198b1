"""Measures one floor that several drivers share: python -m bench.traffic.hosts [--robots N] [--drivers N ...] [--json].

Scenario `hall`, robots drive to one random goal after another, in one thread and in counted time. Each driver has every
Nth robot, so that almost all meetings are with robots of other drivers. Messages between drivers take 2 to 10 ms.
Trouble is one of:

none   : nothing happens
cut    : drivers do not hear each other for 5 s, a minute apart
death  : one driver is killed after half a minute; a new one takes over its robots 20 s later, every minute

contacts                 how often bodies started to touch, by the simulator's own count
asked, arrived           tasks of robots whose driver did not die during them
ended                    the other tasks, by their ends
sum_ratio                durations of all arrived tasks, over their durations alone; p95_ratio of single tasks
to_one_driver            sum_ratio over that of the first row with the same seed and trouble, which has one driver
least_gap_mm             the least distance between two axles; nose to nose, robots touch at 160 mm
tick_ms_p99, tick_ms_max CPU time of one tick of a driver
ways_hz, known_hz, poses_hz, kilobytes_per_s    what all drivers together publish for each other
"""

import argparse
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from rclpy.serialization import serialize_message

from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.tick_cost import TickCost
from bench.traffic import floor_plan
from bench.traffic.scenario import Demand, Scenario
from bench.traffic.workload import OpenTask, Workload
from experiments.lab.lab import uncollected
from experiments.lab.shared_hosts import Message, SharedHosts, SharingHost
from experiments.workers import parallel_map
from fleet.interface.conversions import pose_to_ros
from fleet.interface.ways_messages import known_to_ros, ways_to_ros
from fleet.tasks.task import TaskState
from fleet.timetable.shared_ways import KnownWays, SharedWays

_NAMES = ("desk", "bench", "cellar", "kitchen", "entrance", "corridor1")  # clock offsets depend on the names' lengths
_M_PER_ROBOT = 0.8  # side of the floor, over the square root of the number of robots
_TROUBLES = ("none", "cut", "death")
_EVERY_S, _FIRST_S, _CUT_S, _DEAD_S = 60.0, 30.0, 5.0, 20.0
_LONGEST_S = 150.0  # for robots to finish their tasks
_FRAME = "world"


@dataclass(frozen=True, slots=True)
class HostsOrder:
    """A run to perform."""

    robots: int
    drivers: int
    trouble: str
    duration_s: float
    seed: int


@dataclass(frozen=True, slots=True)
class HostsRow:
    """The results of one run; see the module's text."""

    robots: int
    drivers: int
    trouble: str
    seed: int
    contacts: int
    asked: int
    arrived: int
    ended: dict[str, int]
    sum_ratio: float
    p95_ratio: float
    to_one_driver: float
    least_gap_mm: float
    tick_ms_p99: float
    tick_ms_max: float
    ways_hz: float
    known_hz: float
    poses_hz: float
    kilobytes_per_s: float


class _Published:
    """Counts what drivers publish for each other."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.size = 0  # bytes

    def note(self, message: Message) -> None:
        """Count a message."""
        if isinstance(message, SharedWays):
            name, encoded = "ways", ways_to_ros(message, _FRAME)
        elif isinstance(message, KnownWays):
            name, encoded = "known", known_to_ros(message)
        else:
            name, encoded = "poses", pose_to_ros(message[1], message[2], _FRAME)
        self.counts[name] += 1
        self.size += len(serialize_message(encoded))


class _Run:
    """A run; its time starts when every robot is located."""

    def __init__(self, order: HostsOrder) -> None:
        random = np.random.default_rng(order.seed)
        plan = floor_plan.hall(order.robots, _M_PER_ROBOT * math.sqrt(order.robots), random)
        numbers = range(order.drivers)
        starts = {_NAMES[driver]: dict(list(enumerate(plan.starts, 1))[driver :: order.drivers]) for driver in numbers}
        self._order = order
        self._cost = TickCost()
        self._published = _Published()
        self._floor = SharedHosts(
            starts, plan.width_m, around_tick=self._cost.around_tick, on_message=self._published.note
        )
        self._forget_start()
        self._started_ns = self._floor.stage.now_ns
        scenario = Scenario("hall", lambda _: plan, Demand.RANDOM, order.duration_s)
        self._workload = Workload(self._floor, scenario, plan, random, {})
        self._open: dict[str, OpenTask] = {}
        self._arrived: list[tuple[float, float]] = []  # duration, and duration alone
        self._ended: Counter[str] = Counter()
        self._idle: set[int] = set(self._floor.robot_ids)
        self._seen: Counter[str] = Counter()  # number of outcomes already read, for each run of a driver
        self._contacts = self._floor.contacts

    def row(self) -> HostsRow:
        """Perform the run."""
        due = sorted(self._events(), key=lambda event: event[0])
        while not self._is_over:
            while due and due[0][0] <= self._time_s:
                due.pop(0)[1]()
            self._give_work()
            self._floor.step()
            for host in self._floor.hosts.values():
                self._note_ends(host)
        self._ended["not ended"] += len(self._open)
        return self._figures()

    def _figures(self) -> HostsRow:
        order, ticks_ms, counts = self._order, self._cost.ticks_ms, self._published.counts
        ratios = [duration_s / alone_s for duration_s, alone_s in self._arrived]
        durations_s, alone_s = (sum(column) for column in zip(*self._arrived, strict=True))
        return HostsRow(
            robots=order.robots,
            drivers=order.drivers,
            trouble=order.trouble,
            seed=order.seed,
            contacts=self._floor.contacts - self._contacts,
            asked=len(self._arrived) + self._ended.total(),
            arrived=len(self._arrived),
            ended=dict(+self._ended),
            sum_ratio=round(durations_s / alone_s, 3),
            p95_ratio=round(float(np.quantile(ratios, 0.95)), 2),
            to_one_driver=math.nan,
            least_gap_mm=round(1000.0 * self._floor.least_m, 1),
            tick_ms_p99=round(float(np.quantile(ticks_ms, 0.99)), 2),
            tick_ms_max=round(max(ticks_ms), 1),
            ways_hz=round(counts["ways"] / self._time_s, 1),
            known_hz=round(counts["known"] / self._time_s, 1),
            poses_hz=round(counts["poses"] / self._time_s, 1),
            kilobytes_per_s=round(1e-3 * self._published.size / self._time_s, 1),
        )

    @property
    def _time_s(self) -> float:
        return (self._floor.stage.now_ns - self._started_ns) * 1e-9

    @property
    def _is_over(self) -> bool:
        late_s = self._time_s - self._order.duration_s
        return late_s >= _LONGEST_S or (late_s >= 0.0 and not self._open)

    def _forget_start(self) -> None:
        """Discard measurements from before all robots were located."""
        self._cost.ticks_ms.clear()
        self._published.counts.clear()
        self._published.size = 0
        self._floor.distances.least_m = math.inf

    def _events(self) -> Iterator[tuple[float, Callable[[], object]]]:
        """Yield the times and actions of the troubles."""
        for at_s in np.arange(_FIRST_S, self._order.duration_s, _EVERY_S).tolist():
            if self._order.trouble == "cut":
                yield at_s, self._floor.cut
                yield at_s + _CUT_S, self._floor.join
            if self._order.trouble == "death":
                name = _NAMES[round(at_s / _EVERY_S) % self._order.drivers]
                yield at_s, partial(self._kill, name)
                yield at_s + _DEAD_S, partial(self._floor.start, name)

    def _kill(self, name: str) -> None:
        """Kill a driver; the tasks of its robots no longer count."""
        robot_ids = self._floor.kill(name).robot_ids
        for task_id, task in list(self._open.items()):
            if task.timed_task.robot_id in robot_ids:
                del self._open[task_id]
        self._idle.update(robot_ids)

    def _give_work(self) -> None:
        """Give a task to each idle robot, as long as there is new work."""
        if self._time_s >= self._order.duration_s:
            return
        for robot_id in sorted(self._idle & self._ready_ids()):
            host = self._floor.host_of(robot_id)
            timed_task = self._workload.following(robot_id)
            assert timed_task is not None
            self._idle.discard(robot_id)
            self._open[timed_task.request.task_id] = OpenTask(timed_task, self._time_s)
            rejection = host.service.assign(robot_id, timed_task.request, host.now_ns)
            if rejection is not None:
                self._end(timed_task.request.task_id, f"rejected, {rejection.value}")

    def _ready_ids(self) -> set[int]:
        return {robot_id for host in self._floor.hosts.values() if host.is_ready for robot_id in host.robot_ids}

    def _note_ends(self, host: SharingHost) -> None:
        for outcome in host.outcomes[self._seen[host.driver.token] :]:
            self._seen[host.driver.token] += 1
            has_arrived = outcome.state is TaskState.SUCCEEDED
            self._end(outcome.task_id, None if has_arrived else (outcome.reason or outcome.state).name)

    def _end(self, task_id: str, words: str | None) -> None:
        """Note the end of a task; `words` say how it ended, None for arrival."""
        ended = self._open.pop(task_id)
        if words is None:
            self._arrived.append((self._time_s - ended.started_s, ended.timed_task.alone_s))
        else:
            self._ended[words] += 1
        self._workload.forget(ended.timed_task.robot_id)
        self._idle.add(ended.timed_task.robot_id)


def perform(order: HostsOrder) -> HostsRow:
    """Perform a run."""
    with uncollected():
        return _Run(order).row()


def rows(orders: Sequence[HostsOrder], workers: int | None = None) -> Iterator[HostsRow]:
    """Perform runs; yield their rows, each compared with the first of its kind."""
    firsts: dict[tuple[bool, int], HostsRow] = {}
    count = workers or os.cpu_count() or 1
    for begun in range(0, len(orders), count):
        for row in parallel_map(perform, orders[begun : begun + count], count):
            first = firsts.setdefault((row.trouble == "death", row.seed), row)
            yield replace(row, to_one_driver=round(row.sum_ratio / first.sum_ratio, 3))


def main() -> int:
    """Measure and print rows; return 1 if bodies touched or tasks did not end."""
    options = _parser().parse_args()
    orders = [
        HostsOrder(options.robots, drivers, trouble, 60.0 * options.minutes, seed)
        for trouble in options.trouble
        for seed in range(options.first_seed, options.first_seed + options.seeds)
        for drivers in options.drivers
        if drivers > 1 or trouble != "cut"
    ]
    printed = print_rows(rows(orders, options.workers), as_json=options.json)
    return 1 if any(row.contacts or "not ended" in row.ended for row in printed) else 0


def _parser() -> argparse.ArgumentParser:
    parser = options_of(__doc__)
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--drivers", type=int, nargs="+", default=[1, 2, 4], choices=range(1, len(_NAMES) + 1))
    parser.add_argument("--trouble", nargs="+", choices=_TROUBLES, default=list(_TROUBLES))
    parser.add_argument("--minutes", type=float, default=2.0, help="simulated; default 2")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each kind; default 1")
    parser.add_argument("--first-seed", type=int, default=1, metavar="SEED", help="seed of the first run; default 1")
    parser.add_argument("--workers", type=int, help="processes; default one for each processor")
    return parser


if __name__ == "__main__":
    sys.exit(main())
