"""What a robot performs, as its driver publishes it on `x/task`."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from fleet.geometry import Pose2D

PLAN_POINTS: Final = 200  # at most


class LegKind(Enum):
    """What a leg is; the value is that of the message."""

    DRIVE = "drive"  # to a pose
    DWELL = "dwell"  # stand still, to load or to unload
    FOLLOW = "follow"  # a path
    CHARGE = "charge"  # stand still until a charger feeds the robot


@dataclass(frozen=True, slots=True)
class LegReport:
    """One leg.

    Parameters
    ----------
    pose : where it ends; None where the robot stands
    duration_s : of a dwell, and at most of a wait for a charger; else 0
    loads : whether the robot is loaded after a dwell
    """

    kind: LegKind
    pose: Pose2D | None = None
    duration_s: float = 0.0
    loads: bool = False


@dataclass(frozen=True, slots=True)
class TaskReport:
    """A task at one instant.

    Parameters
    ----------
    task_id : "" before the robot's first task
    kind : the name of its action: task_go_to, follow_path
    state : executing, canceling, SUCCEEDED, CANCELED, ABORTED; "" before the first task
    reason, detail : why it was aborted
    words : what the robot does
    leg : index of the current one
    plan_m : where it will drive, in the fleet's frame, at most `PLAN_POINTS` places
    eta_s : planned time to the end
    progress : share of the planned time that has passed, from 0 to 1
    clients : full names of the nodes that could cancel it
    """

    task_id: str = ""
    kind: str = ""
    state: str = ""
    reason: str = ""
    detail: str = ""
    words: str = ""
    legs: tuple[LegReport, ...] = ()
    leg: int = 0
    plan_m: tuple[tuple[float, float], ...] = ()
    eta_s: float = 0.0
    progress: float = 0.0
    clients: tuple[str, ...] = ()
