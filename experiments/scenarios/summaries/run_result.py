"""The results of a run as data: for each task, for each robot, and in total."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of a task; values that do not apply are None.

    Parameters
    ----------
    robot : robot that performed it; for a job, the latest one; None if there was none
    reason : reason for not succeeding; "" if it succeeded
    max_mm, rms_mm : true distance from the path of follow_path
    seen_max_mm, seen_rms_mm : cross-track error by the robot's own estimate, on any planned path
    off_mm, off_deg : true errors of position and heading at the end, relative to the goal
    contacts : number of the robot's contacts during the task
    least_gap_mm : smallest gap between the robot and any other body during the task; 0 for a contact
    waited_s : time that the robot waited for others during the task, by its statuses
    detail : detail of the reason
    """

    task: str
    robot: int | None
    kind: str
    state: str
    reason: str
    start_s: float | None
    end_s: float | None
    duration_s: float | None
    driven_m: float | None
    max_mm: float | None
    rms_mm: float | None
    seen_max_mm: float | None
    seen_rms_mm: float | None
    off_mm: float | None
    off_deg: float | None
    contacts: int | None
    least_gap_mm: float | None
    waited_s: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RobotResult:
    """The result of a robot: driven distance, final true pose, error of its estimate, and closeness to others.

    Parameters
    ----------
    waited_s : time that it waited for others in its tasks
    energy_j : energy drawn from its battery; charging is not subtracted
    """

    robot: int
    distance_m: float
    x_m: float
    y_m: float
    heading_rad: float
    estimate_max_mm: float | None
    estimate_rms_mm: float | None
    contacts: int
    least_gap_mm: float | None
    waited_s: float = 0.0
    energy_j: float = 0.0


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run; a contact of two robots counts once in the total."""

    duration_s: float
    tasks: list[TaskResult]
    robots: list[RobotResult]
    contacts: int
    least_gap_mm: float | None


def smallest(values: Iterable[float | None]) -> float | None:
    """Return the smallest value that is not None; None if there is none."""
    return min((value for value in values if value is not None), default=None)
