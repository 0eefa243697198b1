"""Decides from messages when the tasks of an experiment are due; pure, without ROS."""

from collections.abc import Iterator, Sequence
from typing import Final

from experiments.scenarios.file.experiment import TaskPlan


class Playlist:
    """The tasks that have not been sent yet.

    Time starts once every robot with tasks has been ready.

    Parameters
    ----------
    plans : the tasks; those due at the same time are sent in this order
    """

    def __init__(self, plans: Sequence[TaskPlan]) -> None:
        self._waiting: Final = list(plans)
        self._unready: Final = {plan.robot_id for plan in plans if plan.robot_id is not None}
        self._began_s: float | None = None
        self._ended_s: Final[dict[str, float]] = {}

    @property
    def robot_ids(self) -> list[int]:
        """The robots that are not ready yet, in ascending order."""
        return sorted(self._unready)

    def note_ready(self, robot_id: int) -> None:
        """Record that a robot accepts tasks."""
        self._unready.discard(robot_id)

    def note_end(self, task_id: str, now_s: float) -> None:
        """Record that a task has ended, or was rejected."""
        self._ended_s.setdefault(task_id, now_s)

    def due(self, now_s: float) -> Iterator[TaskPlan]:
        """Yield the tasks that are due, each once."""
        if self._unready:
            return
        if self._began_s is None:
            self._began_s = now_s
        for plan in [plan for plan in self._waiting if self._is_due(plan, self._began_s, now_s)]:
            self._waiting.remove(plan)
            yield plan

    def _is_due(self, plan: TaskPlan, began_s: float, now_s: float) -> bool:
        since_s = self._ended_s.get(plan.after) if plan.after else began_s
        return since_s is not None and now_s >= since_s + plan.at_s
