"""The vector field: at each pose, the velocity that leads to the goal, so that way and turn end together."""

import math
from dataclasses import dataclass

import numpy as np

from body.description.robot_tree import Floats
from body.description.rotation import rotation_vector


@dataclass(frozen=True, slots=True)
class FieldShape:
    """Speeds of a field.

    Parameters
    ----------
    speed_mps : far from the goal
    turn_radps : largest turning speed
    slow_down_m : distance from the goal below which the speed falls in proportion
    """

    speed_mps: float
    turn_radps: float
    slow_down_m: float


def pose_error(pose: Floats, goal: Floats) -> Floats:
    """Return what remains: the way [m] and the turn as a rotation vector [rad], shape (6,), in the frame of both.

    Parameters
    ----------
    pose, goal
        shape (4, 4)
    """
    return np.concatenate([goal[:3, 3] - pose[:3, 3], rotation_vector(goal[:3, :3] @ pose[:3, :3].T)])


def field_velocity(error: Floats, shape: FieldShape) -> Floats:
    """Return the velocity at a pose, shape (6,) [m/s, rad/s].

    The remaining time is T = max(d / speed, r / turn, slow_down / speed) for the distance d and the angle r, and the
    velocity is error / T: straight, both parts bounded, and exponential with the last T near the goal. For a goal
    without a turn that is the point attractor speed * min(1, d / slow_down) of the vector field literature.

    Parameters
    ----------
    error
        what remains, shape (6,) [m, rad]; 0 for axes that do not matter
    shape
        speeds
    """
    x, y, z, roll, pitch, yaw = error.tolist()
    way_s = math.hypot(x, y, z) / shape.speed_mps
    turn_s = math.hypot(roll, pitch, yaw) / shape.turn_radps
    return error / max(way_s, turn_s, shape.slow_down_m / shape.speed_mps)
