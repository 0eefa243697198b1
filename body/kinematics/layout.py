"""Indexes the numbers of a body: its variables, the coordinates of its pose, and its motions."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from body.description.mimics import followed_joint, narrowed
from body.description.robot_tree import BodyVariable, CommandKind, Floats, JointKind, JointLimits, RobotTree, TreeJoint

_NEVER: Final = -1  # index of a variable that does not exist
_PLANAR: Final = ("x", "y", "yaw")


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One number of the body's pose.

    Parameters
    ----------
    joint : its joint
    name : q, or x, y and yaw of a planar joint
    variable : index of the state variable that measures it
    init : its value before the first message [rad or m]
    timeout_ns : age beyond which the state is unknown
    """

    joint: str
    name: str
    variable: int
    init: float
    timeout_ns: int


@dataclass(frozen=True, slots=True)
class BodyMotion:
    """One velocity of the body, which commands may set.

    Parameters
    ----------
    joint : its joint
    name : q; for a planar joint v (forward) and w (turn) of a drive, or vx, vy and w of an omnidirectional base
    coordinates : index of q, or indices of x, y and yaw
    limits : limits of position and speed
    position_command, velocity_command, torque_command : indices of the command variables, -1 for none
    """

    joint: str
    name: str
    coordinates: tuple[int, ...]
    limits: JointLimits
    position_command: int = _NEVER
    velocity_command: int = _NEVER
    torque_command: int = _NEVER

    @property
    def full_name(self) -> str:
        """Joint and name of the motion, as "joint/name"."""
        return f"{self.joint}/{self.name}"

    @property
    def commands(self) -> tuple[int, ...]:
        """Indices of all its command variables."""
        found = (self.position_command, self.velocity_command, self.torque_command)
        return tuple(index for index in found if index != _NEVER)

    @property
    def is_moved(self) -> bool:
        """Whether a command moves it."""
        return max(self.position_command, self.velocity_command) != _NEVER


