"""Pose and Jacobian of one link in the frame of another."""

from dataclasses import dataclass
from typing import assert_never

import numpy as np

from body.description.robot_tree import Floats, JointKind, RobotTree, TreeJoint
from body.errors import ReacherError
from body.kinematics.layout import BodyLayout, master_share
from body.kinematics.screws import STILL, Pose, Screw, ScrewRow, inverse, product

_LAST_ROW = (0.0, 0.0, 0.0, 1.0)


def check_links(robot: RobotTree, *links: str) -> None:
    """Check that a robot has links of these names.

    Raises
    ------
    ReacherError
        The robot has no such link.
    """
    for name in links:
        if name not in robot.links:
            raise ReacherError(f"there is no link {name!r}; the robot has {', '.join(robot.links)}")


class KinematicChain:
    """The joints between two links, through their nearest common ancestor.

    Parameters
    ----------
    layout : the body's layout
    base_link, end_link : first and last link

    Raises
    ------
    ReacherError
        There is no such link.
    """

    def __init__(self, layout: BodyLayout, base_link: str, end_link: str) -> None:
        robot = layout.robot
        check_links(robot, base_link, end_link)
        to_base, to_end = _way(robot, base_link), _way(robot, end_link)
        while to_base and to_end and to_base[0] is to_end[0]:
            del to_base[0], to_end[0]
        moving = [joint for joint in (*to_base, *to_end) if joint.kind is not JointKind.FIXED]
        self.joints = tuple(joint.name for joint in moving)
        involved = {_master(robot, joint) for joint in moving}
        self.motions = tuple(index for index, one in enumerate(layout.motions) if one.joint in involved)
        self.coordinates = tuple(index for index, one in enumerate(layout.coordinates) if one.joint in involved)
        freedoms, self._row = _screws(to_base, to_end)
        self._factors, self._offsets = _values(layout, freedoms)
        self._shares = _MotionShares(layout, self.motions, freedoms)

    def pose(self, coordinates: Floats) -> Floats:
        """Return the pose of the end link in the frame of the base link, shape (4, 4).

        Parameters
        ----------
        coordinates
            the body's coordinates, shape (coordinates,) [rad or m]
        """
        return _matrix(self._row.pose((self._factors @ coordinates + self._offsets).tolist()))

    def pose_and_jacobian(self, coordinates: Floats) -> tuple[Floats, Floats]:
        """Return the pose of the end link, and its Jacobian.

        The Jacobian has the shape (6, motions): rows are the linear velocity of the end link's origin and its angular
        velocity, both in the frame of the base link, seen from it; columns are `self.motions` (Siciliano et al.,
        Robotics, 2009, section 3.1).

        Parameters
        ----------
        coordinates
            the body's coordinates, shape (coordinates,) [rad or m]
        """
        pose, columns = self._row.pose_and_columns((self._factors @ coordinates + self._offsets).tolist())
        return _matrix(pose), np.array(columns).reshape(-1, 6).T @ self._shares.matrix(coordinates)


@dataclass(frozen=True, slots=True)
class _Freedom:
    """The freedom of a joint that a screw represents.

    Parameters
    ----------
    joint : the moving joint
    part : 0 for x, 1 for y and 2 for yaw of a planar joint; otherwise 0
    sign : -1 between base and ancestor, where the chain runs against the joints' direction
    """

    joint: TreeJoint
    part: int
    sign: float


