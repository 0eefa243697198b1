"""Joints that mimic others: the joints that they follow, and the limits that result."""

from collections.abc import Callable
from dataclasses import dataclass

from body.description.robot_tree import JointLimits, TreeJoint


@dataclass(frozen=True, slots=True)
class FollowedJoint:
    """The joint that a mimic follows, directly or indirectly: position = factor * position of the master + offset."""

    master: TreeJoint
    factor: float
    offset: float


def followed_joint(joint: TreeJoint, find: Callable[[str], TreeJoint | None]) -> FollowedJoint | None:
    """Return the joint that a joint follows, itself if it is not a mimic; None if a joint is missing or mimics itself.

    Parameters
    ----------
    joint
        joint that may be a mimic
    find
        returns a joint by its name, or None
    """
    factor, offset, seen = 1.0, 0.0, {joint.name}
    while joint.mimic is not None:
        offset += factor * joint.mimic.offset
        factor *= joint.mimic.multiplier
        master = find(joint.mimic.joint)
        if master is None or master.name in seen:
            return None
        seen.add(master.name)
        joint = master
    return FollowedJoint(joint, factor, offset)


def narrowed(limits: JointLimits, follower: JointLimits, factor: float, offset: float) -> JointLimits:
    """Narrow the limits of a master so that its follower respects its own limits.

    Parameters
    ----------
    limits
        limits of the master
    follower
        limits of the follower
    factor, offset
        position of the follower = factor * position of the master + offset; the factor is not 0
    """
    ends = ((follower.lower - offset) / factor, (follower.upper - offset) / factor)
    return JointLimits(
        max(limits.lower, min(ends)),
        min(limits.upper, max(ends)),
        min(limits.velocity, follower.velocity / abs(factor)),
    )
