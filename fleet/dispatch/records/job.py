"""A job: what is asked of the fleet, until it is given to a robot as a task."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind

HIGHEST_PRIORITY = 9
USUAL_PRIORITY = 5
USUAL_ATTEMPTS = 3
_SHAPE: Final = re.compile(r"""(?:^|[{,])\s*["']?shape["']?\s*:\s*["']?(\w+)""", re.MULTILINE)


class JobState(Enum):
    """The state of a job; the last three are ends."""

    WAITING = "waiting"  # for its time, or for other jobs
    QUEUED = "queued"  # for a robot
    HELD = "held"  # until somebody releases it
    ASSIGNED = "assigned"  # to a robot that is busy, as its next job
    EXECUTING = "executing"  # a robot performs it
    SUCCEEDED = "SUCCEEDED"
    CANCELED = "CANCELED"
    ABORTED = "ABORTED"


@dataclass(frozen=True, slots=True)
class NamedPose:
    """A pose in the fleet's frame, and the name of the station there; "" if the job gave coordinates."""

    pose: Pose2D
    name: str = ""

    def __str__(self) -> str:
        return self.name or f"({self.pose.x_m:.2f}, {self.pose.y_m:.2f})"


@dataclass(frozen=True, slots=True)
class PathToFollow:
    """A path as FollowPath goals describe it: the text of a path file, and what replaces its speed, laps, placement."""

    text: str
    speed_mps: float = 0.0
    laps: int = 0
    relative_to: str = ""

    @property
    def name(self) -> str:
        """The name of its shape; "path" without one."""
        if (text := self.text.strip()).isidentifier():
            return text
        shape = _SHAPE.search(text)
        return shape[1] if shape else "path"


@dataclass(frozen=True, slots=True)
class Job:
    """A job; instants are on the ROS clock [ns], 0 if there is none.

    Parameters
    ----------
    job_id : unique in the fleet, for ever
    kind : of the task that a robot performs
    places : where to: one of go_to, two of transport, none of the others
    path : of follow_path, else None
    robots : who may perform it; empty is any robot
    priority : from 0 to 9, the highest
    not_before_ns : it waits until then
    deadline_ns : when it should have succeeded
    is_aborted_late : whether it is aborted at the deadline
    after : jobs that must have succeeded before
    after_any_end : whether it is enough that those have ended
    attempts : how many robots may try
    may_be_interrupted : whether a job of a much higher priority may take its robot, as long as that carries nothing
    """

    job_id: str
    kind: TaskKind
    places: tuple[NamedPose, ...] = ()
    path: PathToFollow | None = None
    robots: tuple[int, ...] = ()
    priority: int = USUAL_PRIORITY
    not_before_ns: int = 0
    deadline_ns: int = 0
    is_aborted_late: bool = False
    after: tuple[str, ...] = ()
    after_any_end: bool = False
    attempts: int = USUAL_ATTEMPTS
    may_be_interrupted: bool = True

    @property
    def words(self) -> str:
        """What is to be done: "transport press > packing", "follow eight"."""
        name = self.kind.value.removeprefix("task_")
        if self.path is not None:
            return f"follow {self.path.name}"
        return f"{name} {' > '.join(map(str, self.places))}".rstrip()

    def allows(self, robot_id: int) -> bool:
        """Whether a robot may perform it."""
        return not self.robots or robot_id in self.robots
