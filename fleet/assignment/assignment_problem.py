"""The assignment problem: jobs, robots, and the cost of each choice.

The cost of a list of jobs for a robot is the sum, over its jobs, of

    w (C + 10 max(0, C - D) + 60 [C > D]),    w = 2^(p - 5),

with the time C [s] until the job ends, its deadline D [s] and its priority p, raised with its age. A missed deadline
costs a minute at once, so that other jobs gain nothing when it is missed by little. The cost of an
assignment is the sum over all robots, plus a multiple of the time until the last job ends. A job whose priority is far
above that of an earlier job in its list costs so much more that lists have no such pairs. A job counts as ending an
hour later if its robot could not reach a charger afterwards, and would have to charge first.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from fleet.geometry import Pose2D

_USUAL_PRIORITY: Final = 5.0
_LATENESS: Final = 10.0  # a second after the deadline costs as much as this many seconds before
_MISSED_S: Final = 60.0  # the cost of missing a deadline at all
FAR_ABOVE: Final = 3  # a job interrupts, and always precedes, jobs whose priority is this much lower
_INVERSION_S: Final = 10_000.0
_CHARGING_S: Final = 3_600.0
STEP_WORK: Final = 15  # evaluated jobs in the time of one step of a search
NEVER_S: Final = 1e9  # a cost in seconds that no assignment of possible choices reaches


@dataclass(frozen=True, slots=True)
class JobToAssign:
    """A job as far as assignment needs it; times are in seconds from now.

    Parameters
    ----------
    start, end : where it starts and where its robot is afterwards; None counts as the robot's home
    duration_s : from arrival at the start to its end
    priority : priority, raised with its age
    deadline_s : deadline; infinite if there is none
    retreat_s : travel time from its end to the nearest charger
    """

    start: Pose2D | None
    end: Pose2D | None
    duration_s: float
    priority: float
    deadline_s: float = math.inf
    retreat_s: float = 0.0


@dataclass(frozen=True, slots=True)
class RobotToAssign:
    """A robot as far as assignment needs it.

    Parameters
    ----------
    home : where jobs without a place lead
    place : where it will be when it becomes free
    free_s : when it becomes free, in seconds from now
    endurance_s : how long its charge lasts; infinite if unknown
    """

    home: Pose2D
    place: Pose2D
    free_s: float
    endurance_s: float = math.inf


TravelTime: TypeAlias = Callable[[Pose2D, Pose2D], float]


class AssignmentProblem:
    """Robots, jobs, and which robot may do which job.

    Parameters
    ----------
    robots, jobs : in an order that breaks ties
    allowed : for each robot, the jobs that it may perform, by index
    travel_s : returns a robot's travel time from one pose to another
    makespan_weight : weight of the time until the last job ends, in jobs that end then
    soon_s : for a robot and a job that may interrupt its present one: when it is free for that job
    detour_s : extra cost of giving a job to a robot, as when the job was promised to another robot
    travel_steps : returns the number of steps `travel_s` has done so far

    Attributes
    ----------
    evaluated : number of jobs evaluated in lists so far
    """

    def __init__(
        self,
        robots: Sequence[RobotToAssign],
        jobs: Sequence[JobToAssign],
        allowed: Sequence[frozenset[int]],
        travel_s: TravelTime,
        *,
        makespan_weight: float = 0.0,
        soon_s: dict[tuple[int, int], float] | None = None,
        detour_s: dict[tuple[int, int], float] | None = None,
        travel_steps: Callable[[], int] = lambda: 0,
    ) -> None:
        self.robots: Final = robots
        self.jobs: Final = jobs
        self.allowed: Final = allowed
        self.makespan_weight: Final = makespan_weight
        self.weights: Final = [math.pow(2.0, job.priority - _USUAL_PRIORITY) for job in jobs]
        self.evaluated = 0
        self._travel_s: Final = travel_s
        self._travel_steps: Final = travel_steps
        self._soon_s: Final = soon_s or {}
        self._detour_s: Final = detour_s or {}
        self._first_s: Final[dict[tuple[int, int], float]] = {}
        self._between_s: Final[dict[tuple[int, int, int], float]] = {}

    @property
    def work(self) -> int:
        """The work done so far, in evaluated jobs."""
        return self.evaluated + STEP_WORK * self._travel_steps()

    def note_looks(self, count: int) -> None:
        """Count look-ups of known costs."""
        self.evaluated += count

    def evaluate(self, robot: int, jobs: Sequence[int]) -> tuple[float, float]:
        """Return the cost of a list of jobs for a robot, and the time of its end [s]."""
        self.evaluated += 1 + len(jobs)
        time_s, cost, before, lowest = 0.0, 0.0, -1, math.inf
        endurance_s = self.robots[robot].endurance_s
        for job in jobs:
            time_s = self.first_end_s(robot, job) if before < 0 else time_s + self.next_s(robot, before, job)
            late_s = max(0.0, time_s - self.jobs[job].deadline_s)
            cost += self.weights[job] * (time_s + _LATENESS * late_s + (_MISSED_S if late_s > 0.0 else 0.0))
            if time_s + self.jobs[job].retreat_s > endurance_s:
                cost += self.weights[job] * _CHARGING_S
            if before < 0 and self._detour_s:
                cost += self._detour_s.get((robot, job), 0.0) * self.weights[job]
            if self.jobs[job].priority >= lowest + FAR_ABOVE:
                cost += self.weights[job] * _INVERSION_S
            lowest = min(lowest, self.jobs[job].priority)
            before = job
        return cost, time_s

    def ends_s(self, robot: int, jobs: Sequence[int]) -> list[float]:
        """Return when each job of a list ends [s]."""
        return [self.evaluate(robot, jobs[: count + 1])[1] for count in range(len(jobs))]

    def first_end_s(self, robot: int, job: int) -> float:
        """Return when a robot ends a job if that is its first [s]."""
        found = self._first_s.get((robot, job))
        if found is None:
            one, todo = self.robots[robot], self.jobs[job]
            start = todo.start or one.home
            free_s = self._soon_s.get((robot, job), one.free_s)
            found = free_s + self._travel_s(one.place, start) + todo.duration_s
            self._first_s[(robot, job)] = found
        return found

    def next_s(self, robot: int, before: int, job: int) -> float:
        """Return how long a robot takes for a job after another job [s]."""
        earlier, todo = self.jobs[before], self.jobs[job]
        is_shared = earlier.end is not None and todo.start is not None
        key = (-1 if is_shared else robot, before, job)
        found = self._between_s.get(key)
        if found is None:
            home = self.robots[robot].home
            found = self._travel_s(earlier.end or home, todo.start or home) + todo.duration_s
            self._between_s[key] = found
        return found
