"""What the driver and the simulator cost against the number of robots: python -m bench.driver --robots 1 8 32.

Both run as a user would run them; every robot drives all the time. The ratio is the CPU of the driver for each robot,
to that of the first row: 1 is growth in proportion.
"""

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from fleet.client import FleetClient
from fleet.demo import home_of, write_files
from fleet.geometry import Pose2D
from fleet.processes import Processes, driver_command, simulator_command
from fleet.sent_goal import SentGoal

_READY_S = 60.0
_WARM_UP_S = 3.0
_FAR_M = 0.25


@dataclass(frozen=True, slots=True)
class Row:
    """One number of robots: cores used, rate of the slowest pose topic, and lateness of all poses."""

    robots: int
    driver_cores: float
    simulator_cores: float
    pose_hz_min: float
    late_p50_ms: float
    late_p99_ms: float
    startup_s: float


def main() -> int:
    """Measure, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32])
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rows = [measure(robots, options.seconds) for robots in options.robots]
    Console().print(_table(rows))
    return 0


def measure(robots: int, seconds: float) -> Row:
    """Return what `robots` robots cost over `seconds` seconds."""
    with tempfile.TemporaryDirectory() as name, Processes() as processes, (Path(name) / "log").open("wb") as log:
        config, world = write_files(Path(name), robots)
        started_s = time.monotonic()
        simulator = processes.start("simulator", simulator_command(world), log)
        driver = processes.start("driver", driver_command(config), log)
        client = FleetClient()
        try:
            arrivals = _watch(client, robots)
            if not client.spin_until(lambda: len(arrivals) == robots, _READY_S):
                raise RuntimeError(f"{robots - len(arrivals)} of {robots} robots are not there after {_READY_S:g} s")
            startup_s = time.monotonic() - started_s
            goals: dict[int, SentGoal] = {}
            _drive(client, goals, robots, _WARM_UP_S)
            arrivals.clear()
            before_s, used = time.monotonic(), (cpu_s(driver.pid), cpu_s(simulator.pid))
            _drive(client, goals, robots, seconds)
            duration_s = time.monotonic() - before_s
            driver_cores = (cpu_s(driver.pid) - used[0]) / duration_s
            simulator_cores = (cpu_s(simulator.pid) - used[1]) / duration_s
        finally:
            client.close()
    late_ms = sorted(1000.0 * late_s for times in arrivals.values() for late_s in _lateness_s(times))
    return Row(
        robots,
        driver_cores,
        simulator_cores,
        min(len(times) for times in arrivals.values()) / duration_s,
        late_ms[len(late_ms) // 2],
        late_ms[int(0.99 * len(late_ms))],
        startup_s,
    )


def _watch(client: FleetClient, robots: int) -> dict[int, list[float]]:
    """Note when each robot's poses arrive."""
    arrivals: dict[int, list[float]] = defaultdict(list)
    for robot_id in range(1, robots + 1):
        client.watch_pose(
            f"/factory/robot_{robot_id}/pose",
            lambda _, robot_id=robot_id: arrivals[robot_id].append(time.monotonic()),
        )
    return arrivals


def _drive(client: FleetClient, goals: dict[int, SentGoal], robots: int, seconds: float) -> None:
    """Keep every robot driving to and fro for a while."""
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        for robot_id in range(1, robots + 1):
            goal = goals.get(robot_id)
            if goal is None or goal.state.is_final:
                home = home_of(robot_id - 1, robots)
                is_away = client.poses.get(robot_id, home).distance_to(home) > _FAR_M / 2.0
                target = home if is_away else home.compose(Pose2D(0.0, _FAR_M, 0.0))
                goals[robot_id] = client.go_to(robot_id, target)
        client.spin(min(0.1, max(0.0, end_s - time.monotonic())))


def _lateness_s(arrivals: list[float]) -> list[float]:
    """Return by how much each pose came later than 0.1 s after the one before it."""
    return [max(0.0, after - before - 0.1) for before, after in itertools.pairwise(arrivals)]


def cpu_s(pid: int) -> float:
    """Return the CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _table(rows: list[Row]) -> Table:
    table = Table(title="Cost of the driver and the simulator; every robot drives", title_justify="left")
    for heading in (
        "robots",
        "driver cores",
        "ratio",
        "simulator cores",
        "pose Hz",
        "late ms p50",
        "p99",
        "start-up s",
    ):
        table.add_column(heading, justify="right")
    for row in rows:
        ratio = (row.driver_cores / row.robots) / (rows[0].driver_cores / rows[0].robots)
        table.add_row(
            str(row.robots),
            f"{row.driver_cores:.3f}",
            f"{ratio:.2f}",
            f"{row.simulator_cores:.3f}",
            f"{row.pose_hz_min:.2f}",
            f"{row.late_p50_ms:.1f}",
            f"{row.late_p99_ms:.1f}",
            f"{row.startup_s:.1f}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
