"""A robot as its URDF describes it: links, joints, and the variables of the joints."""

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
    FLOATING = "floating"  # moves freely; it stands at its origin, as the coupler has no variables for it
    FIXED = "fixed"  # never moves


class CommandKind(Enum):
    """What a command variable does, by its name."""

    POSITION = "position"  # q_ref: velocities are integrated from the measured position
    VELOCITY = "velocity"  # qv_ref; vx_ref, vy_ref, v_ref and w_ref of planar joints
    TORQUE = "torque"  # a name that ends in _torques or _torque


@dataclass(frozen=True, slots=True)
class FieldStep:
    """One step from a message to a number in it.

    Parameters
    ----------
    message_type : of the message that has the field, such as "sensor_msgs.msg.JointState"
    field : its name
    index : in the field, if it is an array
    value_type : of the number at the end, as in the tag: float, int, bool or yaw
    line : of the tag
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
    joint, name : together unique
    init : its value until the first message
    topic : where it is read or written
    is_command : whether it is written
    path : from the message to the number
    timeout_s : older state is unknown
    limit : largest magnitude of a command; None means no limit of its own
    line : of the tag
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
        """TreeJoint and name."""
        return f"{self.joint}/{self.name}"

    @property
    def message_type(self) -> str:
        """Type of the topic's messages."""
        return self.path[0].message_type

    @property
    def kind(self) -> CommandKind | None:
        """What it does, if it is a command with a known name."""
        if not self.is_command:
            return None
        if self.name == "q_ref":
            return CommandKind.POSITION
        if self.name in ("qv_ref", "v_ref", "vx_ref", "vy_ref", "w_ref"):
            return CommandKind.VELOCITY
        return CommandKind.TORQUE if self.name.endswith(("_torques", "_torque")) else None


@dataclass(frozen=True, slots=True)
class JointLimits:
    """Limits of a joint; infinite ones are none.

    Parameters
    ----------
    lower, upper : of the position [rad or m]
    velocity : largest speed [rad/s or m/s]
    """

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint that follows another one: position = multiplier * position of the master + offset."""

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
    variables : of the `rbc` tag
    line : of the tag
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
    links : all names, in order
    joints : in order of the file
    warnings : about parts that are ignored, with lines
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
