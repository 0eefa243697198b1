"""The demonstration: simulated robots, each in its own cell, perform all three tasks at the same time.

Everything goes through the customer's interface; the simulator's truth shows how well the robots arrived.
"""

import argparse
import math
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import yaml
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from fleet.client.fleet_client import FleetClient
from fleet.client.sent_goal import GoalState, SentGoal
from fleet.commands.exit_code import ExitCode
from fleet.commands.fleet_table import fleet_table
from fleet.commands.processes import Processes, driver_command, simulator_command
from fleet.errors import FleetError
from fleet.geometry import Pose2D
from thymio_base.ros.private_domain import reserve_free_port, reserve_private_domain

POSITION_LIMIT_M = 0.03
HEADING_LIMIT_RAD = math.radians(6.0)
_CELL_M = 1.0
_MARGIN_M = 0.6  # from the wall to the first home
_REACH_M = 0.28  # largest distance of a task from home; a robot then stays in its cell, whichever way it turns
_PATIENCE_S = 45.0  # longest time without progress; the driver itself aborts a task after 30 s without
_REFRESH_S = 0.2
_PRINTED_S = 1.0  # between two checks of a fleet that is not shown live
_DRAWN_SHARE = 0.1  # of the time may go into drawing; on a busy machine the fleet is drawn less often
_HALF_TIME_S = 13.0
_PICTURE_COLUMNS = 130
_LOG_LINES = 25
_HEADINGS = ("robot", "task", "result", "seconds", "position error mm", "heading error °")


@dataclass(slots=True)
class Performance:
    """One task of the demonstration: its goal, and the robot's true pose at the end."""

    goal: Pose2D
    sent: SentGoal
    truth: Pose2D | None = None

    @property
    def position_error_m(self) -> float | None:
        """Distance between the goal and the true pose at the end; None before the end."""
        return None if self.truth is None else self.truth.distance_to(self.goal)

    @property
    def heading_error_rad(self) -> float | None:
        """Absolute heading error between the goal and the true pose at the end; None before the end."""
        return None if self.truth is None else abs(self.truth.heading_error_to(self.goal))

    @property
    def fault(self) -> str:
        """Why the task did not succeed, or that the robot missed its goal; "" for a good one."""
        position_m, heading_rad = self.position_error_m, self.heading_error_rad
        if position_m is None or heading_rad is None:
            return "no end"
        if not (self.sent.state is GoalState.SUCCEEDED and self.sent.success):
            return self.sent.reason
        if position_m > POSITION_LIMIT_M or heading_rad > HEADING_LIMIT_RAD:
            return "not where it should be"
        return ""