class _MotionShares:
    """The speed of each screw per unit speed of each motion of a chain."""

    def __init__(self, layout: BodyLayout, motions: tuple[int, ...], freedoms: list[_Freedom]) -> None:
        self._matrix = np.zeros((len(freedoms), len(motions)))
        # row, column, coordinate of the yaw, sign, and whether the row is that of the sine
        self._drives: list[tuple[int, int, int, float, bool]] = []
        for column, index in enumerate(motions):
            motion = layout.motions[index]
            for row, one in enumerate(freedoms):
                if motion.name == "q":
                    self._matrix[row, column] = one.sign * master_share(layout.robot, one.joint, motion.joint)[0]
                elif one.joint.name == motion.joint:
                    self._add_planar(row, column, one, motion.name, motion.coordinates[2])

    def _add_planar(self, row: int, column: int, one: _Freedom, name: str, yaw: int) -> None:
        if name == "w":
            self._matrix[row, column] = one.sign if one.part == 2 else 0.0
        elif one.part != 2:
            is_sine = (one.part == 1) != (name == "vy")
            sign = -one.sign if name == "vy" and one.part == 0 else one.sign
            self._drives.append((row, column, yaw, sign, is_sine))

    def matrix(self, coordinates: Floats) -> Floats:
        """Return these shares at a pose of the body, shape (screws, motions)."""
        for row, column, yaw, sign, is_sine in self._drives:
            heading = coordinates[yaw]
            self._matrix[row, column] = sign * (np.sin(heading) if is_sine else np.cos(heading))
        return self._matrix


def _screws(to_base: list[TreeJoint], to_end: list[TreeJoint]) -> tuple[list[_Freedom], ScrewRow]:
    """Return the screws from the base up to the ancestor and down to the end, and the freedom of each."""
    freedoms: list[_Freedom] = []
    screws: list[Screw] = []
    frame = STILL  # pose of the next joint behind the last screw

    def add(freedom: _Freedom, axis: Floats, is_revolute: bool) -> None:
        nonlocal frame
        about_z = _along(axis)
        screws.append(Screw(product(frame, about_z), is_revolute))
        freedoms.append(freedom)
        frame = inverse(about_z)

    for joint in reversed(to_base):
        for part, (axis, is_revolute) in reversed(list(enumerate(_axes(joint)))):
            add(_Freedom(joint, part, -1.0), axis, is_revolute)
        frame = product(frame, inverse(_rows(joint.origin)))
    for joint in to_end:
        frame = product(frame, _rows(joint.origin))
        for part, (axis, is_revolute) in enumerate(_axes(joint)):
            add(_Freedom(joint, part, 1.0), axis, is_revolute)
    return freedoms, ScrewRow(screws, frame)


def _values(layout: BodyLayout, freedoms: list[_Freedom]) -> tuple[Floats, Floats]:
    """Return the factors and offsets of the screws' values: factors @ coordinates + offsets."""
    factors, offsets = np.zeros((len(freedoms), len(layout.coordinates))), np.zeros(len(freedoms))
    for row, one in enumerate(freedoms):
        master = _master(layout.robot, one.joint)
        factor, offset = master_share(layout.robot, one.joint, master)
        offsets[row] = one.sign * offset
        indices = layout.coordinate_indices(master)
        if indices:
            factors[row, indices[one.part]] = one.sign * factor
    return factors, offsets


def _axes(joint: TreeJoint) -> list[tuple[Floats, bool]]:
    """Return the axes of a joint, and whether it turns about each; a planar joint has three, a fixed joint none."""
    match joint.kind:
        case JointKind.PLANAR:
            x, y, z = np.eye(3)
            return [(x, False), (y, False), (z, True)]
        case JointKind.FIXED | JointKind.FLOATING:
            return []
        case JointKind.PRISMATIC:
            return [(joint.axis, False)]
        case JointKind.REVOLUTE | JointKind.CONTINUOUS:
            return [(joint.axis, True)]
        case _:
            assert_never(joint.kind)


def _along(axis: Floats) -> Pose:
    """Return a frame at the origin with the given z axis."""
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x = across / np.linalg.norm(across)
    frame = np.eye(4)
    frame[:3, :3] = np.column_stack([x, np.cross(axis, x), axis])
    return _rows(frame)


def _rows(pose: Floats) -> Pose:
    found: Pose = pose[:3].ravel().tolist()
    return found


def _matrix(pose: Pose) -> Floats:
    return np.array([*pose, *_LAST_ROW]).reshape(4, 4)


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
