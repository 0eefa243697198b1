"""One run of a scenario with one seed."""

from dataclasses import dataclass

import numpy as np

from bench.instruments.distance_watch import DistanceWatch
from bench.instruments.tick_cost import TickCost
from bench.traffic.fleet_tasks import Execution, FleetTasks, TaskEnd
from bench.traffic.floor_plan import FloorPlan
from bench.traffic.mishaps import Mishaps
from bench.traffic.navground_drive import NavgroundDrive
from bench.traffic.random_twists import RandomTwists
from bench.traffic.run_figures import RunFigures
from bench.traffic.scenario import Avoidance, Demand, Scenario
from bench.traffic.traffic_lab import traffic_lab
from bench.traffic.workload import OpenTask, TimedTask, Workload, driven_alone_s
from experiments.lab.courses import course_along
from experiments.lab.lab import Lab, uncollected

_LONGEST_S = 150.0  # for robots to finish their tasks
_ON_PATH_M = 0.1  # off_path_mm counts once a robot has driven this far


@dataclass(frozen=True, slots=True)
class RunOrder:
    """A run to perform."""

    scenario: Scenario
    method: Avoidance
    seed: int


def perform(order: RunOrder) -> RunFigures:
    """Perform a run."""
    with uncollected():
        return _Run(order).figures()


class _Run:
    """A run; its time starts when every robot is located."""

    def __init__(self, order: RunOrder) -> None:
        scenario, random = order.scenario, np.random.default_rng(order.seed)
        self._scenario = scenario
        self._plan = scenario.plan(random)
        self._cost = TickCost()
        self._lab = traffic_lab(scenario, order.method, self._plan, order.seed, self._cost.around_tick)
        self._lab.start()
        self._cost.ticks_ms.clear()
        self._started_ns = self._lab.now_ns
        alone_s = driven_alone_s(scenario, self._plan, order.seed)
        self._errands = Workload(self._lab, scenario, self._plan, random, alone_s)
        self._mishaps = Mishaps(self._lab, scenario, random)
        self._watch = DistanceWatch(self._lab)
        self._execution = _execution(self._lab, self._plan, order.method, self._cost)
        if scenario.work is Demand.TWISTS:
            self._cost.pilots.append(RandomTwists(self._lab, random).drive)
        self._open: dict[str, OpenTask] = {}
        self._arrived: list[tuple[float, float]] = []  # duration, and duration alone
        self._failures: list[str] = []
        self._last_end_s = 0.0

    def figures(self) -> RunFigures:
        """Perform the run."""
        for robot_id in self._lab.robot_ids:
            self._start(robot_id, self._errands.first(robot_id))
        while not self._is_over():
            self._mishaps.advance(self._time_s)
            self._lab.step()
            self._watch.look()
            for end in self._execution.pop_ended():
                self._on_end(end)
        self._failures += [f"{task_id}: not ended" for task_id in self._open if not self._is_dead(task_id)]
        return RunFigures(
            contacts=self._watch.contacts,
            asked=len(self._arrived) + len(self._failures),
            durations_s=[duration_s for duration_s, _ in self._arrived],
            alone_s=[alone_s for _, alone_s in self._arrived],
            last_end_s=self._last_end_s,
            least_gap_m=self._watch.least_m,
            ticks_ms=self._cost.ticks_ms,
            held=self._lab.service.held_count,
            pushes=self._mishaps.pushes,
            off_path_mm=_off_path_mm(self._plan, self._watch.tracks),
            failures=self._failures,
            tracks=self._watch.tracks,
        )

    @property
    def _time_s(self) -> float:
        return (self._lab.now_ns - self._started_ns) * 1e-9

    def _is_over(self) -> bool:
        if self._time_s < self._scenario.duration_s:
            return False
        are_ended = all(self._is_dead(task_id) for task_id in self._open)
        return are_ended or self._time_s >= self._scenario.duration_s + _LONGEST_S

    def _is_dead(self, task_id: str) -> bool:
        return self._open[task_id].timed_task.robot_id in self._mishaps.dead

    def _start(self, robot_id: int, timed_task: TimedTask | None) -> None:
        if timed_task is not None:
            self._open[timed_task.request.task_id] = OpenTask(timed_task, self._time_s)
            self._execution.assign(robot_id, timed_task.request)

    def _on_end(self, end: TaskEnd) -> None:
        ended = self._open[end.task_id]
        robot_id, is_dead = ended.timed_task.robot_id, self._is_dead(end.task_id)
        del self._open[end.task_id]
        if end.succeeded and self._scenario.counts(robot_id):
            self._arrived.append((self._time_s - ended.started_s, ended.timed_task.alone_s))
            self._last_end_s = self._time_s
        elif not end.succeeded and not is_dead:
            self._failures.append(f"{end.task_id} at {self._time_s:.1f} s: {end.words}")
        self._errands.forget(robot_id)
        if not is_dead and self._time_s < self._scenario.duration_s:
            self._start(robot_id, self._errands.following(robot_id))


def _execution(lab: Lab, plan: FloorPlan, method: Avoidance, cost: TickCost) -> Execution:
    if method is not Avoidance.NAVGROUND:
        return FleetTasks(lab)
    drive = NavgroundDrive(lab, list(plan.walls))
    cost.pilots.append(drive.drive)
    return drive


def _off_path_mm(plan: FloorPlan, tracks: np.ndarray) -> float | None:
    """Return the largest distance of robots from their paths, by their true places [mm]."""
    off_m = []
    for lap, track in zip(plan.laps, tracks.transpose(1, 0, 2), strict=False):
        has_started = np.hypot(*(track - track[0]).T) > _ON_PATH_M
        if has_started.any():
            off_m.append(course_along(lap, 1).distances(track[int(np.argmax(has_started)) :]).max())
    return 1000.0 * float(max(off_m)) if off_m else None
