"""The kinds of task; clients use them too, without the rest of a task."""

from enum import Enum
from typing import Final

HIGHEST_PRIORITY: Final = 9  # of tasks and jobs; the lowest is 0


class TaskKind(Enum):
    """The action through which the task was sent; the first three belong to the customer's interface."""

    GO_TO = "task_go_to"  # drive to a pose
    GO_HOME = "task_go_home"  # drive to the robot's home pose
    TRANSPORT = "task_transport"  # drive to a pose, load, drive to another, unload
    FOLLOW_PATH = "follow_path"  # drive along a path
    FOLLOW_ROUTE = "follow_route"  # drive, turn, stand and dock, leg by leg
    DOCK = "dock"  # drive onto a charger until it charges the robot

    @property
    def public_name(self) -> str:
        """Its name in files, jobs, commands and on pages: "go_to"."""
        return self.value.removeprefix("task_")
