"""Assigns an experiment's tasks to robots when they are due, and records their results."""

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.lab.lab import Lab
from experiments.scenarios.file.experiment import TaskPlan
from fleet.errors import PathError
from fleet.reason import Explanation, Reason
from fleet.robots.robot_status import TaskOutcome
from fleet.tasks.task import TaskRequest


@dataclass(slots=True)
class TaskAssignment:
    """The progress of a task; times are since the run's start, None until they happen.

    Parameters
    ----------
    request : the request sent to the fleet; None if none was sent
    rejection : why it was rejected
    outcome : how it ended
    """

    plan: TaskPlan
    request: TaskRequest | None = None
    rejection: Reason | None = None
    started_s: float | None = None
    ended_s: float | None = None
    outcome: TaskOutcome | None = None

    @property
    def reason(self) -> str:
        """Why it did not succeed, as in the status; "" if it did, or has not ended."""
        reason = self.rejection or (self.outcome.reason if self.outcome else None)
        return reason.value if reason else ""

    @property
    def state(self) -> str:
        """The task's state."""
        if self.rejection is not None:
            return "REJECTED"
        if self.outcome is not None:
            return self.outcome.state.value
        return "WAITING" if self.started_s is None else "EXECUTING"


class TaskAssignments:
    """The tasks of one run.

    Parameters
    ----------
    lab : whose robots perform them
    plans : tasks that are due at the same time are assigned in this order
    """

    def __init__(self, lab: Lab, plans: Sequence[TaskPlan]) -> None:
        self.all = [TaskAssignment(plan) for plan in plans]
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
            ended = self._by_id[outcome.task_id]
            ended.outcome, ended.ended_s = outcome, time_s
        self._recorded = len(self._lab.outcomes)
        for assignment in self.all:
            if assignment.started_s is None and assignment.ended_s is None and self._is_due(assignment.plan, time_s):
                self._start(assignment, time_s)

    def _is_due(self, plan: TaskPlan, time_s: float) -> bool:
        since_s = self._by_id[plan.after].ended_s if plan.after else 0.0
        return since_s is not None and time_s >= since_s + plan.at_s

    def _start(self, assignment: TaskAssignment, time_s: float) -> None:
        assignment.started_s = time_s
        assignment.rejection = self._assign(assignment)
        if assignment.rejection is not None:
            assignment.ended_s = time_s

    def _assign(self, assignment: TaskAssignment) -> Reason | None:
        plan, service = assignment.plan, self._lab.service
        try:
            request = plan.request(
                self._lab.config, self._homes[plan.robot_id], service.robot(plan.robot_id).telemetry.estimate
            )
        except PathError as error:
            service.robot(plan.robot_id).note_rejection(Explanation(Reason.BAD_SPEED, str(error)))
            return Reason.BAD_SPEED
        if request is None:
            service.robot(plan.robot_id).note_rejection(Explanation(Reason.POSE_LOST, "the robot has no pose yet"))
            return Reason.POSE_LOST
        assignment.request = request
        return service.assign(plan.robot_id, request, self._lab.now_ns)
