"""Path following: Micaelli and Samson, Trajectory tracking for unicycle-type mobile robots, INRIA RR-2097, 1993.

The robot is held to the closest place on the path, not to a reference in time. With d the signed offset from there (to
the left positive), e the heading's difference from the path's direction, and kappa the path's curvature, the offset
obeys d' = v sin e, e' = omega - v kappa cos e / (1 - kappa d), and

    omega = v kappa cos e / (1 - kappa d) - a^2 v d sin e / e - 2 zeta a |v| e.

The speed is the planned speed of the leg, or less near the end of the leg: v = sqrt(2 b (remaining - 1 mm)). At the end
the robot turns on the spot by the planned angle, as fast as it can stop again. Because it brakes on the distance that
really remains, late and lagging wheels do not make it overshoot. Without a reference in time the robot is never late,
so the pose from wheel odometry is good enough.

Stability: with V = a^2 d^2 / 2 + e^2 / 2, V' = -2 zeta a |v| e^2 <= 0 for |kappa d| < 1, and with v away from 0 both
errors vanish. Linearized, by the distance s that is driven, d'' + 2 zeta a d' + a^2 d = 0: at zeta = 1 a double pole at
-a, whatever the speed; 5 cm of distance constant with the shipped a.
"""

import math
from typing import Final

from fleet.control.control_law import ControlInput, TrackingError
from fleet.control.path_progress import PathPlace
from fleet.control.tracker_config import PathFollowingGains
from fleet.geometry import Twist2D
from fleet.paths.path import Path

_SHORT_M: Final = 0.001  # braking aims at this distance before the end of a leg
_INSIDE: Final = 0.2  # 1 - kappa d is taken as at least this: nearer to the centre of a curve the law is not defined


class PathFollowing:
    """The law of Micaelli and Samson.

    Parameters
    ----------
    path : the path to follow
    gains : set how strongly it corrects
    """

    def __init__(self, path: Path, gains: PathFollowingGains) -> None:
        self._path = path
        self._gains = gains

    def drive(self, control_input: ControlInput, place: PathPlace, error: TrackingError) -> Twist2D:
        """Return the twist that brings the robot back to its path and along it."""
        gains = self._gains
        brake_mps = math.sqrt(2.0 * gains.brake_mps2 * max(0.0, place.remaining_m - _SHORT_M))
        speed_mps = min(place.speed_mps, brake_mps)
        sense = -1.0 if place.point.is_backward else 1.0
        offset_m, turned_rad = -sense * error.cross_m, -error.heading_rad
        early_s = control_input.lag_s + 0.5 * control_input.period_s
        bend_per_m = self._path.sample(place.point.s_m + speed_mps * early_s).curvature_per_m
        along = math.cos(turned_rad) / max(_INSIDE, 1.0 - bend_per_m * offset_m)
        stiffness = gains.stiffness_per_m
        return Twist2D(
            sense * speed_mps,
            speed_mps
            * (
                bend_per_m * along
                - stiffness * stiffness * offset_m * _sinc(turned_rad)
                - 2.0 * gains.damping * stiffness * turned_rad
            ),
        )


def _sinc(angle_rad: float) -> float:
    return math.sin(angle_rad) / angle_rad if abs(angle_rad) > 1e-6 else 1.0
