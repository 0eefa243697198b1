"""A serial chain of revolute and prismatic axes."""

import math
from typing import Final

Pose = list[float]  # the first three rows of a 4x4 matrix, concatenated

STILL: Final[Pose] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]


class Screw:
    """The z axis of a frame, about which the next frame turns or along which it slides.

    Parameters
    ----------
    frame : pose of the axis in the frame behind the previous screw
    is_revolute : whether the next frame turns, rather than slides
    """

    def __init__(self, frame: Pose, is_revolute: bool) -> None:
        self.frame = frame
        self.is_revolute = is_revolute


class ScrewRow:
    """Screws in a row, with fixed poses between them.

    Parameters
    ----------
    screws : screws in order
    tail : pose of the link in the frame behind the last screw
    """

    def __init__(self, screws: list[Screw], tail: Pose) -> None:
        self._screws = screws
        self._tail = tail

    def pose(self, values: list[float]) -> Pose:
        """Return the pose of the link.

        Parameters
        ----------
        values
            angle or travel of each screw [rad or m]
        """
        pose = STILL
        for index, screw in enumerate(self._screws):
            pose = _moved(screw, product(pose, screw.frame), values[index])
        return product(pose, self._tail)

    def pose_and_columns(self, values: list[float]) -> tuple[Pose, list[float]]:
        """Return the pose of the link, and its velocity at unit speed of each screw: six numbers per screw.

        They are the linear velocity of the link's origin and its angular velocity. With the axis a through the
        point p: (a x (end - p), a) for a screw that turns, (a, 0) for a screw that slides.

        Parameters
        ----------
        values
            angle or travel of each screw [rad or m]
        """
        pose, axes = STILL, list[Pose]()
        for index, screw in enumerate(self._screws):
            axis = product(pose, screw.frame)
            axes.append(axis)
            pose = _moved(screw, axis, values[index])
        end = product(pose, self._tail)
        columns: list[float] = []
        for index, screw in enumerate(self._screws):
            columns += _column(screw, axes[index], end)
        return end, columns


def product(first: Pose, second: Pose) -> Pose:
    """Return the composition of two poses; the second is given in the frame of the first."""
    found: Pose = []
    for row in (0, 4, 8):
        x, y, z = first[row], first[row + 1], first[row + 2]
        found.append(x * second[0] + y * second[4] + z * second[8])
        found.append(x * second[1] + y * second[5] + z * second[9])
        found.append(x * second[2] + y * second[6] + z * second[10])
        found.append(x * second[3] + y * second[7] + z * second[11] + first[row + 3])
    return found


def inverse(pose: Pose) -> Pose:
    """Return the inverse of a pose."""
    x, y, z = pose[3], pose[7], pose[11]
    found: Pose = []
    for column in range(3):
        a, b, c = pose[column], pose[4 + column], pose[8 + column]
        found += [a, b, c, -(a * x + b * y + c * z)]
    return found


def _moved(screw: Screw, axis: Pose, value: float) -> Pose:
    """Return the pose behind a screw, from the pose of its axis."""
    found: Pose = []
    if not screw.is_revolute:
        for row in (0, 4, 8):
            found += [axis[row], axis[row + 1], axis[row + 2], axis[row + 3] + value * axis[row + 2]]
        return found
    cosine, sine = math.cos(value), math.sin(value)
    for row in (0, 4, 8):
        x, y = axis[row], axis[row + 1]
        found += [cosine * x + sine * y, cosine * y - sine * x, axis[row + 2], axis[row + 3]]
    return found


def _column(screw: Screw, axis: Pose, end: Pose) -> list[float]:
    x, y, z = axis[2], axis[6], axis[10]
    if not screw.is_revolute:
        return [x, y, z, 0.0, 0.0, 0.0]
    dx, dy, dz = end[3] - axis[3], end[7] - axis[7], end[11] - axis[11]
    return [y * dz - z * dy, z * dx - x * dz, x * dy - y * dx, x, y, z]
