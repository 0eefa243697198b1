"""Conversions between rotation matrices, roll-pitch-yaw angles, quaternions and rotation vectors."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Floats:
    """Return the rotation about the fixed axes x, y and z, in this order, as in URDF; shape (3, 3)."""
    cr, sr, cp, sp, cy, sy = (f(angle) for angle in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rotation_from_quaternion(x: float, y: float, z: float, w: float) -> Floats:
    """Return the rotation of a quaternion of any length above 0, shape (3, 3).

    Raises
    ------
    ValueError
        The quaternion has zero length or is not finite.
    """
    squared = x * x + y * y + z * z + w * w
    if not math.isfinite(squared) or squared < 1e-12:
        raise ValueError(
            f"the quaternion ({x:g}, {y:g}, {z:g}, {w:g}) is not an orientation: write 0, 0, 0, 1 for none"
        )
    s = 2 / squared
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
        ]
    )


def quaternion_from_rotation(rotation: Floats) -> tuple[float, float, float, float]:
    """Return x, y, z, w of a rotation of shape (3, 3), from its largest component (Shepperd 1978)."""
    r = rotation.tolist()
    trace = r[0][0] + r[1][1] + r[2][2]
    squares = [1 + 2 * r[0][0] - trace, 1 + 2 * r[1][1] - trace, 1 + 2 * r[2][2] - trace, 1 + trace]
    largest = max(range(4), key=squares.__getitem__)
    q = [0.0] * 4
    q[largest] = math.sqrt(squares[largest]) / 2
    if largest == 3:
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            q[i] = (r[k][j] - r[j][k]) / (4 * q[3])
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q[j], q[k] = (r[j][i] + r[i][j]) / (4 * q[i]), (r[k][i] + r[i][k]) / (4 * q[i])
        q[3] = (r[k][j] - r[j][k]) / (4 * q[i])
    return q[0], q[1], q[2], q[3]


def rotation_vector(rotation: Floats) -> Floats:
    """Return axis times angle of a rotation, shape (3,), angle from 0 to pi [rad]."""
    x, y, z, w = quaternion_from_rotation(rotation)
    if w < 0:
        x, y, z, w = -x, -y, -z, -w
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 if sine < 1e-12 else 2 * math.atan2(sine, w) / sine
    return np.array([factor * x, factor * y, factor * z])
