"""Names of topics and actions."""

from typing import Final

from fleet.tasks.task_kind import TaskKind

OURS: Final = {TaskKind.FOLLOW_PATH}  # actions that are not the customer's are below x/

DRIVERS_TOPIC: Final = "/fleet/drivers"
IDENTIFY_TOPIC: Final = "/fleet/identify"
WAYS_TOPIC: Final = "/fleet/ways"
KNOWN_WAYS_TOPIC: Final = "/fleet/known_ways"


def action_name(robot_id: int, kind: TaskKind) -> str:
    """Return the name of a robot's action."""
    return f"/factory/robot_{robot_id}/{'x/' if kind in OURS else ''}{kind.value}"


def task_topic(robot_id: int) -> str:
    """Return the name of the topic with what a robot performs."""
    return f"/factory/robot_{robot_id}/x/task"
