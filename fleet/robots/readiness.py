"""A robot's readiness, as a dispatcher needs it: whether it could take a task, and when it will be free."""

from dataclasses import dataclass

from fleet.geometry import Pose2D
from fleet.robots.robot_status import TaskOutcome


@dataclass(frozen=True, slots=True)
class Readiness:
    """One robot at one instant.

    Parameters
    ----------
    home : where it drives when it has no other place to go
    pose : where it is; None if that is unknown
    is_able : whether it could perform a task, once it has none
    may_drive : whether it could now drive to a place without a task
    is_stopped : whether it waits for the fleet to be resumed
    is_aside : whether it drives to a place without a task, to wait there
    aside_at : that place, also while it waits there; None if it was not sent aside
    task_id : id of its task; "" when it is idle
    leg : index of its current leg
    task_end : end of its task; None when it is idle
    eta_s : planned time to the end of its task [s]
    has_way : whether that takes account of other robots up to the end of its current leg
    progress : share of the planned time that has passed, from 0 to 1
    charge : charge of its battery, from 0 to 1; None if that is unknown
    drain_per_s : share of a full charge that it uses per second of driving
    is_served : whether a driver serves it now, this one or another
    is_elsewhere : whether another driver serves it, which gets tasks as action goals
    last_outcome : outcome of its latest task; None if that is not known
    """

    robot_id: int
    home: Pose2D
    pose: Pose2D | None
    is_able: bool
    may_drive: bool = False
    is_stopped: bool = False
    is_aside: bool = False
    aside_at: Pose2D | None = None
    task_id: str = ""
    leg: int = 0
    task_end: Pose2D | None = None
    eta_s: float = 0.0
    has_way: bool = True
    progress: float = 0.0
    charge: float | None = None
    drain_per_s: float = 0.0
    is_served: bool = True
    is_elsewhere: bool = False
    last_outcome: TaskOutcome | None = None
