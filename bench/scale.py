"""Measures the cost and service of a fleet by its size: python -m bench.scale --robots 100 [--seconds 20] [--json].

Simulator and driver run as a user starts them, as separate processes joined by Aseba on TCP; motion capture measures
every robot at 30 Hz, every robot drives to one place after another, and every fifth task is canceled after a second.
This process observes: it receives all poses and statuses, sends the goals, and calls `assigned_task` ten times a
second.

A row is one design and one number of robots.

pose_hz_min, status_hz_min    messages per second of the robot that sent the fewest
pose_late_...                 how late a pose was received, see bench/instruments/lateness.py
goal_accept_...               from sending a goal until its acceptance is received
cancel_stop_p99_ms            from sending a cancel until the result is received: the driver ends a canceled task
                              when the robot reports that its wheels have stopped
assigned_task_p99_ms          from calling the service until its answer is received
startup_s                     from starting both processes until every robot has a pose, is idle and accepts goals
tick_overruns                 ticks of the driver that started more than half a period late, or not at all
commands_per_s                wheel speeds, and other events, that the driver sent to the robots
others_cores                  the use of everything except these three processes: if too little is left for them,
                              lateness is caused by the machine

With `--naive` each number of robots is also measured with bench/naive_driver.py, right after: the same fleet and the
same entities on one node, in a SingleThreadedExecutor, with timers for each robot. `--picture FILE` draws the growth;
`--rows FILE` reads rows printed earlier with `--json`, and measures nothing.
"""

import argparse
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from bench.instruments.growth import Cost, draw_growth
from bench.instruments.lateness import lateness_s, percentile_ms
from bench.instruments.observer import Measured, Observer
from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.process_usage import Usage, rss_mb
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.demo.generated_fleet import write_files
from fleet.commands.processes import Processes, driver_command, simulator_command
from thymio_base.fast_dds import use_shipped_profile

COUNTS = (1, 2, 5, 10, 20, 50, 100, 200)
_READY_S = 120.0
_WARM_UP_S = 5.0
_POSE_S = 0.1
_DIAGNOSTICS_S = 10.0
_KEPT_UP_HZ = 9.5


class Design(Enum):
    """Which driver is measured."""

    DRIVER = "driver"  # multi_thymio_driver
    NAIVE = "naive"  # bench/naive_driver.py


@dataclass(frozen=True, slots=True)
class ScaleRow:
    """The results of one design with one number of robots; values that could not be measured are NaN, in JSON null."""

    design: str
    robots: int
    pose_hz_min: float
    pose_late_p50_ms: float
    pose_late_p99_ms: float
    pose_late_max_ms: float
    status_hz_min: float
    goal_accept_p50_ms: float
    goal_accept_p99_ms: float
    cancel_stop_p99_ms: float
    assigned_task_p99_ms: float
    startup_s: float
    driver_cpu_cores: float
    simulator_cpu_cores: float
    observer_cpu_cores: float
    others_cores: float
    driver_rss_mb: float
    tick_overruns: int
    commands_per_s: float
    goals: int
    aborted: int


def main() -> int:
    """Measure and print rows."""
    parser = options_of(__doc__)
    parser.add_argument("--robots", type=int, nargs="+", default=list(COUNTS))
    parser.add_argument("--seconds", type=float, default=20.0, help="duration of each row's measurement")
    parser.add_argument("--naive", action="store_true", help="measure the naive design beside ours")
    parser.add_argument("--picture", type=Path, help="draw how cost grows with the number of robots, as SVG or PNG")
    parser.add_argument("--rows", type=Path, help="a file of rows, instead of measuring")
    options = parser.parse_args()
    rows = print_rows(_read(options.rows) if options.rows else _measure_all(options), as_json=options.json)
    if options.picture:
        draw_growth(options.picture, {design.value: _costs(rows, design) for design in Design})
    return 0


def _costs(rows: Sequence[ScaleRow], design: Design) -> list[Cost]:
    return [
        Cost(row.robots, row.driver_cpu_cores, row.pose_hz_min >= _KEPT_UP_HZ)
        for row in rows
        if row.design == design.value
    ]


def _read(file: Path) -> list[ScaleRow]:
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [ScaleRow(**_known(line)) for line in lines]


def _known(line: dict[str, Any]) -> dict[str, Any]:
    return {key: math.nan if value is None else value for key, value in line.items()}