@dataclass(frozen=True)
class BodyLayout:
    """The numbers of a robot's body, each with a fixed index.

    Parameters
    ----------
    robot : the robot's description
    """

    robot: RobotTree
    variables: tuple[BodyVariable, ...] = field(init=False)
    coordinates: tuple[Coordinate, ...] = field(init=False)
    motions: tuple[BodyMotion, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", self.robot.variables)
        object.__setattr__(self, "coordinates", tuple(self._coordinates()))
        object.__setattr__(self, "motions", tuple(self._motions()))

    def variable_index(self, full_name: str) -> int | None:
        """Return the index of the variable "joint/name"; None if there is no such variable."""
        return self._variable_indices.get(full_name)

    def motion_index(self, joint: str) -> int | None:
        """Return the index of the motion of a joint with one coordinate; None if there is none."""
        return self._single_motions.get(joint)

    def coordinate_indices(self, joint: str) -> tuple[int, ...]:
        """Return the indices of a joint's coordinates: q, or x, y and yaw; none if the joint is not measured."""
        return tuple(index for index, one in enumerate(self.coordinates) if one.joint == joint)

    @cached_property
    def init(self) -> Floats:
        """Initial coordinates, before the first message, shape (coordinates,)."""
        return np.array([one.init for one in self.coordinates], dtype=np.float64)

    @cached_property
    def coordinate_variables(self) -> NDArray[np.intp]:
        """Index of the state variable that measures each coordinate, shape (coordinates,)."""
        return np.array([one.variable for one in self.coordinates], dtype=np.intp)

    @cached_property
    def timeouts_ns(self) -> NDArray[np.int64]:
        """Age beyond which each coordinate is unknown, shape (coordinates,)."""
        return np.array([one.timeout_ns for one in self.coordinates], dtype=np.int64)

    @cached_property
    def motion_coordinates(self) -> NDArray[np.intp]:
        """Indices of the coordinates of each motion; a single coordinate is repeated, shape (motions, 3)."""
        indices = [(*one.coordinates, *one.coordinates[:1] * 2)[:3] for one in self.motions]
        return np.array(indices, dtype=np.intp).reshape(len(self.motions), 3)

    @cached_property
    def are_planar(self) -> NDArray[np.bool_]:
        """Mask of the motions of planar joints, shape (motions,)."""
        return np.array([one.name != "q" for one in self.motions], dtype=np.bool_)

    @cached_property
    def are_sliding(self) -> NDArray[np.bool_]:
        """Mask of the motions of prismatic joints, which are measured in metres, shape (motions,)."""
        sliding = {one.name for one in self.robot.joints if one.kind is JointKind.PRISMATIC}
        return np.array([one.joint in sliding for one in self.motions], dtype=np.bool_)

    @cached_property
    def lower(self) -> Floats:
        """Lower limits of the motions' positions, shape (motions,)."""
        return np.array([one.limits.lower for one in self.motions], dtype=np.float64)

    @cached_property
    def upper(self) -> Floats:
        """Upper limits of the motions' positions, shape (motions,)."""
        return np.array([one.limits.upper for one in self.motions], dtype=np.float64)

    @cached_property
    def fastest(self) -> Floats:
        """Largest speeds of the motions, shape (motions,)."""
        return np.array([one.limits.velocity for one in self.motions], dtype=np.float64)

    @cached_property
    def _variable_indices(self) -> dict[str, int]:
        return {one.full_name: index for index, one in enumerate(self.variables)}

    @cached_property
    def _single_motions(self) -> dict[str, int]:
        return {one.joint: index for index, one in enumerate(self.motions) if one.name == "q"}

    def _coordinates(self) -> list[Coordinate]:
        found = []
        for joint in self.robot.joints:
            names = _PLANAR if joint.kind is JointKind.PLANAR else ("q",)
            states = [joint.state(name) for name in names]
            if joint.mimic is None and all(state is not None for state in states):
                found += [self._coordinate(state) for state in states if state is not None]
        return found

    def _coordinate(self, state: BodyVariable) -> Coordinate:
        index = self._variable_indices[state.full_name]
        return Coordinate(state.joint, state.name, index, state.init, round(state.timeout_s * 1e9))

    def _motions(self) -> list[BodyMotion]:
        return [motion for joint in self.robot.joints for motion in self._motions_of(joint)]

    def _motions_of(self, joint: TreeJoint) -> list[BodyMotion]:
        coordinates = self.coordinate_indices(joint.name)
        if not coordinates:
            return []
        if joint.kind is not JointKind.PLANAR:
            limits = narrowed_by_mimics(self.robot, joint)
            command = joint.command("qv_ref")
            if command is not None and command.limit is not None:
                limits = replace(limits, velocity=min(limits.velocity, command.limit))
            return [BodyMotion(joint.name, "q", coordinates, limits, **self._command_indices(joint))]
        names = [name for name in ("v", "vx", "vy", "w") if joint.command(f"{name}_ref") is not None]
        return [self._planar_motion(joint, name, coordinates) for name in names]

    def _planar_motion(self, joint: TreeJoint, name: str, coordinates: tuple[int, ...]) -> BodyMotion:
        command = joint.command(f"{name}_ref")
        assert command is not None
        limits = JointLimits(velocity=command.limit or math.inf)
        index = self._variable_indices[command.full_name]
        return BodyMotion(joint.name, name, coordinates, limits, velocity_command=index)

    def _command_indices(self, joint: TreeJoint) -> dict[str, int]:
        keys = {
            CommandKind.POSITION: "position_command",
            CommandKind.VELOCITY: "velocity_command",
            CommandKind.TORQUE: "torque_command",
        }
        return {
            keys[one.kind]: self._variable_indices[one.full_name] for one in joint.variables if one.kind is not None
        }


def narrowed_by_mimics(robot: RobotTree, master: TreeJoint) -> JointLimits:
    """Return the limits of a joint, narrowed so that all its mimics respect theirs.

    Parameters
    ----------
    robot
        robot with the joints
    master
        joint that is not a mimic
    """
    limits = master.limits
    for joint in robot.joints:
        factor, offset = master_share(robot, joint, master.name)
        if joint is not master and factor != 0:
            limits = narrowed(limits, joint.limits, factor, offset)
    return replace(limits, lower=limits.upper) if limits.lower > limits.upper else limits  # by rounding only


def master_share(robot: RobotTree, joint: TreeJoint, master: str) -> tuple[float, float]:
    """Return factor and offset of a joint that mimics a master, directly or through others; 0, 0 if it does not.

    Parameters
    ----------
    robot
        robot with the joints
    joint
        joint that may be a mimic
    master
        name of the master
    """
    found = followed_joint(joint, robot.joint)
    return (found.factor, found.offset) if found is not None and found.master.name == master else (0.0, 0.0)
