"""A journey: start, goal, and how a robot may move in between."""

from dataclasses import dataclass
from typing import Final

from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.trajectories.limits import Limits


@dataclass(init=False, unsafe_hash=True, slots=True)
class Journey:
    """What a way is planned for.

    Parameters
    ----------
    start, goal : poses, at rest, in the fleet's frame
    limits : limits of the motion
    backward : whether the robot may drive backward
    along : a path to drive, after driving straight to its start; None if the robot may choose its way
    """

    start: Final[Pose2D]
    goal: Final[Pose2D]
    limits: Final[Limits]
    backward: Final[bool]
    along: Final[Path | None]

    def __init__(self, start: Pose2D, goal: Pose2D, limits: Limits, backward: bool, along: Path | None = None) -> None:
        self.start = start
        self.goal = goal
        self.limits = limits
        self.backward = backward
        self.along = along

    def from_pose(self, start: Pose2D) -> "Journey":
        """Return the same journey from another start."""
        return Journey(start, self.goal, self.limits, self.backward, self.along)
