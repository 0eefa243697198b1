"""Pose and Jacobian of one link in the frame of another, through all joints between them."""

import numpy as np
from numpy.typing import NDArray

from body.description.robot_tree import Floats, JointKind, RobotTree, TreeJoint
from body.errors import ReacherError
from body.kinematics.layout import BodyLayout, master_share
from body.kinematics.screws import Screws, screws_of


class KinematicChain:
    """The joints between two links, through their nearest common ancestor.

    Parameters
    ----------
    layout : of the body
    base_link, end_link : the links

    Raises
    ------
    ReacherError
        There is no such link.
    """

    def __init__(self, layout: BodyLayout, base_link: str, end_link: str) -> None:
        robot = layout.robot
        for name in (base_link, end_link):
            if name not in robot.links:
                raise ReacherError(f"there is no link {name!r}; the robot has {', '.join(robot.links)}")
        to_base, to_end = _way(robot, base_link), _way(robot, end_link)
        while to_base and to_end and to_base[0] is to_end[0]:
            del to_base[0], to_end[0]
        self.joints = tuple(joint.name for joint in (*to_base, *to_end) if joint.kind is not JointKind.FIXED)
        self._base = _Branch(layout, to_base)
        self._end = _Branch(layout, to_end)
        involved = self._base.masters | self._end.masters
        self.motions = tuple(index for index, one in enumerate(layout.motions) if one.joint in involved)
        self.coordinates = tuple(index for index, one in enumerate(layout.coordinates) if one.joint in involved)
        self._shares = _MotionShares(layout, self.motions, (self._base, self._end))

    def pose(self, coordinates: Floats) -> Floats:
        """Return the pose of the end link in the frame of the base link, shape (4, 4).

        Parameters
        ----------
        coordinates
            of the body, shape (coordinates,) [rad or m]
        """
        base, end = self._base.frames(coordinates)[0], self._end.frames(coordinates)[0]
        return inverse(base) @ end

    def pose_and_jacobian(self, coordinates: Floats) -> tuple[Floats, Floats]:
        """Return the pose, and how the motions move the end link.

        The Jacobian has the shape (6, motions): rows are the linear velocity of the end link's origin and its angular
        velocity, both in the frame of the base link, seen from it; columns are `self.motions`. Column of a revolute
        joint with the axis a through p: (a x (end - p), a); of a prismatic one: (a, 0); negative for joints between
        the ancestor and the base (Siciliano et al., Robotics, 2009, section 3.1).

        Parameters
        ----------
        coordinates
            of the body, shape (coordinates,) [rad or m]
        """
        base, base_axes, base_points = self._base.frames(coordinates)
        end, end_axes, end_points = self._end.frames(coordinates)
        origin = end[:3, 3]
        columns = np.concatenate(
            [
                -_columns(self._base.screws.are_revolute, base_axes, base_points, origin),
                _columns(self._end.screws.are_revolute, end_axes, end_points, origin),
            ]
        )  # shape (screws, 6), in the frame of the ancestor
        jacobian = np.empty((6, len(self.motions)))
        moved = columns.T @ self._shares.matrix(coordinates)
        turned = base[:3, :3].T
        jacobian[:3] = turned @ moved[:3]
        jacobian[3:] = turned @ moved[3:]
        return inverse(base) @ end, jacobian