def _measure_all(options: argparse.Namespace) -> Iterator[ScaleRow]:
    choose_domain()
    use_shipped_profile()
    for robots in options.robots:
        for design in Design if options.naive else (Design.DRIVER,):
            yield measure(robots, options.seconds, design)


def measure(robots: int, seconds: float, design: Design = Design.DRIVER) -> ScaleRow:
    """Return the cost and the service of `robots` robots over `seconds` seconds.

    Raises
    ------
    RuntimeError
        Not every robot is ready in time.
    """
    observer = Observer(robots)
    try:
        with tempfile.TemporaryDirectory() as folder, Processes() as processes:
            return _measure(observer, Path(folder), processes, robots, seconds=seconds, design=design)
    finally:
        observer.close()


def command(config: Path, design: Design) -> list[str]:
    """Return the command that runs a driver."""
    if design is Design.NAIVE:
        return [sys.executable, "-m", "bench.naive_driver", "--config", str(config)]
    return driver_command(config)


def _measure(
    observer: Observer, folder: Path, processes: Processes, robots: int, *, seconds: float, design: Design
) -> ScaleRow:
    config, world = write_files(folder, robots)
    started_s = time.monotonic()
    with (folder / "log").open("wb") as log:
        simulator = processes.start("simulator", simulator_command(world), log)
        driver = processes.start("driver", command(config, design), log)
    if not observer.spin_until(lambda: not observer.missing() or bool(processes.ended()), _READY_S):
        raise RuntimeError(
            f"not ready after {_READY_S:g} s: robots {observer.missing()}\n{(folder / 'log').read_text()}"
        )
    if processes.ended():
        raise RuntimeError(f"{processes.ended()}\n{(folder / 'log').read_text(encoding='utf-8')}")
    startup_s = time.monotonic() - started_s
    observer.drive(_WARM_UP_S)
    observer.spin_until(lambda: bool(observer.diagnostics()), _DIAGNOSTICS_S)
    pids = (driver.pid, simulator.pid, os.getpid())
    before, usage, measured_from_s = observer.diagnostics(), Usage.of(pids), time.monotonic()
    observer.reset()
    observer.drive(seconds)
    duration_s = time.monotonic() - measured_from_s
    (driver_cores, simulator_cores, observer_cores), others_cores = Usage.of(pids).cores_since(usage, duration_s)
    after = observer.diagnostics()
    return _row(
        observer.measured,
        duration_s,
        design=design.value,
        robots=robots,
        startup_s=startup_s,
        driver_cpu_cores=driver_cores,
        simulator_cpu_cores=simulator_cores,
        observer_cpu_cores=observer_cores,
        others_cores=others_cores,
        driver_rss_mb=rss_mb(driver.pid),
        tick_overruns=_difference(before, after, "tick_overruns"),
        commands_per_s=_difference(before, after, "commands") / duration_s,
    )


def _row(measured: Measured, duration_s: float, *, robots: int, **columns: object) -> ScaleRow:
    late_s = [late for arrivals in measured.poses.values() for late in lateness_s(arrivals, _POSE_S)]
    statuses = [measured.statuses.get(robot_id, 0) for robot_id in range(1, robots + 1)]
    return ScaleRow(
        robots=robots,
        pose_hz_min=min(map(len, measured.poses.values())) / duration_s,
        pose_late_p50_ms=percentile_ms(late_s, 50),
        pose_late_p99_ms=percentile_ms(late_s, 99),
        pose_late_max_ms=percentile_ms(late_s, 100),
        status_hz_min=min(statuses) / duration_s,
        goal_accept_p50_ms=percentile_ms(measured.accepts_s, 50),
        goal_accept_p99_ms=percentile_ms(measured.accepts_s, 99),
        cancel_stop_p99_ms=percentile_ms(measured.stops_s, 99),
        assigned_task_p99_ms=percentile_ms(measured.calls_s, 99),
        goals=sum(measured.ends.values()),
        aborted=measured.ends.get("ABORTED", 0) + measured.ends.get("REJECTED", 0),
        **columns,  # type: ignore[arg-type]  # the caller names them
    )


def _difference(before: dict[str, str], after: dict[str, str], key: str) -> int:
    """Return the increase of a count between two diagnostics, which are up to a second old."""
    return int(after.get(key, 0)) - int(before.get(key, 0))


if __name__ == "__main__":
    sys.exit(main())
