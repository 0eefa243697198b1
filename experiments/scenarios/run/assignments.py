"""Assigns an experiment's tasks to robots, or submits them to the fleet, when due, and records their outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.lab.lab import Lab
from experiments.scenarios.file.experiment import TaskPlan
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Job, JobState
from fleet.errors import GoalRejectedError
from fleet.reason import Reason
from fleet.robots.robot_status import TaskOutcome
from fleet.tasks.task import TaskRequest
from fleet.work.task_of_work import task_of_work


@dataclass(slots=True)
class TaskAssignment:
    """The progress of a task; times are relative to the run's start, None until they happen.

    Parameters
    ----------
    robot_id : robot that performs it; for a job, the latest one, or None before the first
    request : task of that robot; None before it is assigned
    rejection : reason of the rejection
    started_s : time when the present or latest robot got it
    outcome : outcome of the task, or of the latest attempt of a job
    job : latest report of an accepted job
    detail : detail of the reason why it did not succeed
    """

    plan: TaskPlan
    robot_id: int | None = None
    request: TaskRequest | None = None
    rejection: Reason | None = None
    started_s: float | None = None
    ended_s: float | None = None
    outcome: TaskOutcome | None = None
    job: JobReport | None = None
    detail: str = ""

    @property
    def is_sent(self) -> bool:
        """Whether it was sent to a robot, or to the fleet."""
        return self.request is not None or self.job is not None or self.rejection is not None

    @property
    def reason(self) -> str:
        """Reason for not succeeding, as in the status; "" if it has succeeded or not ended."""
        if self.job is not None and self.rejection is None:
            return self.job.reason if self.ended_s is not None else ""
        reason = self.rejection or (self.outcome.reason if self.outcome else None)
        return reason.value if reason else ""

    @property
    def state(self) -> str:
        """State of the task."""
        if self.rejection is not None:
            return "REJECTED"
        if self.job is not None:
            return self.job.state.value.upper()
        if self.outcome is not None:
            return self.outcome.state.value
        return "WAITING" if self.started_s is None else "EXECUTING"


class TaskAssignments:
    """The tasks of one run.

    Parameters
    ----------
    lab : lab with the robots
    plans : the tasks; those due at the same time are assigned in this order
    """

    def __init__(self, lab: Lab, plans: Sequence[TaskPlan]) -> None:
        self.all = [TaskAssignment(plan, plan.robot_id) for plan in plans]
        self._lab = lab
        self._by_id = {assignment.plan.task_id: assignment for assignment in self.all}
        self._homes = {robot.id: robot.home for robot in lab.config.robots}
        self._recorded = 0  # number of the lab's outcomes recorded so far

    @property
    def are_over(self) -> bool:
        """Whether every task has ended."""
        return all(assignment.ended_s is not None for assignment in self.all)

    def advance(self, time_s: float) -> None:
        """Record the tasks that have ended, and assign those that are due."""
        for outcome in self._lab.outcomes[self._recorded :]:
            self._record(outcome, time_s)
        self._recorded = len(self._lab.outcomes)
        for assignment in self.all:
            if assignment.job is not None and assignment.ended_s is None:
                self._follow(assignment, time_s)
            if not assignment.is_sent and self._is_due(assignment.plan, time_s):
                self._start(assignment, time_s)

    def _record(self, outcome: TaskOutcome, time_s: float) -> None:
        """Record the end of a task or attempt; attempts of a job have ids that end in #2 and so on from the second."""
        ended = self._by_id.get(outcome.task_id) or self._by_id[outcome.task_id.rpartition("#")[0]]
        ended.outcome = outcome
        if ended.job is None:
            ended.ended_s = time_s
            ended.detail = self._detail(ended, outcome.reason)

    def _follow(self, assignment: TaskAssignment, time_s: float) -> None:
        """Record which robot performs a job, and whether the job has ended."""
        report = self._report(assignment.plan)
        if report is None:
            return
        if report.state is JobState.EXECUTING and assignment.robot_id != report.robot_id:
            assignment.robot_id, assignment.started_s = report.robot_id, time_s
            assignment.request = self._lab.service.robot(report.robot_id).request
        assignment.job = report
        if report.ended_ns:
            assignment.ended_s, assignment.detail = time_s, report.detail

    def _report(self, plan: TaskPlan) -> JobReport | None:
        return None if self._lab.dispatcher is None else self._lab.dispatcher.report(plan.task_id, self._lab.now)

    def _is_due(self, plan: TaskPlan, time_s: float) -> bool:
        since_s = self._by_id[plan.after].ended_s if plan.after else 0.0
        return since_s is not None and time_s >= since_s + plan.at_s

    def _start(self, assignment: TaskAssignment, time_s: float) -> None:
        robot_id = assignment.plan.robot_id
        if robot_id is None:
            assignment.rejection = self._submit(assignment)
        else:
            assignment.started_s = time_s
            assignment.rejection = self._assign(assignment, robot_id)
            assignment.detail = self._detail(assignment, assignment.rejection)
        if assignment.rejection is not None:
            assignment.ended_s = time_s

    def _submit(self, assignment: TaskAssignment) -> Reason | None:
        plan, dispatcher = assignment.plan, self._lab.dispatcher
        if dispatcher is None:
            raise ValueError(f"task {plan.task_id!r} is for any robot, and the fleet accepts no jobs")
        why = dispatcher.submit([Job(plan.task_id, plan.work)], self._lab.now)[0]
        if why is not None:
            assignment.detail = why.detail
            return why.reason
        assignment.job = self._report(plan)
        return None

    def _detail(self, assignment: TaskAssignment, reason: Reason | None) -> str:
        """Return the detail that a robot gives for a reason."""
        if reason is None or assignment.robot_id is None:
            return ""
        found = self._lab.service.robot(assignment.robot_id).explanation
        return found.detail if found is not None and found.reason is reason else ""

    def _assign(self, assignment: TaskAssignment, robot_id: int) -> Reason | None:
        plan, service = assignment.plan, self._lab.service
        robot = service.robot(robot_id)
        estimate = robot.telemetry.estimate
        try:
            request = task_of_work(
                plan.work,
                plan.task_id,
                self._lab.config,
                home=self._homes[robot_id],
                pose=None if estimate is None else estimate.pose,
            )
        except GoalRejectedError as error:
            robot.note_rejection(error.explanation)
            return error.reason
        assignment.request = request
        return service.assign(robot_id, request, self._lab.now_ns)