class _Branch:
    """The joints from the common ancestor down to a link."""

    def __init__(self, layout: BodyLayout, joints: list[TreeJoint]) -> None:
        self.masters = {_master(layout.robot, joint) for joint in joints if joint.kind is not JointKind.FIXED}
        self.screws: Screws = screws_of(joints)
        self.of_joint = [joint for joint in joints for _ in range(_screw_count(joint))]
        count = len(self.of_joint)
        self._factors = np.zeros((count, len(layout.coordinates)))
        self._offsets = np.zeros(count)
        self._set_shares(layout)

    def _set_shares(self, layout: BodyLayout) -> None:
        row = 0
        while row < len(self.of_joint):
            joint = self.of_joint[row]
            master = _master(layout.robot, joint)
            indices = layout.coordinate_indices(master)
            factor, offset = master_share(layout.robot, joint, master)
            for step in range(_screw_count(joint)):
                self._offsets[row + step] = offset
                if indices:
                    self._factors[row + step, indices[step]] = factor
            row += _screw_count(joint)

    def frames(self, coordinates: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the pose of the link, and axes and points of the screws, all in the frame of the ancestor."""
        return self.screws.frames(self._factors @ coordinates + self._offsets)


class _MotionShares:
    """How much each screw moves with each motion of a chain."""

    def __init__(self, layout: BodyLayout, motions: tuple[int, ...], branches: tuple[_Branch, _Branch]) -> None:
        joints = [joint for branch in branches for joint in branch.of_joint]
        self._matrix = np.zeros((len(joints), len(motions)))
        self._drives: list[tuple[int, int, int, str]] = []  # row of x, column, coordinate of the yaw, motion's name
        for column, index in enumerate(motions):
            motion = layout.motions[index]
            for row, joint in enumerate(joints):
                if motion.name == "q":
                    self._matrix[row, column] = master_share(layout.robot, joint, motion.joint)[0]
                elif joint.name == motion.joint and (row == 0 or joints[row - 1] is not joint):
                    self._add_planar(row, column, motion.name, motion.coordinates)

    def _add_planar(self, row: int, column: int, name: str, coordinates: tuple[int, ...]) -> None:
        if name == "w":
            self._matrix[row + 2, column] = 1.0
        else:
            self._drives.append((row, column, coordinates[2], name))

    def matrix(self, coordinates: Floats) -> Floats:
        """Return the shares at a pose of the body, shape (screws, motions)."""
        for row, column, yaw, name in self._drives:
            cosine, sine = np.cos(coordinates[yaw]), np.sin(coordinates[yaw])
            self._matrix[row : row + 2, column] = (-sine, cosine) if name == "vy" else (cosine, sine)
        return self._matrix


def _columns(are_revolute: NDArray[np.bool_], axes: Floats, points: Floats, origin: Floats) -> Floats:
    """Return the velocity of a point for a unit speed of each screw, shape (screws, 6)."""
    columns = np.zeros((len(axes), 6))
    arms = origin - points
    turned = columns[:, :3]
    turned[:, 0] = axes[:, 1] * arms[:, 2] - axes[:, 2] * arms[:, 1]
    turned[:, 1] = axes[:, 2] * arms[:, 0] - axes[:, 0] * arms[:, 2]
    turned[:, 2] = axes[:, 0] * arms[:, 1] - axes[:, 1] * arms[:, 0]
    columns[:, 3:] = axes
    columns[~are_revolute, :3] = axes[~are_revolute]
    columns[~are_revolute, 3:] = 0.0
    return columns


def inverse(pose: Floats) -> Floats:
    """Return the inverse of a pose, shape (4, 4)."""
    result = np.eye(4)
    turned = pose[:3, :3].T
    result[:3, :3] = turned
    result[:3, 3] = -(turned @ pose[:3, 3])
    return result


def _way(robot: RobotTree, link: str) -> list[TreeJoint]:
    """Return the joints from the root to a link."""
    by_child = {joint.child: joint for joint in robot.joints}
    way: list[TreeJoint] = []
    while link in by_child:
        way.append(by_child[link])
        link = by_child[link].parent
    return way[::-1]


def _master(robot: RobotTree, joint: TreeJoint) -> str:
    while joint.mimic is not None:
        joint = robot.joint(joint.mimic.joint)
    return joint.name


def _screw_count(joint: TreeJoint) -> int:
    if joint.kind in (JointKind.FIXED, JointKind.FLOATING):
        return 0
    return 3 if joint.kind is JointKind.PLANAR else 1
