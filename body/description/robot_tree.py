"""A robot as described by its URDF: links, joints, and the joints' variables."""

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class JointKind(Enum):
    """Kinds of joint, by their names in URDF."""

    REVOLUTE = "revolute"  # turns, with limits
    CONTINUOUS = "continuous"  # turns, without limits of position
    PRISMATIC = "prismatic"  # slides
    PLANAR = "planar"  # moves in the plane x, y and turns about z
    FLOATING = "floating"  # moves freely; treated as fixed at its origin, as the coupler has no variables for it
    FIXED = "fixed"  # never moves


class CommandKind(Enum):
    """The effect of a command variable, given by its name."""

    POSITION = "position"  # q_ref: velocities are integrated from the measured position
    VELOCITY = "velocity"  # qv_ref; vx_ref, vy_ref, v_ref and w_ref of planar joints
    TORQUE = "torque"  # a name that ends in _torques or _torque


@dataclass(frozen=True, slots=True)
class FieldStep:
    """One step from a message to a number in it.

    Parameters
    ----------
    message_type : type of the message that has the field, such as "sensor_msgs.msg.JointState"
    field : name of the field
    index : index in the field, if it is an array
    value_type : type of the number at the end, as in the tag: float, int, bool or yaw
    line : line of the tag
    """

    message_type: str
    field: str
    index: int | None
    value_type: str
    line: int


@dataclass(frozen=True, slots=True)
class BodyVariable:
    """One variable of a joint.

    Parameters
    ----------
    joint, name : joint and name, unique as a pair
    init : value until the first message
    topic : topic that carries it
    is_command : whether it is written, rather than read
    path : steps from the message to the number
    timeout_s : age beyond which a state is unknown
    limit : largest magnitude of a command; None means no limit of its own
    line : line of the tag
    """

    joint: str
    name: str
    init: float
    topic: str
    is_command: bool
    path: tuple[FieldStep, ...]
    timeout_s: float
    limit: float | None
    line: int

    @property
    def full_name(self) -> str:
        """Joint and name, as "joint/name"."""
        return f"{self.joint}/{self.name}"

    @property
    def message_type(self) -> str:
        """Message type of the topic."""
        return self.path[0].message_type

    @property
    def kind(self) -> CommandKind | None:
        """Kind of command; None for states and for commands with an unknown name."""
        if not self.is_command:
            return None
        if self.name == "q_ref":
            return CommandKind.POSITION
        if self.name in ("qv_ref", "v_ref", "vx_ref", "vy_ref", "w_ref"):
            return CommandKind.VELOCITY
        return CommandKind.TORQUE if self.name.endswith(("_torques", "_torque")) else None


@dataclass(frozen=True, slots=True)
class JointLimits:
    """Limits of a joint; an infinite limit means none.

    Parameters
    ----------
    lower, upper : limits of the position [rad or m]
    velocity : largest speed [rad/s or m/s]
    """

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf


@dataclass(frozen=True, slots=True)
class Mimic:
    """The `mimic` tag of a joint: position = multiplier * position of the named joint + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, slots=True)
class TreeJoint:
    """One joint.

    Parameters
    ----------
    origin : pose of the child at position 0 in the frame of the parent link, shape (4, 4)
    axis : of motion in the joint's frame, a unit vector, shape (3,)
    node : name of the driver's node, "" without an `rbc` tag
    variables : variables of the `rbc` tag
    line : line of the joint's tag
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    origin: Floats
    axis: Floats
    limits: JointLimits
    mimic: Mimic | None
    node: str
    variables: tuple[BodyVariable, ...]
    line: int

    def state(self, name: str) -> BodyVariable | None:
        """Return a state variable by its name."""
        return next((one for one in self.variables if one.name == name and not one.is_command), None)

    def command(self, name: str) -> BodyVariable | None:
        """Return a command variable by its name."""
        return next((one for one in self.variables if one.name == name and one.is_command), None)


@dataclass(frozen=True, slots=True)
class RobotTree:
    """A tree of links and joints.

    Parameters
    ----------
    root : the link that is not a child
    links : names of all links, in order of the file
    joints : all joints, in order of the file
    warnings : warnings about ignored parts, with lines
    """

    name: str
    root: str
    links: tuple[str, ...]
    joints: tuple[TreeJoint, ...]
    warnings: tuple[str, ...]

    @property
    def variables(self) -> tuple[BodyVariable, ...]:
        """All variables, in order of the file."""
        return tuple(one for joint in self.joints for one in joint.variables)

    def joint(self, name: str) -> TreeJoint:
        """Return a joint by its name."""
        return next(joint for joint in self.joints if joint.name == name)
