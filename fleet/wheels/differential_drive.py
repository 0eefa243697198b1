"""Differential drive: body twist to wheel speeds and wheel travel to body motion.

Equations: v = (v_right + v_left) / 2, omega = (v_right - v_left) / axle length (Siegwart, Nourbakhsh and Scaramuzza,
Introduction to Autonomous Mobile Robots, 2011, section 3.2).
"""

from dataclasses import dataclass
from typing import Final

from fleet.geometry import Pose2D, Twist2D

SLIPPING: Final = 0.5  # of its reported travel a wheel that slips rolls, at least
_STILL_MPS: Final = 0.01  # 30 motor units; a wheel's noise is up to 10
_STILL_RADPS: Final = 0.2  # the same speed, of both wheels against each other


@dataclass(init=False, unsafe_hash=True, slots=True)
class WheelSpeeds:
    """Speed of each wheel over the ground, in m/s, forward positive."""

    left_mps: Final[float]
    right_mps: Final[float]

    def __init__(self, left_mps: float, right_mps: float) -> None:
        self.left_mps = left_mps
        self.right_mps = right_mps


HALT: Final = WheelSpeeds(0.0, 0.0)


@dataclass(init=False, unsafe_hash=True, slots=True)
class DifferentialDrive:
    """A differential drive: distance between the wheels in metres, and the highest wheel speed in m/s."""

    axle_length_m: Final[float]
    max_wheel_mps: Final[float]

    def __init__(self, axle_length_m: float, max_wheel_mps: float) -> None:
        self.axle_length_m = axle_length_m
        self.max_wheel_mps = max_wheel_mps

    def wheel_speeds(self, twist: Twist2D) -> WheelSpeeds:
        """Return the wheel speeds of a body twist; if one is too high, both are reduced to keep the curvature."""
        difference_mps = 0.5 * twist.angular_radps * self.axle_length_m
        left_mps, right_mps = twist.linear_mps - difference_mps, twist.linear_mps + difference_mps
        fastest_mps = max(abs(left_mps), abs(right_mps))
        scale = min(1.0, self.max_wheel_mps / fastest_mps) if fastest_mps > 0.0 else 1.0
        return WheelSpeeds(left_mps * scale, right_mps * scale)

    def twist(self, speeds: WheelSpeeds) -> Twist2D:
        """Return the body twist for given wheel speeds."""
        return Twist2D(
            0.5 * (speeds.left_mps + speeds.right_mps), (speeds.right_mps - speeds.left_mps) / self.axle_length_m
        )

    def advance(self, pose: Pose2D, left_m: float, right_m: float) -> Pose2D:
        """Return the pose after the wheels roll `left_m` and `right_m` metres from `pose`, on an exact arc."""
        return pose.along_arc(0.5 * (left_m + right_m), (right_m - left_m) / self.axle_length_m)


def is_still(twist: Twist2D) -> bool:
    """Whether a robot with this twist counts as stationary: it rolls only another millimetre or two."""
    return abs(twist.linear_mps) < _STILL_MPS and abs(twist.angular_radps) < _STILL_RADPS
