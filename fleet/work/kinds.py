"""What each kind of task needs; light, since clients read it too."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fleet.tasks.task_kind import TaskKind

PLACE_COUNTS: Final[Mapping[TaskKind, int]] = MappingProxyType(
    {TaskKind.GO_TO: 1, TaskKind.GO_HOME: 0, TaskKind.TRANSPORT: 2, TaskKind.FOLLOW_PATH: 0}
)
