"""Differential drive: body twist to wheel speeds and wheel travel to body motion.

Equations: v = (v_right + v_left) / 2, omega = (v_right - v_left) / axle length (Siegwart, Nourbakhsh and Scaramuzza,
Introduction to Autonomous Mobile Robots, 2011, section 3.2).
"""

import math
from dataclasses import dataclass

from fleet.geometry import Pose2D, Twist2D, wrap_angle

_STILL_MPS = 0.01  # 30 motor units; a wheel's noise is up to 10
_STILL_RADPS = 0.2  # the same speed, of both wheels against each other


@dataclass(frozen=True, slots=True)
class WheelSpeeds:
    """Speed of each wheel over the ground, in m/s, forward positive."""

    left_mps: float
    right_mps: float


HALT = WheelSpeeds(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Drive:
    """A differential drive: distance between the wheels in metres, and the fastest that a wheel turns in m/s."""

    axle_length_m: float
    max_wheel_mps: float

    def wheel_speeds(self, twist: Twist2D) -> WheelSpeeds:
        """Return the wheel speeds of a body twist; where a wheel is too slow both slow down and the curvature stays."""
        difference_mps = 0.5 * twist.angular_radps * self.axle_length_m
        left_mps, right_mps = twist.linear_mps - difference_mps, twist.linear_mps + difference_mps
        fastest_mps = max(abs(left_mps), abs(right_mps))
        scale = min(1.0, self.max_wheel_mps / fastest_mps) if fastest_mps > 0.0 else 1.0
        return WheelSpeeds(left_mps * scale, right_mps * scale)

    def advance(self, pose: Pose2D, left_m: float, right_m: float) -> Pose2D:
        """Return where wheels that rolled `left_m` and `right_m` metres take a robot from `pose`, on an exact arc."""
        turned_rad = (right_m - left_m) / self.axle_length_m
        arc_m = 0.5 * (left_m + right_m)
        # chord of an arc: length * sin(half) / half, along the mean heading
        half = 0.5 * turned_rad
        chord_m = arc_m * (math.sin(half) / half if abs(half) > 1e-9 else 1.0)
        direction = pose.heading_rad + half
        return Pose2D(
            pose.x_m + chord_m * math.cos(direction),
            pose.y_m + chord_m * math.sin(direction),
            wrap_angle(pose.heading_rad + turned_rad),
        )


def is_still(twist: Twist2D) -> bool:
    """Whether a robot that moves like this counts as standing: it rolls less than another millimetre or two."""
    return abs(twist.linear_mps) < _STILL_MPS and abs(twist.angular_radps) < _STILL_RADPS
