"""What the coordinates of a path are relative to."""

from enum import Enum

from fleet.geometry import Pose2D
from fleet.paths.path import Path


class Placement(Enum):
    """What the coordinates of a path are relative to."""

    POSITION = "position"  # where the robot is; the axes are those of the fleet's frame (Park 2024)
    POSE = "pose"  # where the robot is, with its heading: x ahead, y to its left
    MAP = "map"  # the fleet's frame


def placed(path: Path, placement: Placement, robot: Pose2D) -> Path:
    """Return the path in the fleet's frame, for a robot at the given pose there."""
    if placement is Placement.MAP:
        return path
    return path.moved(robot if placement is Placement.POSE else Pose2D(robot.x_m, robot.y_m, 0.0))
