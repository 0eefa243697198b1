"""The reference of a path's coordinates."""

from enum import Enum
from typing import assert_never

from fleet.geometry import Pose2D
from fleet.paths.path import Path


class Placement(Enum):
    """The reference of a path's coordinates."""

    POSITION = "position"  # where the robot is; the axes are those of the fleet's frame (Park 2024)
    POSE = "pose"  # where the robot is, with its heading: x ahead, y to its left
    MAP = "map"  # the fleet's frame


def placed(path: Path, placement: Placement, robot: Pose2D) -> Path:
    """Return the path in the fleet's frame, for a robot at the given pose there."""
    return path if placement is Placement.MAP else path.moved(frame_of(placement, robot))


def frame_of(placement: Placement, robot: Pose2D) -> Pose2D:
    """Return the pose, in the fleet's frame, of the frame that coordinates are relative to."""
    match placement:
        case Placement.POSITION:
            return Pose2D(robot.x_m, robot.y_m, 0.0)
        case Placement.POSE:
            return robot
        case Placement.MAP:
            return Pose2D(0.0, 0.0, 0.0)
        case _:
            assert_never(placement)
