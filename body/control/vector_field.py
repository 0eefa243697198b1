"""The vector field: the velocity to the goal at each pose; translation and rotation end together."""

import math
from dataclasses import dataclass

import numpy as np

from body.description.robot_tree import Floats
from body.description.rotation import rotation_vector


@dataclass(frozen=True, slots=True)
class FieldShape:
    """Speeds of a vector field.

    Parameters
    ----------
    speed_mps : speed far from the goal
    turn_radps : largest turning speed
    slow_down_m : distance from the goal below which the speed falls in proportion
    """

    speed_mps: float
    turn_radps: float
    slow_down_m: float


def pose_error(pose: Floats, goal: Floats) -> Floats:
    """Return goal minus pose: translation [m] and rotation vector [rad], shape (6,), in the frame of both.

    Parameters
    ----------
    pose, goal
        homogeneous matrices, shape (4, 4)
    """
    return np.concatenate([goal[:3, 3] - pose[:3, 3], rotation_vector(goal[:3, :3] @ pose[:3, :3].T)])


def field_velocity(error: Floats, shape: FieldShape) -> Floats:
    """Return the velocity at a pose, shape (6,) [m/s, rad/s].

    The remaining time is T = max(d / speed, r / turn, slow_down / speed) for the distance d and the angle r. The
    velocity is error / T: straight, both parts bounded, and near the goal exponential with the time constant
    slow_down / speed. Without rotation it is the point attractor speed * min(1, d / slow_down) of the literature.

    Parameters
    ----------
    error
        remaining translation and rotation, shape (6,) [m, rad]; 0 for free axes
    shape
        speeds of the field
    """
    x, y, z, roll, pitch, yaw = error.tolist()
    way_s = math.hypot(x, y, z) / shape.speed_mps
    turn_s = math.hypot(roll, pitch, yaw) / shape.turn_radps
    return error / max(way_s, turn_s, shape.slow_down_m / shape.speed_mps)
