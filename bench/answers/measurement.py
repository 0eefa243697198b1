"""Counts the answers that one kind of client gets in one case."""

import math
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.answers.answer_stage import AnswerStage
from bench.answers.cases import Case, CaseNetwork, DriverSchedule
from bench.answers.goal_events import Counts, EventKind, GoalEvent, count, largest_gap_s, late_ticks, rate_hz, serving
from bench.answers.hostile import ATTACKED
from bench.answers.measured_clients import ClientKind
from bench.answers.rows import Row
from bench.answers.schedules import CLIENT, HandOvers, Kills
from bench.instruments.lateness import percentile_ms
from fleet.commands.processes import Processes
from thymio_base.logs.folders import memory_folder

_GOAL_S = 15.0  # upper bound of the mean per robot: some goals hang until their deadlines
_DRAIN_S = 90.0
_HANDOVER_S = 15.0
_GOALS_PER_LIFE = 2  # to a pose and home: each action has a new client
_ENDLESS = 1_000_000


@dataclass(frozen=True, slots=True)
class Amounts:
    """The amount of work in one measurement."""

    robots: int
    goals: int
    handovers: int
    kills: int
    kill_period_s: float
    newcomers: int


def measure(case: Case, kind: ClientKind, amounts: Amounts) -> Row:
    """Run one kind of client in one case; return the results of its goals."""
    with tempfile.TemporaryDirectory(prefix="bench-answers-", dir=memory_folder()) as folder, Processes() as processes:
        os.environ["ROS_LOG_DIR"] = folder
        return _Measurement(case, kind, amounts, AnswerStage(case, amounts.robots, Path(folder), processes)).run()


