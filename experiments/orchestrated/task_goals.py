"""The goal messages of an experiment's tasks."""

from pathlib import Path
from typing import Any

from experiments.scenarios.file.experiment import Experiment, TaskPlan
from experiments.scenarios.file.experiment_file import ExperimentError
from fleet.dispatch.records.job import PathToFollow
from fleet.goals.action_client import ACTION_TYPES
from fleet.interface.conversions import pose_to_ros
from fleet.interface.work_messages import goal_fields
from fleet.paths.shapes import SHAPES
from fleet.settings.path_file import load_path
from fleet.tasks.task_kind import TaskKind
from thymio_base.settings_file import load_text
from thymio_base.texts.yaml_text import write_yaml, yaml_values


def goal_messages(experiment: Experiment, file: Path) -> dict[str, Any]:
    """Return the goal of each task by its id.

    Parameters
    ----------
    experiment
        was loaded
    file
        from this file; paths that it names are read again

    Raises
    ------
    ExperimentError
        A task cannot be sent as a goal of an action; all are listed.
    """
    problems = [
        f"{file}: task {plan.task_id!r} is for any robot; a player sends goals to robots: name one"
        for plan in experiment.tasks
        if plan.robot_id is None
    ]
    values = {task["id"]: task for task in yaml_values(load_text(file))["tasks"]}
    goals: dict[str, Any] = {}
    for plan in experiment.tasks:
        try:
            goals[plan.task_id] = _goal(plan, values[plan.task_id], experiment.fleet.frame, file.parent)
        except ExperimentError as error:
            problems.append(f"{file}: task {plan.task_id!r}: {error}")
    if problems:
        raise ExperimentError("\n".join(problems))
    return goals


def _goal(plan: TaskPlan, values: dict[str, Any], frame: str, folder: Path) -> Any:
    poses = [pose_to_ros(place, 0, frame) for place in plan.places]
    path = None
    if plan.kind is TaskKind.FOLLOW_PATH:
        path = PathToFollow(
            _path_text(values["follow_path"], folder),
            float(values.get("speed_mps", 0.0)),
            int(values.get("laps", 0)),
            values.get("relative_to", ""),
        )
    return ACTION_TYPES[plan.kind].Goal(task_id=plan.task_id, **goal_fields(plan.kind, poses, path))


def _path_text(named: str | dict[str, Any], folder: Path) -> str:
    """Return a path as a goal holds it: the name of a shape, or YAML."""
    if not isinstance(named, str):
        return write_yaml(named)
    if named in SHAPES:
        return named
    if load_path(folder / named).waypoints_m:
        raise ExperimentError(f"{named} has waypoints alone, which goals do not hold: write the path as YAML")
    return load_text(folder / named)
