"""A row of turning and sliding axes, one after the other, as joints have them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from body.description.robot_tree import Floats, JointKind, TreeJoint

_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True, slots=True)
class _Screw:
    """One axis, turning or sliding, behind a fixed origin."""

    origin: Floats
    axis: Floats
    is_revolute: bool


class Screws:
    """Axes in a row with fixed poses between them; screw k has the pose P + sin(c) Q + cos(c) R + c L.

    For a turning axis a (Rodrigues): P = F [a a'], Q = F [a]x, R = F [1 - a a']; for a sliding one: P = F, L = F [a].

    Parameters
    ----------
    screws : in order, each in the frame of the one before
    tail : pose of the link behind the last one, shape (4, 4)
    """

    def __init__(self, screws: list[_Screw], tail: Floats) -> None:
        count = len(screws)
        self.are_revolute: NDArray[np.bool_] = np.array([one.is_revolute for one in screws], dtype=np.bool_)
        self._axes = np.array([one.axis for one in screws]).reshape(count, 3)
        self._fixed, self._sine, self._cosine, self._linear = np.zeros((4, count, 4, 4))
        self._tail = tail
        for index, one in enumerate(screws):
            self._fixed[index], self._sine[index], self._cosine[index], self._linear[index] = _parts(one)

    def frames(self, values: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the pose of the link, shape (4, 4), and axes and points of the screws, each of shape (screws, 3).

        Parameters
        ----------
        values
            angle or way of each screw, shape (screws,) [rad or m]
        """
        count = len(values)
        if not count:
            return self._tail, np.zeros((0, 3)), np.zeros((0, 3))
        column = values[:, None, None]
        steps = self._fixed + np.sin(column) * self._sine + np.cos(column) * self._cosine + column * self._linear
        poses = np.empty((count, 4, 4))
        pose = poses[0] = steps[0]
        for index in range(1, count):
            pose = poses[index] = pose @ steps[index]
        axes = (poses[:, :3, :3] @ self._axes[:, :, None])[:, :, 0]
        return pose @ self._tail, axes, poses[:, :3, 3]


def screws_of(joints: Iterable[TreeJoint]) -> Screws:
    """Return the screws of joints that follow each other; a planar joint has three, a fixed one none."""
    screws: list[_Screw] = []
    origin = np.eye(4)
    for joint in joints:
        origin = origin @ joint.origin
        for axis, is_revolute in _axes(joint):
            screws.append(_Screw(origin, axis, is_revolute))
            origin = np.eye(4)
    return Screws(screws, origin)


def _axes(joint: TreeJoint) -> list[tuple[Floats, bool]]:
    if joint.kind is JointKind.PLANAR:
        return [(_X, False), (_Y, False), (_Z, True)]
    if joint.kind in (JointKind.FIXED, JointKind.FLOATING):
        return []
    return [(joint.axis, joint.kind is not JointKind.PRISMATIC)]


def _parts(screw: _Screw) -> tuple[Floats, Floats, Floats, Floats]:
    """Return P, Q, R and L of a screw, each of shape (4, 4)."""
    axis, (x, y, z) = screw.axis, screw.axis
    constant, sine, cosine, linear = np.zeros((4, 4, 4))
    if screw.is_revolute:
        constant[:3, :3] = np.outer(axis, axis)
        constant[3, 3] = 1.0
        sine[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
        cosine[:3, :3] = np.eye(3) - np.outer(axis, axis)
    else:
        constant = np.eye(4)
        linear[:3, 3] = axis
    return screw.origin @ constant, screw.origin @ sine, screw.origin @ cosine, screw.origin @ linear
