"""Joints that mimic others: what they follow, and which positions that leaves."""

from collections.abc import Callable
from dataclasses import dataclass

from body.description.robot_tree import JointLimits, TreeJoint


@dataclass(frozen=True, slots=True)
class FollowedJoint:
    """The joint that another one follows, also through others: position = factor * position of the master + offset."""

    master: TreeJoint
    factor: float
    offset: float


def followed_joint(joint: TreeJoint, find: Callable[[str], TreeJoint | None]) -> FollowedJoint | None:
    """Return what a joint follows, itself if it mimics none; None if that is missing, or the joint itself.

    Parameters
    ----------
    joint
        that may mimic another one
    find
        returns a joint by its name
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
    """Return the limits of a master within which a joint that follows it keeps its own ones.

    Parameters
    ----------
    limits
        of the master
    follower
        limits of the other joint
    factor, offset
        position of the follower = factor * position of the master + offset; the factor is not 0
    """
    ends = ((follower.lower - offset) / factor, (follower.upper - offset) / factor)
    return JointLimits(
        max(limits.lower, min(ends)),
        min(limits.upper, max(ends)),
        min(limits.velocity, follower.velocity / abs(factor)),
    )
