"""The task of a robot, as its driver publishes it on `x/task`."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from fleet.geometry import Pose2D

PLAN_POINTS: Final = 200  # at most


class LegKind(Enum):
    """The kind of a leg; the value is that of the message."""

    DRIVE = "drive"  # to a pose
    DWELL = "dwell"  # stand still, to load or to unload
    FOLLOW = "follow"  # a path
    CHARGE = "charge"  # stand still until a charger feeds the robot


@dataclass(frozen=True, slots=True)
class LegReport:
    """One leg.

    Parameters
    ----------
    pose : its end; None where the robot stands still
    duration_s : for a dwell its time, for a wait in a charger the longest time; otherwise 0
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
    words : the task in words
    leg : index of the current leg
    plan_m : places through which it will drive, in the fleet's frame, at most `PLAN_POINTS`
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