class _Measurement:
    def __init__(self, case: Case, kind: ClientKind, amounts: Amounts, stage: AnswerStage) -> None:
        self._case = case
        self._kind = kind
        self._amounts = amounts
        self._stage = stage
        self._robots = [robot for robot in range(1, amounts.robots + 1) if not (case.is_attacked and robot == ATTACKED)]
        self._hostile: list[str] = []
        self._schedule = self._create_schedule()

    def run(self) -> Row:
        stage = self._stage
        stage.start_simulator()
        stage.start_driver()
        stage.start_watcher()
        stage.wait_until_ready()
        if len(serving(stage.reported("watcher", EventKind.SERVES))) > 1:
            raise RuntimeError("another driver runs in this domain; try again")
        if self._schedule is not None:
            self._schedule.prepare()
        start_s = time.monotonic()
        self._start_hostile()
        clients = self._start_clients()
        self._await_clients(clients)
        return self._row(clients, start_s, time.monotonic())

    def _create_schedule(self) -> HandOvers | Kills | None:
        match self._case.schedule:
            case DriverSchedule.HANDOVERS:
                return HandOvers(self._stage, self._amounts.handovers)
            case DriverSchedule.KILLS:
                return Kills(self._stage, self._amounts.kills, self._amounts.kill_period_s)
            case DriverSchedule.NOTHING:
                return None

    def _start_hostile(self) -> None:
        for number, (module, *arguments) in enumerate(self._case.hostile):
            limits = ["--seconds", f"{self._longest_s():.0f}"]
            limits += ["--count", str(self._amounts.newcomers)] if module == "newcomers" else []
            limits += ["--robots", str(self._amounts.robots)] if "poll" in arguments else []
            self._hostile.append(f"hostile_{number}")
            # an attack consists of messages, not of the CPU time spent on generating them
            self._stage.start_hostile(self._hostile[-1], module, *arguments, *limits, is_last=self._case.is_attacked)

    def _start_clients(self) -> list[str]:
        """Start the clients; in `widened` one for each robot, so that a client that hangs does not delay the others."""
        goals = self._amounts.goals if self._schedule is None else _ENDLESS
        if self._case.network is not CaseNetwork.WIDENED:
            robots = ",".join(map(str, self._robots))
            self._stage.start_client(CLIENT, self._kind, "--robots", robots, "--goals", str(goals))
            return [CLIENT]
        share = math.ceil(goals / len(self._robots))
        life = ["--goals-per-life", str(_GOALS_PER_LIFE)]
        names = [f"client_{robot}" for robot in self._robots]
        for name, robot in zip(names, self._robots, strict=True):
            self._stage.start_client(name, self._kind, "--robots", str(robot), "--goals", str(share), *life)
        return names

    def _await_clients(self, clients: list[str]) -> None:
        """Wait for the clients to end; end them after the schedule, or when the driver has ended."""
        if self._schedule is not None:
            self._schedule.run()
        else:
            self._stage.wait_for(lambda: self._are_over(clients) or self._has_driver_ended(), self._longest_s())
        for name in clients:
            if self._stage.is_running(name):
                self._stage.process(name).send_signal(signal.SIGTERM)
        if not self._stage.wait_for(lambda: self._are_over(clients), _DRAIN_S):
            print(f"{self._case.name}: {self._kind} does not end within {_DRAIN_S:g} s", file=sys.stderr)

    def _are_over(self, clients: list[str]) -> bool:
        return not any(map(self._stage.is_running, clients))

    def _has_driver_ended(self) -> bool:
        return not self._stage.is_running("driver")

    def _longest_s(self) -> float:
        turns_s = self._amounts.handovers * _HANDOVER_S + self._amounts.kills * self._amounts.kill_period_s
        scheduled_s = turns_s if self._schedule is not None else 0.0
        return _DRAIN_S + scheduled_s + _GOAL_S * self._amounts.goals / len(self._robots)

    def _row(self, clients: list[str], start_s: float, end_s: float) -> Row:
        stage, schedule = self._stage, self._schedule
        drivers = ["driver", "second"] if self._case.schedule is DriverSchedule.HANDOVERS else ["driver"]
        counts = count(self._events(clients), "\n".join(map(stage.log, drivers)))
        observed = stage.events("watcher")
        is_one_driver = self._case.schedule is not DriverSchedule.HANDOVERS
        ready_after_s = schedule.ready_after_s if isinstance(schedule, Kills) else None
        crashes = schedule.crashes if isinstance(schedule, Kills) else 0
        return Row(
            case=self._case.name,
            client=self._kind.value,
            **_columns(counts),  # type: ignore[arg-type]  # the columns are named by the counts
            pose_gap_max_ms=1000.0 * largest_gap_s(observed, self._robots, start_s, end_s),
            ticks_late=late_ticks(observed, start_s) if is_one_driver else math.nan,
            crashes=crashes + self._crashes([*drivers, *clients]),
            turns=0 if schedule is None else schedule.done,
            ready_after_kill_s=math.nan if ready_after_s is None else ready_after_s,
            attacks_hz=sum(rate_hz(stage.reported(name, EventKind.ATTACKS)) for name in self._hostile),
            seconds=end_s - start_s,
            load=os.getloadavg()[0],
        )

    def _events(self, clients: list[str]) -> list[GoalEvent]:
        return [event for name in clients for event in self._stage.events(name)]

    def _crashes(self, names: list[str]) -> int:
        """Return the number of processes that ended with an error; print their last output."""
        ended = {name: self._stage.process(name).poll() for name in names}
        crashed = {name: code for name, code in ended.items() if code}
        for name, code in crashed.items():
            print(f"{name} ended with {code}:\n{_last_lines(self._stage.log(name))}", file=sys.stderr)
        return len(crashed)


def _columns(counts: Counts) -> dict[str, object]:
    return {
        "goals": counts.goals,
        "unanswered": counts.unanswered,
        "without_end": counts.without_end,
        "executed_twice": counts.executed_twice,
        "succeeded": counts.succeeded,
        "aborted": counts.aborted,
        "rejected": counts.rejected,
        "accepted_p99_ms": percentile_ms(counts.accepts_s, 99),
        "accepted_max_ms": percentile_ms(counts.accepts_s, 100),
        "reasons": counts.reasons,
    }


def _last_lines(log: str) -> str:
    return "\n".join(line for line in log.splitlines()[-40:] if not line.startswith("{"))
