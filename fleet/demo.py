"""The demonstration: simulated robots, each in a cell of its own, perform all three tasks at the same time.

Everything goes through the customer's interface; how well the robots arrived is told by the simulator's truth.
"""

import math
import os
import random
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import yaml
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from fleet.client import FleetClient
from fleet.geometry import Pose2D
from fleet.processes import Processes, driver_command, simulator_command
from fleet.sent_goal import GoalState, SentGoal
from fleet.table import fleet_table

POSITION_LIMIT_M = 0.03
HEADING_LIMIT_RAD = math.radians(6.0)
_CELL_M = 1.0
_MARGIN_M = 0.6  # from the wall to the first home
_REACH_M = 0.28  # how far from home tasks go; a robot then stays in its cell, whichever way it turns
_READY_S = 20.0
_TASKS_S = 75.0
_REFRESH_S = 0.2
_HALF_TIME_S = 13.0
_PICTURE_COLUMNS = 130
_LOG_LINES = 25


@dataclass(slots=True)
class Performance:
    """One task of the demonstration: what was asked, and where the robot then really was."""

    goal: Pose2D
    sent: SentGoal
    truth: Pose2D | None = None

    @property
    def position_error_m(self) -> float:
        """Distance between the goal and the true pose at the end."""
        return math.inf if self.truth is None else self.truth.distance_to(self.goal)

    @property
    def heading_error_rad(self) -> float:
        """Turn between the goal and the true pose at the end, without sign."""
        return math.inf if self.truth is None else abs(self.truth.heading_error_to(self.goal))

    @property
    def is_good(self) -> bool:
        """Whether the task succeeded and the robot is where it should be."""
        in_limits = self.position_error_m <= POSITION_LIMIT_M and self.heading_error_rad <= HEADING_LIMIT_RAD
        return self.sent.state is GoalState.SUCCEEDED and self.sent.success and in_limits


def run_demo(robot_count: int, picture: Path | None = None) -> int:
    """Run the demonstration; return 0 if every task succeeded and every robot arrived, else 1.

    `picture` is an SVG file that shows what was seen in the middle and at the end.
    """
    if not 1 <= robot_count <= 100:
        print(f"--robots {robot_count} is not in 1 to 100", file=sys.stderr)
        return 2
    _choose_domain()
    folder = Path(tempfile.mkdtemp(prefix="thymio-fleet-demo-"))
    config, world = write_files(folder, robot_count)
    console = Console(highlight=False, record=picture is not None, width=None if picture is None else _PICTURE_COLUMNS)
    console.print(f"{robot_count} simulated robots; configuration and logs are in {folder}", soft_wrap=True)
    console.print(
        f"watch from another terminal: ROS_DOMAIN_ID={os.environ['ROS_DOMAIN_ID']} thymio-fleet status", soft_wrap=True
    )
    with Processes() as processes, _log(folder, "simulator") as simulator_log, _log(folder, "driver") as driver_log:
        started_s = time.monotonic()
        processes.start("simulator", simulator_command(world), simulator_log)
        processes.start("driver", driver_command(config), driver_log)
        client = FleetClient()
        try:
            code = _Demo(client, processes, robot_count, console).run(started_s)
        finally:
            client.close()
    if code:
        _print_end_of_log(folder, console)
    if picture is not None:
        console.save_svg(str(picture), title=f"thymio-fleet demo --robots {robot_count}")
    return code


def _log(folder: Path, name: str) -> IO[bytes]:
    return (folder / f"{name}.log").open("wb")


def _print_end_of_log(folder: Path, console: Console) -> None:
    log = folder / "driver.log"
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    console.print(f"the last lines of {log}:", *lines[-_LOG_LINES:], sep="\n", markup=False, soft_wrap=True)


