"""Performs robots' tasks by the fleet; `NavgroundDrive` is the alternative."""

from dataclasses import dataclass
from typing import Protocol

from experiments.lab.lab import Lab
from fleet.tasks.task import TaskRequest, TaskState


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """The end of a task: whether it succeeded, and a text that says how it ended."""

    task_id: str
    succeeded: bool
    words: str = ""


class Execution(Protocol):
    """Performs the tasks of all robots."""

    def assign(self, robot_id: int, request: TaskRequest) -> None:
        """Start a robot's task."""

    def pop_ended(self) -> list[TaskEnd]:
        """Return the tasks that have ended since the last call."""


class FleetTasks:
    """Performs tasks by the fleet.

    Parameters
    ----------
    lab : the lab with the fleet
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._seen = 0
        self._rejected: list[TaskEnd] = []

    def assign(self, robot_id: int, request: TaskRequest) -> None:
        """See `Execution.assign`."""
        reason = self._lab.service.assign(robot_id, request, self._lab.now_ns)
        if reason is not None:
            self._rejected.append(TaskEnd(request.task_id, False, f"rejected, {reason.value}"))

    def pop_ended(self) -> list[TaskEnd]:
        """See `Execution.pop_ended`."""
        ended, self._rejected = self._rejected, []
        outcomes = self._lab.outcomes[self._seen :]
        self._seen += len(outcomes)
        for outcome in outcomes:
            words = f"{outcome.state.value}, {outcome.reason.value if outcome.reason else ''}: {outcome.detail}"
            ended.append(TaskEnd(outcome.task_id, outcome.state is TaskState.SUCCEEDED, words))
        return ended
