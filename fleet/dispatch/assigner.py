"""Keeps a list of jobs for every robot: plans again after events, in bounded steps, and decides the order."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise
from typing import Final

from fleet.assignment.assignment_problem import (
    FAR_ABOVE,
    STEP_WORK,
    AssignmentProblem,
    JobToAssign,
    RobotToAssign,
    TravelTime,
)
from fleet.assignment.assignment_search import AssignmentSearch
from fleet.dispatch.charging import Charging
from fleet.dispatch.records.job_record import LOAD_LEG, JobRecord
from fleet.dispatch.records.job_table import JobTable
from fleet.dispatch.travel_factor import TravelFactor
from fleet.geometry import Pose2D
from fleet.robots.readiness import Readiness
from fleet.tasks.task_kind import TaskKind
from thymio_base.fence import Fence
from thymio_base.parts import Parts, WorkInParts, batches

_PROMISED_S: Final = 2.0  # a job is taken from the robot that it was promised to only for at least this gain
_FAILED_S: Final = 60.0  # a robot that failed gets the job again only if the others would need this much longer
_INTERRUPTED_S: Final = 5.0  # what it costs to interrupt a job, beside the time that it has had
_EMPTIER_S: Final = 60.0  # what it costs to use a robot with a whole charge less than the mean
_JOBS_A_ROBOT: Final = 3  # planned at once; further jobs are planned when some of these have started
_JOBS_LEAST: Final = 20
_LATE_MAX_S: Final = 1e5  # later jobs cost no more: a deadline may lie in any year
_SPARE: Final = 3  # a robot whose own jobs must wait looks at this many jobs of others
_STOPPING_S: Final = 1.0  # until an interrupted robot is free
_JOB_LOOKS: Final = 50  # looks at jobs in the time in which a job is added to a plan ...
_ROBOT_LOOKS: Final = 50  # ... and in which a robot is added, beside one for each job
_PART: Final = 3_000  # looks in a part of an estimate: about 2 ms


@dataclass(slots=True)
class _Plan:
    """The robots and jobs behind the indices of a search."""

    robots: list[Readiness]
    records: list[JobRecord]
    search: AssignmentSearch
    problem: AssignmentProblem


class Assigner:
    """Plans which robot performs which jobs, and in which order.

    Parameters
    ----------
    table : all jobs
    travel : provides driving times from pose to pose, alone and among other robots
    dwell_s : duration of loading and of unloading
    makespan_weight : see `assignment_problem`
    charging : decides which robots have too little charge
    fence : catches exceptions

    Attributes
    ----------
    ends_s : planned end of each planned job [s], relative to `planned_ns`
    planned_ns : start of the planning, on the core's clock
    faulty : jobs that raised an exception and cannot be planned
    """

    def __init__(
        self,
        table: JobTable,
        travel: TravelFactor,
        dwell_s: float,
        makespan_weight: float,
        charging: Charging,
        *,
        fence: Fence,
    ) -> None:
        self.ends_s: dict[str, float] = {}
        self.planned_ns = 0
        self.faulty: set[str] = set()
        self._table: Final = table
        self._travel: Final = travel
        self._dwell_s: Final = dwell_s
        self._makespan_weight: Final = makespan_weight
        self._charging: Final = charging
        self._lists: dict[int, list[str]] = {}
        self._left_out: frozenset[str] = frozenset()
        self._beginning: WorkInParts[_Plan] | None = None
        self._plan: _Plan | None = None
        self._looks = 0  # looks spent on preparing plans
        self._is_stale = True
        self._fence: Final = fence

    @property
    def is_planning(self) -> bool:
        """Whether the lists do not yet take account of everything."""
        return self._is_stale or self._beginning is not None or self._plan is not None

    def list_of(self, robot_id: int) -> Sequence[str]:
        """Return the jobs of a robot, the next one first."""
        return self._lists.get(robot_id, ())

    def spare_jobs(self, robot: Readiness, ros_ns: int) -> list[str]:
        """Return the nearest jobs that a robot may perform instead of its own ones, which must wait.

        It leaves out jobs that another robot performs next, jobs with which this robot has failed, and jobs that are
        far less urgent than its own next one.
        """
        own = [record for one in self.list_of(robot.robot_id) if (record := self._table.open_record(one)) is not None]
        if not own:
            return []
        least = self._table.priority(own[0], ros_ns) - FAR_ABOVE
        spare: list[tuple[float, str]] = []
        for robot_id, jobs in self._lists.items():
            for job_id in jobs[1:] if robot_id != robot.robot_id else ():
                record = self._table.open_record(job_id)
                if record is None or not self._may(robot, record) or _has_failed(robot, record):
                    continue
                if self._table.priority(record, ros_ns) > least:
                    places = record.job.work.places
                    spare.append((places[0].pose.distance_to(_pose(robot)) if places else 0.0, job_id))
        return [job_id for _, job_id in nsmallest(_SPARE, spare)]

    def robot_of(self, job_id: str) -> int | None:
        """Return the robot that performs a job next; None without one."""
        for robot_id, jobs in self._lists.items():
            if jobs and jobs[0] == job_id:
                return robot_id
        return None

    def place_of(self, job_id: str) -> int:
        """Return the number of its robot's jobs before a job; -1 if no robot has it."""
        for jobs in self._lists.values():
            if job_id in jobs:
                return jobs.index(job_id)
        return -1

    def has_left_out(self, job_id: str) -> bool:
        """Whether the latest plan has no robot that may perform a job, or can reach it."""
        return job_id in self._left_out

    def note_event(self) -> None:
        """Plan again: something has changed."""
        self._is_stale = True

    def drop(self, job_id: str) -> None:
        """Remove a job from all lists: a robot performs it, or it has ended or is held."""
        for jobs in self._lists.values():
            if job_id in jobs:
                jobs.remove(job_id)

    def advance(self, robots: Sequence[Readiness], core_ns: int, ros_ns: int, budget_steps: int) -> None:
        """Continue planning for about `budget_steps` steps."""
        if self._is_stale and self._beginning is None and self._plan is None:
            self._is_stale = False
            posed = [one for one in robots if one.pose is not None]
            records = self._next(len(posed), ros_ns)
            self._travel.others = self._others(posed, len(records))
            self._beginning = WorkInParts(self._begin(posed, records, ros_ns, self._travel.others))
            self.planned_ns = core_ns
        until = self._work + budget_steps
        self._begin_on(until)
        if self._plan is not None:
            self._search_on(self._plan, until - self._work)

    @property
    def _work(self) -> int:
        """The work spent on preparing plans so far."""
        return self._looks + STEP_WORK * self._travel.steps()

    def _begin_on(self, until: int) -> None:
        """Continue to prepare a plan, until its share of the work is done."""
        beginning, self._beginning = self._beginning, None  # an exception ends it
        while beginning is not None and self._work < until:
            if not beginning.do_part():
                self._plan, beginning = beginning.result, None
        self._beginning = beginning

    def _search_on(self, plan: _Plan, budget_steps: int) -> None:
        caught = self._fence.total
        with self._fence.around("the plan of all jobs"):
            plan.search.expand(max(1, budget_steps))
        if self._fence.total > caught:
            self._leave_out_faulty(plan)
        elif plan.search.is_over:
            self._adopt(plan)
            self._plan = None

    def estimate_s(
        self, records: Sequence[JobRecord], robots: Sequence[Readiness], ros_ns: int
    ) -> Parts[dict[str, float]]:
        """Return when jobs would end if they were added, in seconds from now; infinite if no robot may perform one."""
        listed = {job_id for jobs in self._lists.values() for job_id in jobs}
        known = [record for record in self._next(len(robots), ros_ns) if record.job_id in listed]
        posed = [one for one in robots if one.pose is not None]
        all_records = [*known, *records]
        beginning = self._begin(posed, all_records, ros_ns, self._others(posed, len(all_records)))
        plan = yield from batches(beginning, lambda: self._work, _PART)
        added = [column for column, record in enumerate(plan.records) if not any(record is one for one in known)]
        yield from batches(plan.search.insert(added), lambda: plan.problem.work, _PART)
        ends_s = _ends_s(plan)
        return {record.job_id: ends_s.get(record.job_id, math.inf) for record in records}

    def _next(self, robot_count: int, ros_ns: int) -> list[JobRecord]:
        """Return the jobs that need robots; only the most urgent ones if there are many."""
        ready = [record for record in self._table.open_records if self._is_ready(record, ros_ns)]
        urgent = sorted(ready, key=lambda record: (-self._table.priority(record, ros_ns), record.number))
        planned = max(_JOBS_LEAST, _JOBS_A_ROBOT * robot_count)
        return sorted(urgent[:planned], key=lambda record: record.number)

    def _is_ready(self, record: JobRecord, ros_ns: int) -> bool:
        is_sound = record.job_id not in self.faulty
        return is_sound and record.may_be_given and not self._table.waits_for(record, ros_ns)

    def _performed(self) -> dict[int, JobRecord]:
        return {record.attempt.robot_id: record for record in self._table.open_records if record.attempt is not None}

    def _others(self, robots: Sequence[Readiness], count: int) -> int:
        """Return how many others each robot meets if `count` further jobs are given."""
        able = sum(robot.is_able or bool(robot.task_id) for robot in robots)
        return max(0, min(able, count + len(self._performed())) - 1)

    def _begin(self, robots: list[Readiness], records: Sequence[JobRecord], ros_ns: int, others: int) -> Parts[_Plan]:
        """Return a plan to search; each robot, job and search for a way is a part."""
        travel_s, performed = self._travel.among(others), self._performed()
        yield from self._travel.prepared(self._goals(robots, records))
        records, jobs = yield from self._jobs(records, ros_ns, travel_s)
        allowed: list[frozenset[int]] = []
        soon_s: dict[tuple[int, int], float] = {}
        detour_s: dict[tuple[int, int], float] = {}
        mean_charge = self._charging.mean_charge(robots)
        for row, robot in enumerate(robots):
            below = max(0.0, mean_charge - robot.charge) if robot.charge is not None else 0.0
            allowed.append(frozenset(column for column, record in enumerate(records) if self._may(robot, record)))
            running = performed.get(robot.robot_id)
            for column, record in enumerate(records):
                if running is not None and self.may_interrupt(record, running, ros_ns):
                    soon_s[(row, column)] = _STOPPING_S
                    detour_s[(row, column)] = _INTERRUPTED_S
                detour_s[(row, column)] = detour_s.get((row, column), 0.0) + self._reluctance_s(robot, record)
                detour_s[(row, column)] += _EMPTIER_S * below
            self._looks += _ROBOT_LOOKS + len(records)
            yield
        problem = AssignmentProblem(
            [self._robot(robot, performed.get(robot.robot_id)) for robot in robots],
            jobs,
            allowed,
            travel_s,
            makespan_weight=self._makespan_weight,
            soon_s=soon_s,
            detour_s=detour_s,
            travel_steps=self._travel.steps,
        )
        indices = {record.job_id: index for index, record in enumerate(records)}
        followed = [[indices[one] for one in self.list_of(robot.robot_id) if one in indices] for robot in robots]
        return _Plan(robots, records, AssignmentSearch(problem, followed), problem)

    def _goals(self, robots: Iterable[Readiness], records: Sequence[JobRecord]) -> list[Pose2D]:
        """Return the goals of jobs, each place once."""
        places = [place.pose for record in records for place in record.job.work.places]
        homes = [] if all(record.job.work.places for record in records) else [robot.home for robot in robots]
        return list({(place.x_m, place.y_m): place for place in [*places, *homes, *self._charging.places]}.values())

    def may_interrupt(self, record: JobRecord, running: JobRecord, ros_ns: int) -> bool:
        """Whether a job may interrupt another job to take its robot."""
        attempt = running.attempt
        if attempt is None or running.is_canceling or not running.job.may_be_interrupted or attempt.leg >= LOAD_LEG:
            return False
        above = record.job.priority - self._table.priority(running, ros_ns)
        return record.allows(attempt.robot_id) and above >= FAR_ABOVE

    def driving_s(self, robot: Readiness, record: JobRecord) -> float:
        """Return how long a robot without a task would drive for a job [s]; 0 if that is not known."""
        if robot.pose is None or not record.job.work.places:
            return 0.0
        places = [place.pose for place in record.job.work.places]
        stops = [robot.pose, *(places[1:] if record.loaded_robot is not None else places)]
        return sum(self._travel.travel_s(start, goal) for start, goal in pairwise(stops))

    def _may(self, robot: Readiness, record: JobRecord) -> bool:
        has_charge = record.loaded_robot is not None or not self._charging.is_empty(robot.robot_id)
        return robot.is_able and has_charge and record.allows(robot.robot_id)

    def has_charge_for(self, robot: Readiness, record: JobRecord, ros_ns: int) -> bool:
        """Whether an idle robot has enough charge for a job, and for the way to a charger afterwards."""
        if record.loaded_robot is not None or robot.charge is None or robot.pose is None:
            return True
        job = self._job(record, ros_ns, self._travel.travel_s)
        end_s = self._travel.travel_s(robot.pose, job.start or robot.home) + job.duration_s
        return not self._charging.is_empty(robot.robot_id) and end_s + job.retreat_s <= self._charging.endurance_s(
            robot
        )

    def _reluctance_s(self, robot: Readiness, record: JobRecord) -> float:
        """Return the penalty for giving a job to a robot first [s]."""
        against_s = _FAILED_S if _has_failed(robot, record) else 0.0
        promised = self.robot_of(record.job_id)
        return against_s + (_PROMISED_S if promised is not None and promised != robot.robot_id else 0.0)

    def time_left_s(self, robot: Readiness, running: JobRecord) -> float:
        """Return the time to the end of a job in progress.

        The robot's own estimate ignores other robots where its way is not planned yet: after it has loaded, and briefly
        at the start of a drive.
        """
        attempt, places = running.attempt, [place.pose for place in running.job.work.places]
        if attempt is None or robot.eta_s <= 0.0 or not places:
            return robot.eta_s
        unplanned: list[tuple[Pose2D, Pose2D]] = []
        if not robot.has_way:
            unplanned.append((_pose(robot), places[-1] if attempt.leg > LOAD_LEG else places[0]))
        if len(places) > 1 and attempt.leg <= LOAD_LEG:
            unplanned.append((places[0], places[1]))
        return robot.eta_s + sum(max(0.0, self._travel.delay_s(start, goal)) for start, goal in unplanned)

    def _robot(self, robot: Readiness, running: JobRecord | None) -> RobotToAssign:
        place = robot.task_end or _pose(robot)
        left_s = robot.eta_s if running is None else self.time_left_s(robot, running)
        return RobotToAssign(robot.home, place, left_s, self._charging.endurance_s(robot))

    def _job(self, record: JobRecord, ros_ns: int, travel_s: TravelTime) -> JobToAssign:
        job = record.job
        priority = self._table.priority(record, ros_ns)
        deadline_s = max(-_LATE_MAX_S, (job.deadline_ns - ros_ns) * 1e-9) if job.deadline_ns else math.inf
        places = [place.pose for place in job.work.places]
        retreat_s = self._charging.retreat_s(places[-1]) if places else 0.0
        if job.work.kind is TaskKind.TRANSPORT and record.loaded_robot is not None:
            return JobToAssign(places[1], places[1], self._dwell_s, 2.0 * priority, deadline_s, retreat_s)
        duration_s = 0.0
        if job.work.kind is TaskKind.TRANSPORT:
            duration_s = 2.0 * self._dwell_s + travel_s(places[0], places[1])
        return JobToAssign(
            places[0] if places else None, places[-1] if places else None, duration_s, priority, deadline_s, retreat_s
        )

    def _jobs(
        self, records: Sequence[JobRecord], ros_ns: int, travel_s: TravelTime
    ) -> Parts[tuple[list[JobRecord], list[JobToAssign]]]:
        """Return the records that can be planned, with their jobs."""
        sound: list[JobRecord] = []
        jobs: list[JobToAssign] = []
        for record in records:
            caught = self._fence.total
            with self._fence.around("the plan of a job", record.job):
                jobs.append(self._job(record, ros_ns, travel_s))
                sound.append(record)
            if self._fence.total > caught:
                self.faulty.add(record.job_id)
            self._looks += _JOB_LOOKS
            yield
        return sound, jobs

    def _leave_out_faulty(self, plan: _Plan) -> None:
        """Plan again without the jobs that raise exceptions, alone or after others."""
        columns = range(len(plan.records))
        for column, record in enumerate(plan.records):
            caught = self._fence.total
            with self._fence.around("the plan of a job", record.job):
                for row in range(len(plan.robots)):
                    plan.problem.evaluate(row, [column])
                for other in columns if plan.robots else ():
                    plan.problem.evaluate(0, [column, other])
            if self._fence.total > caught:
                self.faulty.add(record.job_id)
        self._plan = None
        self._is_stale = any(record.job_id in self.faulty for record in plan.records)

    def _adopt(self, plan: _Plan) -> None:
        """Adopt a plan, without jobs that were given away or held meanwhile."""
        self._lists = {
            robot.robot_id: [
                plan.records[job].job_id for job in plan.search.lists[row] if plan.records[job].may_be_given
            ]
            for row, robot in enumerate(plan.robots)
        }
        self._left_out = frozenset(plan.records[job].job_id for job in plan.search.unassigned)
        self.ends_s = _ends_s(plan)


def _has_failed(robot: Readiness, record: JobRecord) -> bool:
    return any(failed == robot.robot_id for failed, _ in record.failures)


def _pose(robot: Readiness) -> Pose2D:
    return robot.home if robot.pose is None else robot.pose


def _ends_s(plan: _Plan) -> dict[str, float]:
    found: dict[str, float] = {}
    for row, jobs in enumerate(plan.search.lists):
        for job, end_s in zip(jobs, plan.problem.ends_s(row, jobs), strict=True):
            found[plan.records[job].job_id] = end_s
    return found