def home_of(index: int, robot_count: int) -> Pose2D:
    """Return the home of a robot, counted from 0: the cells are filled row by row."""
    columns = _columns(robot_count)
    return Pose2D(_MARGIN_M + _CELL_M * (index % columns), _MARGIN_M + _CELL_M * (index // columns), 0.0)


class _Demo:
    """Sends the tasks, shows the fleet, and judges."""

    def __init__(self, client: FleetClient, processes: Processes, robot_count: int, console: Console) -> None:
        self._client = client
        self._processes = processes
        self._console = console
        self._robot_ids = list(range(1, robot_count + 1))
        self._homes = {robot_id: home_of(robot_id - 1, robot_count) for robot_id in self._robot_ids}
        self._truths: dict[int, Pose2D] = {}
        self._performances: list[Performance] = []
        self._is_half_time_printed = False
        self._tours = {robot_id: self._tour(robot_id) for robot_id in self._robot_ids}

    def run(self, started_s: float) -> int:
        """Wait for the robots, let them perform, show the result."""
        if not self._wait_until_ready(started_s):
            return 1
        tasks_s = time.monotonic()
        with Live(console=Console(), auto_refresh=False, transient=True) as live:
            while self._advance() and time.monotonic() - tasks_s < _TASKS_S:
                live.update(self._view(), refresh=True)
                self._print_half_time(tasks_s)
                self._client.spin(_REFRESH_S)
                if self._processes.ended():
                    break
        self._console.print(_results(self._performances))
        return self._judge(time.monotonic() - tasks_s)

    def _wait_until_ready(self, started_s: float) -> bool:
        for robot_id in self._robot_ids:
            self._client.watch(robot_id)
            self._client.watch_pose(f"/simulator/thymio_{robot_id}/truth", partial(self._truths.__setitem__, robot_id))
        self._client.spin_until(lambda: bool(self._client.poses) or bool(self._processes.ended()), _READY_S)
        self._console.print(f"first pose after {time.monotonic() - started_s:.1f} s")
        is_ready = self._client.spin_until(lambda: all(map(self._is_ready, self._robot_ids)), _READY_S)
        if not is_ready:
            self._console.print(f"[red]not every robot is ready within {_READY_S:g} s")
            self._console.print(fleet_table(self._client, self._robot_ids))
        return is_ready

    def _is_ready(self, robot_id: int) -> bool:
        is_seen = robot_id in self._client.poses and robot_id in self._truths
        return is_seen and self._client.is_ready(robot_id)

    def _tour(self, robot_id: int) -> Iterator[Callable[[], Performance]]:
        """Yield a robot's tasks: go to a place of its cell, carry something across it, go home."""
        chance = random.Random(robot_id)
        home = self._homes[robot_id]
        first, second, third = (
            home.compose(Pose2D(_REACH_M * math.cos(angle), _REACH_M * math.sin(angle), chance.uniform(-3.0, 3.0)))
            for angle in (chance.uniform(0.0, math.tau) for _ in range(3))
        )
        yield lambda: Performance(first, self._client.go_to(robot_id, first))
        yield lambda: Performance(third, self._client.transport(robot_id, second, third))
        yield lambda: Performance(home, self._client.go_home(robot_id))

    def _advance(self) -> bool:
        """Give every robot whose task has ended its next one; return whether any robot still has something to do."""
        for performance in self._performances:
            if performance.sent.state.is_final and performance.truth is None:
                performance.truth = self._truths[performance.sent.robot_id]
        busy = {performance.sent.robot_id for performance in self._performances if not performance.sent.state.is_final}
        for robot_id in self._robot_ids:
            if robot_id not in busy:
                start = next(self._tours[robot_id], None)
                if start is not None:
                    self._performances.append(start())
                    busy.add(robot_id)
        return bool(busy)

    def _ended(self) -> int:
        return sum(performance.sent.state.is_final for performance in self._performances)

    def _view(self) -> Group:
        heading = Text(f"{self._ended()} of {3 * len(self._robot_ids)} tasks done", style="bold")
        return Group(heading, fleet_table(self._client, self._robot_ids))

    def _print_half_time(self, started_s: float) -> None:
        """Leave one view of the running fleet where a live one leaves nothing: in logs and pictures."""
        is_live = self._console.is_terminal and not self._console.record
        if is_live or self._is_half_time_printed or time.monotonic() - started_s < _HALF_TIME_S:
            return
        self._is_half_time_printed = True
        self._console.print(self._view())

    def _judge(self, duration_s: float) -> int:
        good = sum(performance.is_good for performance in self._performances)
        total = 3 * len(self._robot_ids)
        for name, code in self._processes.ended().items():
            self._console.print(f"[red]the {name} ended with exit code {code}; see its log")
        self._console.print(
            f"[{'green' if good == total else 'red'}]{good} of {total} tasks succeeded within "
            f"{100.0 * POSITION_LIMIT_M:.0f} cm and {math.degrees(HEADING_LIMIT_RAD):.0f}°, in {duration_s:.0f} s"
        )
        return 0 if good == total else 1


def _results(performances: list[Performance]) -> Table:
    table = Table(
        title="Tasks, and where the robots really were at their end",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for heading in ("robot", "task", "result", "seconds", "position error mm", "heading error °"):
        table.add_column(heading, justify="left" if heading in ("task", "result") else "right", no_wrap=True)
    for performance in sorted(performances, key=lambda performance: performance.sent.robot_id):
        sent = performance.sent
        table.add_row(
            str(sent.robot_id),
            sent.kind.value,
            Text(sent.state.value, style="green" if performance.is_good else "red"),
            f"{sent.duration_s:.1f}",
            f"{1000.0 * performance.position_error_m:.1f}",
            f"{math.degrees(performance.heading_error_rad):.1f}",
        )
    return table


def _columns(robot_count: int) -> int:
    return min(robot_count, math.ceil(math.sqrt(2.0 * robot_count)))


def _choose_domain() -> None:
    """Keep the demonstration on this machine and, unless told otherwise, apart from real robots of the same names."""
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    os.environ.setdefault("ROS_DOMAIN_ID", str(random.SystemRandom().randrange(1, 100)))


def write_files(folder: Path, robot_count: int) -> tuple[Path, Path]:
    """Write a fleet's and a world's file of simulated robots, each in a cell of its own; return their paths."""
    columns, rows = _columns(robot_count), math.ceil(robot_count / _columns(robot_count))
    width_m, height_m = 2.0 * _MARGIN_M + _CELL_M * (columns - 1), 2.0 * _MARGIN_M + _CELL_M * (rows - 1)
    port = _free_port()
    homes = {index + 1: home_of(index, robot_count) for index in range(robot_count)}
    fleet = {
        "arena": {"x_min_m": 0.0, "y_min_m": 0.0, "x_max_m": width_m, "y_max_m": height_m},
        "link": {"targets": [f"tcp:host=127.0.0.1;port={port}"]},
        "robots": [
            {
                "id": robot_id,
                "node_id": robot_id,
                "home": _as_dict(home),
                "pose_topic": f"/mocap/thymio_{robot_id}/pose",
            }
            for robot_id, home in homes.items()
        ],
    }
    world = {
        "network": {"address": "127.0.0.1", "port": port},
        "arena": {"width_m": width_m, "height_m": height_m},
        "robots": [
            {"node_id": robot_id, **_as_dict(home), **_wheel_gains(robot_id)} for robot_id, home in homes.items()
        ],
    }
    return _write(folder / "fleet.yaml", fleet), _write(folder / "world.yaml", world)


def _wheel_gains(robot_id: int) -> dict[str, float]:
    """Return wheels that differ from each other by up to 4 %, as real ones do."""
    chance = random.Random(1000 + robot_id)
    return {"left_wheel_gain": chance.uniform(0.98, 1.02), "right_wheel_gain": chance.uniform(0.98, 1.02)}


def _as_dict(pose: Pose2D) -> dict[str, float]:
    return {"x_m": pose.x_m, "y_m": pose.y_m, "heading_rad": pose.heading_rad}


def _write(path: Path, values: dict[str, Any]) -> Path:
    path.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return path


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
