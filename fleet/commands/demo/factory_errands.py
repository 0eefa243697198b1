"""The errands of up to eight robots in the factory of examples/worlds: between stations, the shelf and their chargers.

Robots from the left deliver on the right and the other way round, so their ways cross; some lead through the door.
"""

import math
from collections.abc import Mapping

from fleet.commands.demo.errands import Errand
from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind

_UP_RAD, _DOWN_RAD = 0.5 * math.pi, -0.5 * math.pi
_PRESS, _OVEN, _PAINT, _PACKING = (Pose2D(x_m, 2.5, _UP_RAD) for x_m in (0.9, 1.9, 2.9, 3.9))
_SHELF_LEFT = (Pose2D(2.15, 1.35, 0.0), Pose2D(2.15, 1.75, 0.0))
_SHELF_RIGHT = (Pose2D(2.85, 1.35, math.pi), Pose2D(2.85, 1.75, math.pi))

_FROM_SHELF = {  # by robot: what it carries from where to where, and where it goes after that
    1: ((_SHELF_LEFT[0], _PRESS), Pose2D(1.4, 1.0, 0.0)),
    2: ((_SHELF_LEFT[1], _PAINT), Pose2D(1.4, 2.1, math.pi)),
    5: ((_SHELF_RIGHT[1], _OVEN), Pose2D(3.6, 2.1, 0.0)),
    6: ((_SHELF_RIGHT[0], _PACKING), Pose2D(3.6, 1.0, math.pi)),
}
_TO_SHELF = {  # by robot: where it waits, and what it carries from where to where after that
    3: (Pose2D(3.5, 1.6, _UP_RAD), (_PACKING, _SHELF_RIGHT[0])),
    4: (Pose2D(1.5, 1.6, _UP_RAD), (_PRESS, _SHELF_LEFT[0])),
    7: (Pose2D(1.8, 2.0, 0.0), (_PAINT, _SHELF_LEFT[1])),
    8: (Pose2D(3.2, 2.0, math.pi), (_OVEN, _SHELF_RIGHT[1])),
}
FACTORY_ROBOTS = len(_FROM_SHELF) + len(_TO_SHELF)


def factory_errands(homes: Mapping[int, Pose2D]) -> list[Errand]:
    """Return three errands for each robot: a transport, one place before or after it, and its home."""
    early = {robot_id: errands for robot_id, errands in _FROM_SHELF.items() if robot_id in homes}
    late = {robot_id: errands for robot_id, errands in _TO_SHELF.items() if robot_id in homes}
    return [
        *(Errand(robot_id, TaskKind.GO_TO, (place,)) for robot_id, (place, _) in late.items()),
        *(Errand(robot_id, TaskKind.TRANSPORT, stops) for robot_id, (stops, _) in early.items()),
        *(Errand(robot_id, TaskKind.GO_TO, (place,)) for robot_id, (_, place) in early.items()),
        *(Errand(robot_id, TaskKind.TRANSPORT, stops) for robot_id, (_, stops) in late.items()),
        *(Errand(robot_id, TaskKind.GO_HOME, (homes[robot_id],)) for robot_id in (*early, *late)),
    ]
