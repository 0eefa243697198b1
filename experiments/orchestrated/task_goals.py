"""The goal messages of an experiment's tasks."""

from pathlib import Path
from typing import Any

from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.file.experiment_file import ExperimentError
from fleet.interface.work_messages import goal_from_work


def goal_messages(experiment: Experiment, file: Path) -> dict[str, Any]:
    """Return the goal of each task of an experiment by task id; `file` is named in errors.

    Raises
    ------
    ExperimentError
        Some tasks cannot be sent as goals of an action; all are listed.
    """
    problems = [
        f"{file}: task {plan.task_id!r} is for any robot; a player sends goals to robots: name one"
        for plan in experiment.tasks
        if plan.robot_id is None
    ]
    if problems:
        raise ExperimentError("\n".join(problems))
    frame = experiment.fleet.frame
    return {plan.task_id: goal_from_work(plan.work, plan.task_id, frame, 0) for plan in experiment.tasks}
