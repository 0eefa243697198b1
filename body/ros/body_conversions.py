"""Converts poses, twists, wrenches and joint values from and to ROS messages."""

import math
from collections.abc import Iterable

import numpy as np
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Pose, Transform, Twist, Vector3, Wrench
from rbc_msgs_srvs.msg import JointValue

from body.description.robot_tree import Floats
from body.description.rotation import quaternion_from_rotation, rotation_from_quaternion
from body.errors import ReacherError
from body.reachers.reacher import GoalEnd


def pose_from_ros(pose: Pose) -> Floats:
    """Return a pose as a matrix of shape (4, 4).

    Raises
    ------
    ReacherError
        A number is not finite, or the quaternion has zero length.
    """
    p, q = pose.position, pose.orientation
    result = np.eye(4)
    result[:3, 3] = finite("position", (p.x, p.y, p.z))
    try:
        result[:3, :3] = rotation_from_quaternion(q.x, q.y, q.z, q.w)
    except ValueError as error:
        raise ReacherError(f"orientation: {error}") from error
    return result


def six_from_ros(linear: Vector3, angular: Vector3, name: str) -> Floats:
    """Return the numbers of a twist or a wrench, shape (6,).

    Raises
    ------
    ReacherError
        A number is not finite.
    """
    return finite(name, (linear.x, linear.y, linear.z, angular.x, angular.y, angular.z))


def finite(name: str, numbers: tuple[float, ...]) -> Floats:
    """Return numbers as an array, after a check that they are finite.

    Raises
    ------
    ReacherError
        A number is not finite; the message contains `name`.
    """
    if not all(map(math.isfinite, numbers)):
        raise ReacherError(f"{name} is {', '.join(f'{number:g}' for number in numbers)}: write finite numbers")
    return np.array(numbers, dtype=np.float64)


def seconds(duration: Duration, name: str) -> float:
    """Return a duration in seconds.

    Raises
    ------
    ReacherError
        The duration is negative.
    """
    value = float(duration.sec + duration.nanosec * 1e-9)
    if value < 0:
        raise ReacherError(f"{name} is {value:g} s; write 0 for none, or a time above 0")
    return value


def joint_positions_from_ros(values: Iterable[JointValue]) -> dict[str, float]:
    """Return positions by joint.

    Raises
    ------
    ReacherError
        A joint is named twice.
    """
    positions: dict[str, float] = {}
    for one in values:
        if one.joint in positions:
            raise ReacherError(f"the goal names {one.joint} twice")
        positions[one.joint] = one.value
    return positions


def twist_to_ros(six: Floats) -> Twist:
    """Return a twist message of a twist, or of the six errors of a pose."""
    return Twist(linear=vector_to_ros(six[:3]), angular=vector_to_ros(six[3:]))


def wrench_to_ros(six: Floats) -> Wrench:
    """Return a wrench message."""
    return Wrench(force=vector_to_ros(six[:3]), torque=vector_to_ros(six[3:]))


def vector_to_ros(three: Floats) -> Vector3:
    """Return a vector message."""
    x, y, z = three.tolist()
    return Vector3(x=x, y=y, z=z)


def transform_to_ros(pose: Floats) -> Transform:
    """Return a transform message of a pose of shape (4, 4)."""
    transform = Transform(translation=vector_to_ros(pose[:3, 3]))
    q = transform.rotation
    q.x, q.y, q.z, q.w = quaternion_from_rotation(pose[:3, :3])
    return transform


def joint_errors_to_ros(end: GoalEnd) -> list[JointValue]:
    """Return the errors of joints at the end of a goal."""
    return [JointValue(joint=joint, value=float(value)) for joint, value in zip(end.joints, end.error, strict=True)]
