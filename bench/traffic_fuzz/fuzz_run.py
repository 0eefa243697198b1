"""One fuzz run: disorder, then quiet; each violated invariant becomes a sentence."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from bench.traffic_fuzz.disorder import Disorder
from bench.traffic_fuzz.fuzz_floor import FuzzFloor
from experiments.lab.lab import uncollected
from fleet.localization.pose_quality import Localization
from fleet.robots.robot_status import LinkState, RobotStatus
from fleet.tasks.task import TaskState, go_to
from fleet.traffic.traffic_state import TrafficPhase

_PERIOD_S: Final = 0.05
_STEPS: Final = 5  # of the simulation, in that time
_COMPARED: Final = 5  # robots are compared with the timetable every fifth period
_EXCUSED_S = 1.5  # a robot that was pushed or carried may touch others for this long
_AT_REST_S = 1.5  # after this idle time, a robot must be where the timetable has it
_AGREED_M = 0.03
_QUIET_S = 300.0  # within which everything must end
_READY_S = 60.0  # within which all robots must be back


@dataclass(frozen=True, slots=True)
class FuzzCase:
    """A run to perform: number of robots, duration, and random events per second."""

    seed: int
    robots: int
    duration_s: float
    events_hz: float


@dataclass(slots=True)
class FuzzResult:
    """The result of a run.

    Parameters
    ----------
    events : number of events of each kind
    ends : number of tasks by their ends
    contacts : number of contacts, and of those right after a robot was pushed or carried
    disagreed_m : the largest distance of a robot at rest from its place in the timetable
    problems : violated invariants
    """

    seed: int
    events: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    contacts: int = 0
    excused: int = 0
    disagreed_m: float = 0.0
    problems: list[str] = field(default_factory=list)


def perform(case: FuzzCase) -> FuzzResult:
    """Perform a run."""
    with uncollected():
        return _FuzzRun(case).result()


class _FuzzRun:
    """A run; its time starts when every robot is located."""

    def __init__(self, case: FuzzCase) -> None:
        random = np.random.default_rng(case.seed)
        self._case = case
        self._floor = FuzzFloor(case.robots, case.seed, random)
        self._lab = self._floor.lab
        self._disorder = Disorder(self._floor, random, case.events_hz)
        self._random = random
        self._result = FuzzResult(case.seed)
        self._periods = 0
        self._busy_s: dict[int, float] = {}  # when each robot was last busy
        self._lab.start()
        self._started_ns = self._lab.now_ns
        self._counts = self._lab.simulation.world.collisions.counts.copy()

    def result(self) -> FuzzResult:
        """Perform the run."""
        result = self._result
        while self._time_s < self._case.duration_s:
            self._disorder.advance(self._time_s)
            self._advance()
        self._disorder.end()
        self._wait(_QUIET_S, self._are_tasks_over, "tasks have not ended")
        self._wait(_READY_S, self._are_ready, "robots have not come back")
        result.ends.update(str(outcome) for outcome in self._lab.outcomes)
        self._go_home()
        result.events = self._disorder.counts
        result.problems += self._miscounted()
        return result

    @property
    def _time_s(self) -> float:
        return (self._lab.now_ns - self._started_ns) * 1e-9

    def _advance(self) -> None:
        for _ in range(_STEPS):
            self._lab.step()
            self._note_contacts()
        self._periods += 1
        if self._periods % _COMPARED == 0:
            for status in self._statuses():
                self._compare(status.robot_id, status)

    def _note_contacts(self) -> None:
        counts = self._lab.simulation.world.collisions.counts
        has_touched = counts != self._counts
        if not has_touched.any():
            return
        touching = [robot_id for robot_id in self._lab.robot_ids if has_touched[self._lab.index(robot_id)]]
        self._counts = counts.copy()
        self._result.contacts += 1
        displaced_s = [self._disorder.displaced_s.get(robot_id, -np.inf) for robot_id in touching]
        if self._time_s - max(displaced_s) < _EXCUSED_S:
            self._result.excused += 1
        else:
            self._result.problems.append(f"{self._time_s:.2f} s: robots {touching} touch something")

    def _compare(self, robot_id: int, status: RobotStatus) -> None:
        """Compare a robot's place with the timetable, if it is at rest."""
        time_s = self._time_s
        is_known = self._disorder.is_served(robot_id) and status.localization is Localization.TRACKED
        is_idle = status.state in ("idle", "stopped") and status.traffic.going is not TrafficPhase.GIVING_WAY
        displaced_s = self._disorder.displaced_s.get(robot_id, -np.inf)
        if not (is_known and is_idle) or time_s - displaced_s < _AT_REST_S:
            self._busy_s[robot_id] = time_s
        if time_s - self._busy_s.get(robot_id, 0.0) < _AT_REST_S:
            return
        truth, places = self._lab.truth(robot_id), self._lab.service.whereabouts(robot_id)
        off_m = min((truth.distance_to(place) for place in places), default=np.inf)
        self._result.disagreed_m = max(self._result.disagreed_m, off_m)
        if off_m > _AGREED_M:
            self._busy_s[robot_id] = time_s  # report it once
            self._result.problems.append(
                f"{time_s:.2f} s: robot {robot_id} stands at {truth}, {off_m:.3f} m from where it is expected"
            )

    def _wait(self, limit_s: float, is_over: Callable[[], bool], problem: str) -> None:
        until_s = self._time_s + limit_s
        while not is_over():
            if self._time_s > until_s:
                words = "; ".join(f"{one.robot_id} {one.message}" for one in self._statuses() if one.message != "idle")
                self._result.problems.append(f"{self._time_s:.2f} s: {problem}: {words}")
                return
            self._advance()

    def _are_tasks_over(self) -> bool:
        return not any(self._lab.service.robot(robot_id).task_id for robot_id in self._lab.robot_ids)

    def _are_ready(self) -> bool:
        return all(status.state == "idle" and status.link is LinkState.CONNECTED for status in self._statuses())

    def _statuses(self) -> Iterator[RobotStatus]:
        return (self._lab.status(robot_id) for robot_id in self._lab.robot_ids)

    def _go_home(self) -> None:
        """Send every robot to another robot's home; all must arrive."""
        before = len(self._lab.outcomes)
        homes = list(self._floor.homes.values())
        for number, place in enumerate(self._random.permutation(len(homes)).tolist()):
            robot_id = self._lab.robot_ids[number]
            if not self._disorder.assign(robot_id, go_to(f"last of {robot_id}", homes[place])):
                explanation = self._lab.service.robot(robot_id).explanation
                self._result.problems.append(f"robot {robot_id} does not drive to its last place: {explanation}")
        self._wait(_QUIET_S, self._are_tasks_over, "the last tasks have not ended")
        self._result.problems += [
            f"{outcome.task_id}: {outcome} {outcome.detail}"
            for outcome in self._lab.outcomes[before:]
            if outcome.state is not TaskState.SUCCEEDED
        ]

    def _miscounted(self) -> list[str]:
        """Return a problem for each task that did not end exactly once."""
        ended = Counter(outcome.task_id for outcome in self._lab.outcomes)
        accepted = dict.fromkeys(self._disorder.accepted)
        unknown = [task_id for task_id in ended if task_id not in accepted]
        return [f"{task_id!r} ended {ended[task_id]} times" for task_id in [*accepted, *unknown] if ended[task_id] != 1]
