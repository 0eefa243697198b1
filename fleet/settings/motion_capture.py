"""Transforms poses from a motion-capture system's frame, in any convention, to the fleet's frame: pure geometry.

Systems differ in their up axis (REP 103 has z, OptiTrack by default y), in their unit of length and in the place of
their origin. The axes of a rigid body are assumed to be parallel to those of the system when the body heads along the
floor's x: that is how systems define bodies. What remains, a body defined at another heading, or a marker that is not
above the middle of the axle, is described by the marker's pose on the robot.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from fleet.geometry import Pose2D

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]  # x, y, z, w; of unit length


class Axis(Enum):
    """A direction in the frame of a motion-capture system; the value is its name in the configuration."""

    X = "x"
    Y = "y"
    Z = "z"
    MINUS_X = "-x"
    MINUS_Y = "-y"
    MINUS_Z = "-z"

    @property
    def vector(self) -> Vector:
        """The unit vector."""
        return _VECTORS[self]

    def is_along(self, other: "Axis") -> bool:
        """Whether both are parallel."""
        return self.value[-1] == other.value[-1]


_VECTORS = {
    Axis.X: (1.0, 0.0, 0.0),
    Axis.Y: (0.0, 1.0, 0.0),
    Axis.Z: (0.0, 0.0, 1.0),
    Axis.MINUS_X: (-1.0, 0.0, 0.0),
    Axis.MINUS_Y: (0.0, -1.0, 0.0),
    Axis.MINUS_Z: (0.0, 0.0, -1.0),
}


@dataclass(init=False, unsafe_hash=True)
class FloorAxes:
    """The axes of a frame that are up and the floor's x and y; x, y and up need not be right-handed."""

    up: Final[Axis]
    x: Final[Axis]
    y: Final[Axis]

    def __init__(self, up: Axis, x: Axis, y: Axis) -> None:
        self.up = up
        self.x = x
        self.y = y
        self._up = up.vector
        self._x = x.vector
        self._y = y.vector

    def on_floor(self, vector: Vector) -> tuple[float, float]:
        """Return a vector's components along the floor's x and y."""
        return _dot(vector, self._x), _dot(vector, self._y)

    def heading_rad(self, quaternion: Quaternion) -> float:
        """Return the heading of a body with this orientation, in [-pi, pi]; unrotated, it heads along x."""
        ahead, left = self.on_floor(rotated(quaternion, self._x))
        return math.atan2(left, ahead)

    def tilt_rad(self, quaternion: Quaternion) -> float:
        """Return the tilt of a body with this orientation, from 0 (upright) to pi (upside down)."""
        return math.acos(max(-1.0, min(1.0, _dot(rotated(quaternion, self._up), self._up))))


Z_UP = FloorAxes(Axis.Z, Axis.X, Axis.Y)  # REP 103


@dataclass(frozen=True, slots=True)
class MotionCaptureConfig:
    """The frame and unit in which a motion-capture system reports poses.

    Parameters
    ----------
    frame : the frame_id of its messages
    axes : the axes of its frame
    unit_m : its unit of length
    origin : pose of its origin, and of its floor's x axis, in the fleet's frame
    """

    frame: str
    axes: FloorAxes
    unit_m: float
    origin: Pose2D

    def robot_pose(self, position: Vector, heading_rad: float, marker: Pose2D) -> Pose2D:
        """Return the pose of the middle of a robot's axle, in the fleet's frame.

        Parameters
        ----------
        position
            the marker's position, as the system reports it
        heading_rad
            the marker's heading on the floor
        marker
            the marker's pose in the robot's frame
        """
        x, y = self.axes.on_floor(position)
        measured = Pose2D(self.unit_m * x, self.unit_m * y, heading_rad)
        return self.origin.compose(measured).compose(marker.inverse())


def build_motion_capture_config(values: Mapping[str, Any], frame: str) -> MotionCaptureConfig:
    """Return the section `motion_capture` of a file that conforms to the schema; `frame` is the fleet's frame."""
    origin = values["origin"]
    return MotionCaptureConfig(
        frame=values["frame"] or frame,
        axes=_axes(values),
        unit_m=values["unit_m"],
        origin=Pose2D(origin["x_m"], origin["y_m"], origin["heading_rad"]),
    )


def axis_problems(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (key, problem) if the axes of such a section do not span a floor."""
    axes = _axes(values)
    if axes.x.is_along(axes.up):
        yield "x_axis", f"{axes.x.value!r} is not an axis of the floor where {axes.up.value!r} is up"
    elif axes.y.is_along(axes.up) or axes.y.is_along(axes.x):
        yield "y_axis", f"{axes.y.value!r} is not perpendicular to up, {axes.up.value!r}, and x_axis, {axes.x.value!r}"


def rotated(quaternion: Quaternion, vector: Vector) -> Vector:
    """Return a vector turned by a rotation: v + 2 w (q x v) + 2 q x (q x v), with q the quaternion's vector part."""
    x, y, z, w = quaternion
    once = _cross((x, y, z), vector)
    twice = _cross((x, y, z), once)
    return (
        vector[0] + 2.0 * (w * once[0] + twice[0]),
        vector[1] + 2.0 * (w * once[1] + twice[1]),
        vector[2] + 2.0 * (w * once[2] + twice[2]),
    )


def _axes(values: Mapping[str, Any]) -> FloorAxes:
    """Return the axes of a section; the defaults are those of most systems, and right-handed."""
    up = Axis(values["up"])
    x = Axis(values["x_axis"]) if "x_axis" in values else Axis.Y if up.is_along(Axis.X) else Axis.X
    return FloorAxes(up, x, Axis(values["y_axis"]) if "y_axis" in values else _square(up, x))


def _square(up: Axis, x: Axis) -> Axis:
    """Return the axis that makes x, y, up right-handed; any axis if none does."""
    product = _cross(up.vector, x.vector)
    return next((axis for axis in Axis if axis.vector == product), Axis.Z)


def _dot(first: Vector, second: Vector) -> float:
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


def _cross(first: Vector, second: Vector) -> Vector:
    return (
        first[1] * second[2] - first[2] * second[1],
        first[2] * second[0] - first[0] * second[2],
        first[0] * second[1] - first[1] * second[0],
    )