def add_demo(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--robots", type=int, default=8, help="how many (default: %(default)s)")
    parser.add_argument("--picture", type=Path, metavar="SVG", help="also save the output as a picture")
    parser.set_defaults(run=lambda options: _run(options.robots, options.picture))


def _run(robot_count: int, picture: Path | None) -> int:
    """Run the demonstration; succeed if every task did, and every robot arrived.

    `picture` is an SVG file that shows the output in the middle and at the end.
    """
    if not 1 <= robot_count <= 100:
        print(f"--robots {robot_count} is not in 1 to 100", file=sys.stderr)
        return ExitCode.USAGE
    choose_domain()
    folder = Path(tempfile.mkdtemp(prefix="thymio-fleet-demo-"))
    code = ExitCode.FAILED
    try:
        code = _run_in(folder, robot_count, picture)
    finally:
        leave_folder(folder, is_kept=code is not ExitCode.DONE)
    return code


def leave_folder(folder: Path, *, is_kept: bool) -> None:
    """Remove the folder of a demonstration, or name it if something went wrong."""
    if is_kept:
        print(f"configuration and logs are kept in {folder}", file=sys.stderr)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def _run_in(folder: Path, robot_count: int, picture: Path | None) -> ExitCode:
    """Run the demonstration with its files in a folder."""
    os.environ.setdefault("ROS_LOG_DIR", str(folder))
    config, world = write_files(folder, robot_count)
    console = Console(highlight=False, record=picture is not None, width=None if picture is None else _PICTURE_COLUMNS)
    console.print(f"{robot_count} simulated robots; until they succeed, logs are in {folder}", soft_wrap=True)
    console.print(
        f"watch from another terminal: ROS_DOMAIN_ID={os.environ['ROS_DOMAIN_ID']} thymio-fleet status", soft_wrap=True
    )
    with Processes() as processes, _log(folder, "simulator") as simulator_log, _log(folder, "driver") as driver_log:
        started_s = time.monotonic()
        processes.start("simulator", simulator_command(world), simulator_log)
        processes.start("driver", driver_command(config), driver_log)
        client = FleetClient()
        try:
            code = ExitCode(_Demo(client, processes, robot_count, console).run(started_s))
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
    """Sends the tasks, shows the fleet, and judges the result."""

    def __init__(self, client: FleetClient, processes: Processes, robot_count: int, console: Console) -> None:
        self._client = client
        self._processes = processes
        self._console = console
        self._robot_ids = list(range(1, robot_count + 1))
        self._homes = {robot_id: home_of(robot_id - 1, robot_count) for robot_id in self._robot_ids}
        self._performances: list[Performance] = []
        self._is_half_time_printed = False
        self._tours = {robot_id: self._tour(robot_id) for robot_id in self._robot_ids}

    def run(self, started_s: float) -> int:
        """Wait for the robots, let them perform, show the result."""
        if not self._wait_until_ready(started_s):
            return ExitCode.FAILED
        tasks_s = time.monotonic()
        try:
            self._perform(tasks_s)
        except FleetError as error:
            self._console.print(f"[red]{error}")
        self._console.print(_results(self._performances))
        return self._judge(time.monotonic() - tasks_s)

    def _perform(self, started_s: float) -> None:
        """Let the robots perform their tasks, until all are done or nothing progresses any more."""
        is_live = Console().is_terminal
        next_s, pause_s = time.monotonic(), _REFRESH_S if is_live else _PRINTED_S
        patience = _Patience(self._progress)
        with Live(console=Console(), auto_refresh=False, transient=True) as live:
            while self._advance() and not patience.is_over and not self._processes.ended():
                drawing_s = time.monotonic()
                if is_live and drawing_s >= next_s:
                    live.update(self._view(), refresh=True)
                    next_s = drawing_s + max(pause_s, (time.monotonic() - drawing_s) / _DRAWN_SHARE)
                self._print_half_time(started_s)
                self._client.spin_until(self._is_any_over, pause_s)
        if patience.is_over:
            self._console.print(f"[red]nothing has progressed for {_PATIENCE_S:g} s")

    def _wait_until_ready(self, started_s: float) -> bool:
        for robot_id in self._robot_ids:
            self._client.watch(robot_id)
            self._client.watch_truth(robot_id)
        patience = _Patience(self._readiness)
        self._spin_until(lambda: bool(self._client.poses), patience)
        self._console.print(f"first pose after {time.monotonic() - started_s:.1f} s")
        is_ready = self._spin_until(lambda: all(map(self._is_ready, self._robot_ids)), patience)
        if not is_ready:
            self._console.print(f"[red]not every robot is ready, and nothing has progressed for {_PATIENCE_S:g} s")
            self._console.print(fleet_table(self._client, self._robot_ids))
        return is_ready

    def _spin_until(self, condition: Callable[[], bool], patience: "_Patience") -> bool:
        """Wait until a condition holds, a process ends, or nothing progresses any more; return whether it holds."""
        while not patience.is_over and not self._processes.ended():
            if self._client.spin_until(condition, _REFRESH_S):
                return True
        return False

    def _is_ready(self, robot_id: int) -> bool:
        is_seen = robot_id in self._client.poses and robot_id in self._client.truths
        return is_seen and self._client.is_ready(robot_id)

    def _readiness(self) -> object:
        """Return what changes while a fleet is getting ready."""
        states = [(self._client.value(robot_id, "link"), self._is_ready(robot_id)) for robot_id in self._robot_ids]
        return states, len(self._client.poses), len(self._client.truths)

    def _progress(self) -> object:
        """Return what changes while robots perform tasks."""
        return len(self._performances), [self._progress_of(one) for one in self._performances if one.truth is None]

    def _progress_of(self, performance: Performance) -> object:
        robot_id = performance.sent.robot_id
        return performance.sent.state, self._client.value(robot_id, "progress"), self._client.value(robot_id, "state")

    def _is_any_over(self) -> bool:
        return any(one.sent.state.is_final and one.truth is None for one in self._performances)

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
                performance.truth = self._client.truths[performance.sent.robot_id]
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
        rows = Console().height - 2 if Console().is_terminal and not self._console.record else None
        return Group(heading, fleet_table(self._client, self._robot_ids, rows))

    def _print_half_time(self, started_s: float) -> None:
        """Print one view of the running fleet in logs and pictures, where a live view leaves nothing."""
        is_live = self._console.is_terminal and not self._console.record
        if is_live or self._is_half_time_printed or time.monotonic() - started_s < _HALF_TIME_S:
            return
        self._is_half_time_printed = True
        self._console.print(self._view())

    def _judge(self, duration_s: float) -> int:
        good = sum(not performance.fault for performance in self._performances)
        total = 3 * len(self._robot_ids)
        for name, code in self._processes.ended().items():
            self._console.print(f"[red]the {name} ended with exit code {code}; see its log")
        if len(self._performances) < total:
            self._console.print(f"[red]{total - len(self._performances)} tasks were never sent")
        self._console.print(
            f"[{'green' if good == total else 'red'}]{good} of {total} tasks succeeded within "
            f"{100.0 * POSITION_LIMIT_M:.0f} cm and {math.degrees(HEADING_LIMIT_RAD):.0f}°, in {duration_s:.0f} s"
        )
        return ExitCode.DONE if good == total else ExitCode.FAILED


def _results(performances: list[Performance]) -> Table:
    table = Table(
        title="Tasks, and where the robots really were at their end",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading in ("task", "result") else "right", no_wrap=True)
    if any(performance.fault for performance in performances):
        table.add_column("reason", overflow="fold")
    for performance in sorted(performances, key=lambda performance: performance.sent.robot_id):
        sent = performance.sent
        table.add_row(
            str(sent.robot_id),
            sent.kind.value,
            Text(sent.state.value, style="red" if performance.fault else "green"),
            f"{sent.duration_s:.1f}" if sent.state.is_final else "-",
            _number(performance.position_error_m, 1000.0),
            _number(performance.heading_error_rad, math.degrees(1.0)),
            *([performance.fault] if len(table.columns) > len(_HEADINGS) else []),
        )
    return table


def _number(value: float | None, factor: float) -> str:
    return "-" if value is None else f"{factor * value:.1f}"


class _Patience:
    """Detects a lack of progress that has lasted too long, however slow the machine is.

    Parameters
    ----------
    progress : returns a value that changes with every progress
    """

    def __init__(self, progress: Callable[[], object]) -> None:
        self._progress = progress
        self._last = progress()
        self._changed_s = time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether nothing has progressed for too long."""
        now = self._progress()
        if now != self._last:
            self._last, self._changed_s = now, time.monotonic()
        return time.monotonic() - self._changed_s > _PATIENCE_S


def _columns(robot_count: int) -> int:
    return min(robot_count, math.ceil(math.sqrt(2.0 * robot_count)))


def choose_domain() -> None:
    """Keep the simulation on this machine and, unless set otherwise, apart from real robots of the same names."""
    if "ROS_DOMAIN_ID" not in os.environ:
        reserve_private_domain()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


def write_files(folder: Path, robot_count: int) -> tuple[Path, Path]:
    """Write the fleet file and the world file of simulated robots, each in its own cell; return their paths."""
    columns, rows = _columns(robot_count), math.ceil(robot_count / _columns(robot_count))
    width_m, height_m = 2.0 * _MARGIN_M + _CELL_M * (columns - 1), 2.0 * _MARGIN_M + _CELL_M * (rows - 1)
    return write_fleet(folder, [home_of(index, robot_count) for index in range(robot_count)], width_m, height_m)


def write_fleet(folder: Path, places: Sequence[Pose2D], width_m: float, height_m: float) -> tuple[Path, Path]:
    """Write the fleet file and the world file of simulated robots at their homes; return their paths."""
    port = reserve_free_port()
    homes = dict(enumerate(places, start=1))
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
