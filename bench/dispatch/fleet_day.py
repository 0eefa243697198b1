"""Runs the whole fleet in the lab, with traffic: random transports, given by the fleet or to the first free robot."""

import math
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from typing import Final

from bench.instruments.distance_watch import DistanceWatch
from experiments.lab.lab import Lab, uncollected
from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Job, JobState
from fleet.geometry import Pose2D
from fleet.settings.config import load_config
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work
from simulator.world.config import load_world

_SIDE_M: Final = 4.0
_APART_M: Final = 0.45  # between start places
_LIMIT_S: Final = 1_800.0
_STEP_S: Final = 0.05


class FleetDay:
    """One run; all transports are submitted at the start.

    Parameters
    ----------
    robots : number of robots
    jobs : number of transports
    seed : seed of their places
    is_naive : whether each job, in order, goes to the first free robot
    """

    def __init__(self, robots: int, jobs: int, seed: int, *, is_naive: bool) -> None:
        self._seed = seed
        self._is_naive = is_naive
        with tempfile.TemporaryDirectory() as folder:
            self._lab = _lab(Path(folder), robots)
        if self._lab.dispatcher is None:
            raise ValueError("the lab accepts no jobs")
        self._dispatcher: Dispatcher = self._lab.dispatcher
        self._asked = transports(jobs, seed)
        self._waiting = list(self._asked) if is_naive else []
        self._first_etas: dict[str, tuple[int, float]] = {}  # when a job was first planned, and its time left then [s]
        self._begun_etas: dict[str, tuple[int, float]] = {}  # the same once its robot had planned its way

    @property
    def parts(self) -> tuple[Lab, Dispatcher]:
        """The lab, and the dispatcher of its robots."""
        return self._lab, self._dispatcher

    def row(self) -> dict[str, object]:
        """Perform the run; return figures on its transports."""
        with uncollected():
            contacts = self._run()
        reports = [report for report in (self._report(job) for job in self._asked) if report is not None]
        ends_s = [(report.ended_ns - self._start_ns) * 1e-9 for report in reports if report.ended_ns]
        return {
            "policy": "to whoever is free" if self._is_naive else "fleet",
            "robots": len(self._lab.robot_ids),
            "jobs": len(self._asked),
            "seed": self._seed,
            "succeeded": sum(report.state.value == "SUCCEEDED" for report in reports),
            "mean_end_s": round(sum(ends_s) / max(1, len(ends_s)), 1),
            "makespan_s": round(max(ends_s, default=math.nan), 1),
            "eta_error_asked": self._eta_error(self._first_etas),
            "eta_error_begun": self._eta_error(self._begun_etas),
            "contacts": contacts,
        }

    def _note_etas(self) -> None:
        for report in self._dispatcher.reports(self._lab.now):
            if report.eta_s >= 0.0 and not report.ended_ns:
                self._first_etas.setdefault(report.job_id, (self._lab.now_ns, report.eta_s))
            if report.state is JobState.EXECUTING and self._has_way(report.robot_id):
                self._begun_etas.setdefault(report.job_id, (self._lab.now_ns, report.eta_s))

    def _has_way(self, robot_id: int) -> bool:
        return self._lab.service.robot(robot_id).readiness(self._lab.now_ns, is_served=True).has_way

    def _eta_error(self, etas: dict[str, tuple[int, float]]) -> float:
        """Return the median error of the predicted times left, as a share of the actual times."""
        errors: list[float] = []
        for job_id, (told_ns, eta_s) in etas.items():
            report = self._dispatcher.report(job_id, self._lab.now)
            if report is not None and report.ended_ns > told_ns:
                errors.append(abs(eta_s / ((report.ended_ns - told_ns) * 1e-9) - 1.0))
        return round(median(errors), 3) if errors else math.nan

    def _run(self) -> int:
        """Run until every job has ended; return the number of contacts of robots."""
        lab, dispatcher = self._lab, self._dispatcher
        lab.start()
        watch = DistanceWatch(lab)
        self._start_ns = lab.now_ns
        if not self._is_naive:
            dispatcher.submit(self._asked, lab.now)
        while self._is_open() and lab.now_ns - self._start_ns < _LIMIT_S * 1e9:
            self._give_to_free()
            lab.run(_STEP_S)
            watch.look()
            self._note_etas()
        return watch.contacts

    def _give_to_free(self) -> None:
        """Submit the next jobs, for robots without a job."""
        if not self._waiting:
            return
        busy = {report.robot_id for report in self._dispatcher.reports(self._lab.now) if not report.ended_ns}
        for robot_id in self._lab.robot_ids:
            if self._waiting and robot_id not in busy:
                self._dispatcher.submit([replace(self._waiting.pop(0), robots=(robot_id,))], self._lab.now)

    def _is_open(self) -> bool:
        return bool(self._waiting) or any(not one.ended_ns for one in self._dispatcher.reports(self._lab.now))

    def _report(self, job: Job) -> JobReport | None:
        return self._dispatcher.report(job.job_id, self._lab.now)


def transports(count: int, seed: int) -> list[Job]:
    """Return transports between random places of the day's floor."""
    random = Random(seed)

    def place() -> Place:
        x_m, y_m = random.uniform(0.3, _SIDE_M - 0.3), random.uniform(0.8, _SIDE_M - 0.3)
        return Place(Pose2D(x_m, y_m, random.uniform(-math.pi, math.pi)))

    return [Job(f"transport {number}", Work(TaskKind.TRANSPORT, (place(), place()))) for number in range(count)]


def _lab(folder: Path, robots: int) -> Lab:
    columns = math.floor((_SIDE_M - 0.6) / _APART_M) + 1
    starts = [(0.3 + _APART_M * (index % columns), 0.3 + _APART_M * (index // columns)) for index in range(robots)]
    homes = [
        f"- {{id: {number}, node_id: {number}, pose_topic: /robot_{number}, home: {{x_m: {x_m:.2f}, y_m: {y_m:.2f}}}}}"
        for number, (x_m, y_m) in enumerate(starts, 1)
    ]
    arena = f"arena: {{x_min_m: 0, y_min_m: 0, x_max_m: {_SIDE_M}, y_max_m: {_SIDE_M}}}"
    settings = ["dispatch: {enabled: true, book: memory}", "traffic: {idle: give_way}"]
    fleet, world = folder / "fleet.yaml", folder / "world.yaml"
    fleet.write_text("\n".join([arena, *settings, "robots:", *homes]), encoding="utf-8")
    places = [f"- {{node_id: {number}, x_m: {x:.2f}, y_m: {y:.2f}}}" for number, (x, y) in enumerate(starts, 1)]
    size = f"arena: {{width_m: {_SIDE_M}, height_m: {_SIDE_M}}}"
    world.write_text("\n".join([size, "robots:", *places]), encoding="utf-8")
    return Lab(load_config(fleet), load_world(world))
