"""Names of topics and actions."""

from typing import Final

from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KINDS

CHANGE_JOBS_SERVICE: Final = "/fleet/jobs/change"
DRIVERS_TOPIC: Final = "/fleet/drivers"
DUTY_SERVICE: Final = "/fleet/robots/duty"
IDENTIFY_TOPIC: Final = "/fleet/identify"
JOBS_TOPIC: Final = "/fleet/jobs"
PLACES_TOPIC: Final = "/fleet/places"
POSES_TOPIC: Final = "/fleet/poses"
LIST_JOBS_SERVICE: Final = "/fleet/jobs/list"
PERFORM_ACTION: Final = "/fleet/perform"
SUBMIT_JOBS_SERVICE: Final = "/fleet/jobs/submit"
WAYS_TOPIC: Final = "/fleet/ways"
KNOWN_WAYS_TOPIC: Final = "/fleet/known_ways"
TOKEN_KEY: Final = "driver_token"  # names the driver in its diagnostics, as in its announcements


def action_name(robot_id: int, kind: TaskKind) -> str:
    """Return the name of a robot's action."""
    return f"/factory/robot_{robot_id}/{name_of_kind(kind)}"


def name_of_kind(kind: TaskKind) -> str:
    """Return the name of an action below that of its robot."""
    return f"x/{kind.value}" if KINDS[kind].is_ours else kind.value


def extend_path_service(robot_id: int) -> str:
    """Return the name of the service that extends the path that a robot follows."""
    return f"/factory/robot_{robot_id}/x/extend_path"


def extend_route_service(robot_id: int) -> str:
    """Return the name of the service that appends legs to the route that a robot performs."""
    return f"/factory/robot_{robot_id}/x/extend_route"


def order_topic(robot_id: int) -> str:
    """Return the name of the topic with the order of a master control that a robot performs."""
    return f"/factory/robot_{robot_id}/x/order"


def task_topic(robot_id: int) -> str:
    """Return the name of the topic with a robot's task."""
    return f"/factory/robot_{robot_id}/x/task"
