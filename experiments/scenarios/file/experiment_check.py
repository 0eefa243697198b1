"""Checks experiments beyond their schema: unknown robots and tasks, and keys that do not belong together."""

from collections.abc import Iterator, Mapping
from typing import Any

from experiments.lab.simulated_index import simulated_index
from experiments.scenarios.file.experiment import FaultKind
from experiments.scenarios.file.experiment_references import ExperimentReferences, route_of_task
from fleet.errors import GoalRejectedError
from fleet.work.kinds import KIND_NAMES
from thymio_base.settings_file import Problem, repeats
from thymio_base.texts.yaml_text import KeyPath

ANY_ROBOT = "any"
_OF_PATHS = ("speed_mps", "laps", "relative_to")
_OF_FAULTS = {  # required and optional keys of each
    FaultKind.CUT_LINK: ((), ("robot", "for_s")),
    FaultKind.HIDE: ((), ("robot", "for_s")),
    FaultKind.PUSH: (("robot",), ("x_m", "y_m", "heading_rad")),
    FaultKind.TELEPORT: (("robot", "x_m", "y_m"), ("heading_rad",)),
    FaultKind.BATTERY: (("robot", "charge"), ()),
    FaultKind.SLIP: (("robot",), ("left", "right", "for_s")),
    FaultKind.CANCEL: (("task",), ()),
    FaultKind.STOP: ((), ("for_s",)),
}


def contradictions(values: Mapping[str, Any], references: ExperimentReferences) -> Iterator[Problem]:
    """Yield the problems of an experiment file; items that violate the schema are None and are skipped."""
    tasks = [(index, task) for index, task in enumerate(values["tasks"]) if task is not None]
    for index, task in tasks:
        yield from _task_problems(index, task, references)
    task_ids = [task["id"] for _, task in tasks]
    is_incomplete = not tasks or len(tasks) < len(values["tasks"])
    yield from _order_problems(tasks, is_incomplete)
    for index, fault in enumerate(values["faults"]):
        if fault is not None:
            yield from _fault_problems(("faults", index), fault, None if is_incomplete else task_ids, references)


def _task_problems(index: int, task: Mapping[str, Any], references: ExperimentReferences) -> Iterator[Problem]:
    where: KeyPath = ("tasks", index)
    kinds = [kind for kind in KIND_NAMES if kind in task]
    if len(kinds) != 1:
        expected, found = ", ".join(KIND_NAMES), " and ".join(kinds) or "none"
        yield where, f"task {task['id']!r} needs exactly one of {expected}, has {found}"
    if task["robot"] == ANY_ROBOT:
        yield from _dispatch_problems(where, references)
    else:
        yield from _robot_problems((*where, "robot"), task["robot"], references)
    if references.fleet is not None:
        try:
            route_of_task(task, references.fleet)
        except GoalRejectedError as error:
            yield (*where, "follow_route"), error.explanation.detail
    if "follow_path" not in task:
        for key in _OF_PATHS:
            if key in task:
                yield (*where, key), "is valid only with follow_path"
    elif index in references.path_problems:
        yield (*where, "follow_path"), references.path_problems[index]


def _dispatch_problems(where: KeyPath, references: ExperimentReferences) -> Iterator[Problem]:
    """Yield a problem if the fleet does not choose robots for jobs."""
    if references.fleet is not None and not references.fleet.dispatch.enabled:
        yield (*where, "robot"), "any needs `dispatch: {enabled: true}` in the fleet, which then chooses the robot"


def _robot_problems(where: KeyPath, robot_id: int | None, references: ExperimentReferences) -> Iterator[Problem]:
    fleet, world = references.fleet, references.world
    if fleet is None or world is None or robot_id is None:
        return
    robot = next((robot for robot in fleet.robots if robot.id == robot_id), None)
    if robot is None:
        ids = ", ".join(str(robot.id) for robot in fleet.robots)
        yield where, f"robot {robot_id} is not in the fleet; known: {ids}"
    elif simulated_index(robot, world) is None:
        yield where, f"robot {robot_id} is not in the world: no node there has its node_id or uuid"


def _fault_problems(
    where: KeyPath, fault: Mapping[str, Any], task_ids: list[str] | None, references: ExperimentReferences
) -> Iterator[Problem]:
    needed, possible = _OF_FAULTS[FaultKind(fault["what"])]
    for key in needed:
        if key not in fault:
            yield where, f"{fault['what']} needs {key}"
    for key in fault:
        if key not in {"what", "at_s", *needed, *possible}:
            yield (*where, key), f"is not valid for {fault['what']}"
    yield from _robot_problems((*where, "robot"), fault.get("robot"), references)
    if task_ids is not None and "task" in fault and fault["task"] not in task_ids:
        yield (*where, "task"), f"there is no task {fault['task']!r}; known: {', '.join(task_ids)}"


def repeated_ids(parts: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the tasks with the id of an earlier task; ids that violate the schema are None and are skipped."""
    task_ids = [None if task is None else task.get("id") for task in parts["tasks"]]
    for index, _ in repeats(task_ids):
        yield ("tasks", index, "id"), f"{task_ids[index]!r} is the id of an earlier task"


def _order_problems(tasks: list[tuple[int, dict[str, Any]]], is_incomplete: bool) -> Iterator[Problem]:
    """Yield the tasks that wait for each other or for a task that does not exist."""
    waits = {task["id"]: task.get("after", "") for _, task in tasks}
    for index, task in tasks:
        after = waits[task["id"]]
        if after and after not in waits and not is_incomplete:
            yield ("tasks", index, "after"), f"there is no task {after!r}; known: {', '.join(waits)}"
        visited = {task["id"]}
        while after in waits and after not in visited:
            visited.add(after)
            after = waits[after]
        if after == task["id"]:
            yield ("tasks", index, "after"), f"{task['id']!r} waits for itself"
