"""A run of the demonstration: submits jobs, shows the fleet, and judges the results."""

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from fleet.client.fleet_client import FleetClient
from fleet.client.job_client import JobClient
from fleet.commands.demo.demo_picture import DemoPicture
from fleet.commands.demo.demo_stage import DemoStage
from fleet.commands.demo.performance import (
    HEADING_LIMIT_RAD,
    POSITION_LIMIT_M,
    Performance,
    RobotRecord,
    TrueArrival,
    contact_count,
)
from fleet.commands.demo.result_table import result_table
from fleet.commands.fleet_table import fleet_table
from fleet.commands.processes import Processes
from fleet.dispatch.job_report import JobReport
from fleet.errors import FleetError
from fleet.geometry import Pose2D
from fleet.interface.job_messages import job_states_from_ros
from thymio_base.exit_code import ExitCode
from thymio_base.texts.decimal_text import real_number

PATIENCE_S = 75.0  # longest time without progress; the driver itself aborts a task that is blocked after 60 s


class DemoPatience:
    """Detects that there was no progress for too long, on a machine of any speed.

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
        """Whether there was no progress for too long."""
        now = self._progress()
        if now != self._last:
            self._last, self._changed_s = now, time.monotonic()
        return time.monotonic() - self._changed_s > PATIENCE_S


_REFRESH_S = 0.2
_DRAWN_SHARE = 0.1  # of the time may go into drawing; on a busy machine the fleet is drawn less often
_HALF_TIME_S = 25.0
_STANDING_S = 1.0  # the last robot comes to rest at home
_COUNTS_S = 10.0  # for the simulator's answer how often robots touched something
_COUNTS_TOPIC = "/simulator/robots"


class DemoRun:
    """Submits the jobs, shows the fleet, and judges the result.

    Parameters
    ----------
    client : client of the fleet and of the simulator's truth
    processes : simulator and driver
    stage : the demonstration's homes and jobs
    console : console to print to
    """

    def __init__(self, client: FleetClient, processes: Processes, stage: DemoStage, console: Console) -> None:
        self._client = client
        self._processes = processes
        self._console = console
        self._jobs = {job.job_id: job for job in stage.jobs}
        self._job_client = JobClient(client.graph)
        self._robot_ids = sorted(stage.homes)
        self._records = {
            robot_id: RobotRecord(robot_id, TrueArrival(stage.homes[robot_id])) for robot_id in self._robot_ids
        }
        self._reports: dict[str, JobReport] = {}
        self._performed: dict[str, Performance] = {}
        self._picture = DemoPicture(client, stage.homes, stage.stations)
        self._is_half_time_printed = False

    def run(self, started_s: float) -> ExitCode:
        """Wait for the robots, let them perform the jobs, and show the result."""
        if not self._wait_until_ready(started_s):
            return ExitCode.FAILED
        jobs_s = time.monotonic()
        try:
            self._perform(jobs_s)
        except FleetError as error:
            self._console.print(f"[red]{error}")
        duration_s = time.monotonic() - jobs_s
        self._count_contacts()
        self._console.print(result_table(list(self._records.values())))
        return self._judge(duration_s)

    def save_pictures(self, paths: Path, gantt: Path) -> None:
        """Draw the robots' paths, and their jobs over time; print where, or why a file could not be written."""
        drawn = (
            ("the paths of all robots", paths, self._picture.save_paths),
            ("who did what when", gantt, self._picture.save_gantt),
        )
        for what, file, save in drawn:
            try:
                save(file)
            except OSError as error:
                self._console.print(f"cannot write {file}: {error.strerror}", soft_wrap=True)
            else:
                self._console.print(f"{what}: {file}", soft_wrap=True)

    def _perform(self, started_s: float) -> None:
        """Let the robots perform the jobs and drive home, until all is done or there is no progress."""
        is_live = Console().is_terminal
        next_s = time.monotonic()
        self._job_client.watch()
        self._job_client.submit(list(self._jobs.values()))
        patience = DemoPatience(self._progress)
        with Live(console=Console(), auto_refresh=False, transient=True) as live:
            while not self._is_over() and not patience.is_over and not self._processes.ended():
                drawing_s = time.monotonic()
                if is_live and drawing_s >= next_s:
                    live.update(self._view(), refresh=True)
                    next_s = drawing_s + max(_REFRESH_S, (time.monotonic() - drawing_s) / _DRAWN_SHARE)
                self._print_half_time(started_s)
                self._client.spin(_REFRESH_S)
                self._note()
        if self._processes.ended():
            self._print_ended()
        elif patience.is_over:
            self._console.print(f"[red]nothing has progressed for {PATIENCE_S:g} s")
        else:
            self._client.spin(_STANDING_S)
            self._note()

    def _wait_until_ready(self, started_s: float) -> bool:
        for robot_id in self._robot_ids:
            self._client.watch(robot_id)
            self._client.watch_truth(robot_id)
        patience = DemoPatience(self._readiness)
        self._spin_until(lambda: bool(self._client.poses), patience)
        self._console.print(f"first pose after {time.monotonic() - started_s:.1f} s")
        is_ready = self._spin_until(lambda: all(map(self._is_ready, self._robot_ids)), patience)
        if is_ready:
            return True
        if self._processes.ended():
            self._print_ended()
        else:
            self._console.print(f"[red]not every robot is ready, and nothing has progressed for {PATIENCE_S:g} s")
            self._console.print(fleet_table(self._client, self._robot_ids))
        return False

    def _print_ended(self) -> None:
        for name, code in self._processes.ended().items():
            self._console.print(f"[red]the {name} has ended, exit code {code}")

    def _spin_until(self, condition: Callable[[], bool], patience: DemoPatience) -> bool:
        """Wait until a condition holds, a process ends, or there is no progress; return whether the condition holds."""
        while not patience.is_over and not self._processes.ended():
            if self._client.spin_until(condition, _REFRESH_S):
                return True
        return False

    def _is_ready(self, robot_id: int) -> bool:
        is_seen = robot_id in self._client.poses and robot_id in self._client.truths
        return is_seen and self._client.is_ready(robot_id)

    def _readiness(self) -> object:
        """Return values that change while a fleet is getting ready."""
        states = [(self._client.value(robot_id, "link"), self._is_ready(robot_id)) for robot_id in self._robot_ids]
        return states, len(self._client.poses), len(self._client.truths)

    def _progress(self) -> object:
        """Return values that change while robots perform jobs and drive home."""
        states = [report.state for report in self._reports.values()]
        robots = [(self._client.value(one, "progress"), self._client.value(one, "state")) for one in self._robot_ids]
        places = [(round(truth.x_m, 1), round(truth.y_m, 1)) for truth in self._truths().values()]
        return states, robots, places

    def _truths(self) -> dict[int, Pose2D]:
        return {robot_id: self._client.truths[robot_id] for robot_id in self._robot_ids}

    def _is_over(self) -> bool:
        """Whether all jobs have ended, and all robots are at home."""
        has_ended = len(self._reports) == len(self._jobs) and all(one.ended_ns for one in self._reports.values())
        return has_ended and all(record.home.is_good for record in self._records.values())

    def _note(self) -> None:
        """Note the progress of jobs, and the robots' poses."""
        truths = self._truths()
        latest = self._job_client.latest
        for report in job_states_from_ros(latest.jobs) if latest is not None else ():
            if report.job_id in self._jobs:
                self._note_job(report)
        for performance in self._performed.values():
            if not performance.is_over:
                self._note_performance(performance, truths[performance.report.robot_id])
        for robot_id, truth in truths.items():
            self._picture.note(truth, self._client.report(robot_id))
            self._records[robot_id].home.truth = truth  # where it is in the end counts, not where it came by

    def _note_job(self, report: JobReport) -> None:
        self._reports[report.job_id] = report
        if not report.attempts:
            return
        performance = self._performed.get(report.job_id)
        if performance is None or performance.report.robot_id != report.robot_id:
            if performance is not None:  # another robot performs it now
                self._records[performance.report.robot_id].performances.remove(performance)
            performance = Performance(report, TrueArrival(self._jobs[report.job_id].work.places[-1].pose))
            self._performed[report.job_id] = performance
            self._records[report.robot_id].performances.append(performance)
        performance.report = report

    def _note_performance(self, performance: Performance, truth: Pose2D) -> None:
        robot_id = performance.report.robot_id
        performance.arrival.note(truth)
        if self._client.value(robot_id, "assigned_task").partition("#")[0] == performance.report.job_id:
            performance.waited_s = real_number(self._client.value(robot_id, "waited_s") or "0")

    def _view(self) -> Group:
        ended = sum(bool(report.ended_ns) for report in self._reports.values())
        heading = Text(f"{ended} of {len(self._jobs)} jobs done", style="bold")
        rows = Console().height - 2 if Console().is_terminal and not self._console.record else None
        return Group(heading, fleet_table(self._client, self._robot_ids, rows))

    def _print_half_time(self, started_s: float) -> None:
        """Print one view of the running fleet to logs and pictures, where a live view leaves no trace."""
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
        records: Sequence[RobotRecord] = list(self._records.values())
        done, total = sum(record.done_count for record in records), len(self._jobs)
        for name, code in self._processes.ended().items():
            self._console.print(f"[red]the {name} ended with exit code {code}; see its log")
        if waiting := [report for report in self._reports.values() if not report.ended_ns]:
            self._console.print("[red]jobs that have not ended:", *(f"{one.words}: {one.detail}" for one in waiting))
        contacts, home = contact_count(records), sum(record.home.is_good for record in records)
        is_good = done == total and all(record.is_good for record in records)
        limits = f"{100.0 * POSITION_LIMIT_M:.0f} cm and {math.degrees(HEADING_LIMIT_RAD):.0f}°"
        touched = "not known" if contacts is None else contacts
        self._console.print(
            f"[{'green' if is_good else 'red'}]{done} of {total} jobs done and {home} of {len(records)} robots at home "
            f"within {limits}, in {duration_s:.0f} s; contacts: {touched}"
        )
        return ExitCode.DONE if is_good else ExitCode.FAILED
