"""A run of the demonstration: sends errands, shows the fleet, and judges what came of them."""

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from fleet.client.fleet_client import FleetClient
from fleet.client.sent_goal import SentGoal
from fleet.commands.demo.demo_picture import DemoPicture
from fleet.commands.demo.errands import Errand, ErrandBook
from fleet.commands.demo.patience import PATIENCE_S, DemoPatience
from fleet.commands.demo.performance import (
    HEADING_LIMIT_RAD,
    POSITION_LIMIT_M,
    Performance,
    RobotRecord,
    contact_count,
)
from fleet.commands.demo.result_table import result_table
from fleet.commands.exit_code import ExitCode
from fleet.commands.fleet_table import fleet_table
from fleet.commands.processes import Processes
from fleet.errors import FleetError
from fleet.tasks.task_kind import TaskKind

_REFRESH_S = 0.2
_DRAWN_SHARE = 0.1  # of the time may go into drawing; on a busy machine the fleet is drawn less often
_HALF_TIME_S = 25.0
_COUNTS_S = 10.0  # for the simulator's answer how often robots touched something
_COUNTS_TOPIC = "/simulator/robots"


class DemoRun:
    """Sends the errands, shows the fleet, and judges the result.

    Parameters
    ----------
    client : of the fleet and of the simulator's truth
    processes : simulator and driver
    errands : in the order in which places serve them
    console : what is printed
    """

    def __init__(self, client: FleetClient, processes: Processes, errands: Sequence[Errand], console: Console) -> None:
        self._client = client
        self._processes = processes
        self._console = console
        self._book = ErrandBook(errands)
        homes = {errand.robot_id: errand.goal for errand in errands if errand.kind is TaskKind.GO_HOME}
        self._robot_ids = sorted(homes)
        self._records = {
            robot_id: RobotRecord(robot_id, sum(errand.robot_id == robot_id for errand in errands))
            for robot_id in self._robot_ids
        }
        self._open: dict[int, Performance] = {}
        self._picture = DemoPicture(client, homes)
        self._is_half_time_printed = False

    def run(self, started_s: float) -> ExitCode:
        """Wait for the robots, let them perform, show the result."""
        if not self._wait_until_ready(started_s):
            return ExitCode.FAILED
        tasks_s = time.monotonic()
        try:
            self._perform(tasks_s)
        except FleetError as error:
            self._console.print(f"[red]{error}")
        duration_s = time.monotonic() - tasks_s
        self._count_contacts()
        self._console.print(result_table(list(self._records.values())))
        return self._judge(duration_s)

    def save_picture(self, file: Path) -> None:
        """Draw the paths of all robots into a file; say where it is, or why it could not be written."""
        try:
            self._picture.save(file)
        except OSError as error:
            self._console.print(f"cannot write {file}: {error.strerror}", soft_wrap=True)
        else:
            self._console.print(f"the paths of all robots: {file}", soft_wrap=True)

    def _perform(self, started_s: float) -> None:
        """Let the robots perform their errands, until all are done or nothing progresses any more."""
        is_live = Console().is_terminal
        next_s = time.monotonic()
        patience = DemoPatience(self._progress)
        with Live(console=Console(), auto_refresh=False, transient=True) as live:
            while self._advance() and not patience.is_over and not self._processes.ended():
                drawing_s = time.monotonic()
                if is_live and drawing_s >= next_s:
                    live.update(self._view(), refresh=True)
                    next_s = drawing_s + max(_REFRESH_S, (time.monotonic() - drawing_s) / _DRAWN_SHARE)
                self._print_half_time(started_s)
                self._client.spin_until(self._is_any_over, _REFRESH_S)
        if patience.is_over:
            self._console.print(f"[red]nothing has progressed for {PATIENCE_S:g} s")

    def _wait_until_ready(self, started_s: float) -> bool:
        for robot_id in self._robot_ids:
            self._client.watch(robot_id)
            self._client.watch_truth(robot_id)
        patience = DemoPatience(self._readiness)
        self._spin_until(lambda: bool(self._client.poses), patience)
        self._console.print(f"first pose after {time.monotonic() - started_s:.1f} s")
        is_ready = self._spin_until(lambda: all(map(self._is_ready, self._robot_ids)), patience)
        if not is_ready:
            self._console.print(f"[red]not every robot is ready, and nothing has progressed for {PATIENCE_S:g} s")
            self._console.print(fleet_table(self._client, self._robot_ids))
        return is_ready

    def _spin_until(self, condition: Callable[[], bool], patience: DemoPatience) -> bool:
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
        return self._sent_count(), [self._progress_of(one) for one in self._open.values()]

    def _progress_of(self, performance: Performance) -> object:
        robot_id = performance.sent.robot_id
        return performance.sent.state, self._client.value(robot_id, "progress"), self._client.value(robot_id, "state")

    def _is_any_over(self) -> bool:
        return any(one.sent.state.is_final for one in self._open.values())

    def _advance(self) -> bool:
        """Note where robots are, and send errands that are due; return whether there is anything left to do."""
        truths = {robot_id: self._client.truths[robot_id] for robot_id in self._robot_ids}
        self._book.note_poses(truths)
        for robot_id, truth in truths.items():
            is_waiting = robot_id in self._open and self._client.report(robot_id).is_waiting
            self._picture.note(robot_id, truth, is_waiting=is_waiting)
        self._note_performances()
        idle = [robot_id for robot_id in self._robot_ids if robot_id not in self._open]
        for errand in self._book.send(idle):
            performance = Performance(errand.goal, self._send(errand))
            self._open[errand.robot_id] = performance
            self._records[errand.robot_id].performances.append(performance)
        return bool(self._open)

    def _note_performances(self) -> None:
        """Note how long robots have waited, and where those are whose tasks are over."""
        for robot_id, performance in list(self._open.items()):
            if self._client.value(robot_id, "assigned_task") == performance.sent.task_id:
                performance.waited_s = float(self._client.value(robot_id, "waited_s") or 0.0)
            if performance.sent.state.is_final:
                performance.truth = self._client.truths[robot_id]
                del self._open[robot_id]

    def _send(self, errand: Errand) -> SentGoal:
        if errand.kind is TaskKind.GO_HOME:
            return self._client.go_home(errand.robot_id)
        if errand.kind is TaskKind.TRANSPORT:
            return self._client.transport(errand.robot_id, *errand.stops)
        return self._client.go_to(errand.robot_id, errand.goal)

    def _sent_count(self) -> int:
        return sum(len(record.performances) for record in self._records.values())

    def _view(self) -> Group:
        heading = Text(f"{self._sent_count() - len(self._open)} of {self._book.size} tasks done", style="bold")
        rows = Console().height - 2 if Console().is_terminal and not self._console.record else None
        return Group(heading, fleet_table(self._client, self._robot_ids, rows))

    def _print_half_time(self, started_s: float) -> None:
        """Print one view of the running fleet in logs and pictures, where a live view leaves nothing."""
        is_live = self._console.is_terminal and not self._console.record
        if is_live or self._is_half_time_printed or time.monotonic() - started_s < _HALF_TIME_S:
            return
        self._is_half_time_printed = True
        self._console.print(self._view())

    def _count_contacts(self) -> None:
        """Ask the simulator how often each robot touched something."""
        counts: dict[str, int] = {}

        def on_message(message: DiagnosticArray) -> None:
            for status in message.status:
                values = {value.key: value.value for value in status.values}
                counts[status.name] = int(values["collisions"])

        subscription = self._client.node.create_subscription(DiagnosticArray, _COUNTS_TOPIC, on_message, 1)
        if not self._processes.ended():
            self._client.spin_until(lambda: bool(counts), _COUNTS_S)
        self._client.node.destroy_subscription(subscription)
        for robot_id, record in self._records.items():
            record.contacts = counts.get(f"thymio_{robot_id}")

    def _judge(self, duration_s: float) -> ExitCode:
        records = list(self._records.values())
        done, total = sum(record.done_count for record in records), self._book.size
        for name, code in self._processes.ended().items():
            self._console.print(f"[red]the {name} ended with exit code {code}; see its log")
        if self._sent_count() < total:
            self._console.print(f"[red]{total - self._sent_count()} tasks were never sent")
        contacts, is_good = contact_count(records), all(record.is_good for record in records)
        self._console.print(
            f"[{'green' if is_good else 'red'}]{done} of {total} tasks succeeded within "
            f"{100.0 * POSITION_LIMIT_M:.0f} cm and {math.degrees(HEADING_LIMIT_RAD):.0f}°, in {duration_s:.0f} s; "
            f"contacts: {'not known' if contacts is None else contacts}"
        )
        return ExitCode.DONE if is_good else ExitCode.FAILED
