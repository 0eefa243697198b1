"""The covariance of a pose from wheel odometry, which grows with every metre that the wheels roll.

Each wheel's distance has an independent error whose variance is proportional to the distance (Siegwart, Nourbakhsh and
Scaramuzza, Introduction to Autonomous Mobile Robots, 2011, section 5.2.4). Errors from a wrong wheel gain are
systematic and not included: calibrate, or correct by a pose source.
"""

import math
from dataclasses import dataclass
from typing import Final

WHEEL_VARIANCE_M2PM: Final = 1.3e-6  # of a wheel, per metre: 0.02 rad of drift over 1.34 m in the Aseba playground


Derivatives = tuple[float, float, float]  # of x, y and heading


def way_derivatives(
    left_m: float, right_m: float, heading_rad: float, axle_length_m: float
) -> tuple[Derivatives, Derivatives]:
    """Return the derivatives of the pose after an arc with respect to the left and the right wheel's travel.

    With the middle heading m, the arc s and the axle b, those for the right wheel are (cos m / 2 - s sin m / 2 b,
    sin m / 2 + s cos m / 2 b, 1 / b); for the left wheel, b has the other sign.
    """
    middle_rad = heading_rad + 0.5 * (right_m - left_m) / axle_length_m
    half_cosine, half_sine = 0.5 * math.cos(middle_rad), 0.5 * math.sin(middle_rad)
    lever = 0.5 * (left_m + right_m) / axle_length_m
    x_swing, y_swing = lever * half_sine, lever * half_cosine
    return (
        (half_cosine + x_swing, half_sine - y_swing, -1.0 / axle_length_m),
        (half_cosine - x_swing, half_sine + y_swing, 1.0 / axle_length_m),
    )


@dataclass(frozen=True, slots=True)
class PoseCovariance:
    """Covariance of x, y [m; odometry frame] and heading [rad]: the upper triangle of a symmetric matrix."""

    xx_m2: float = 0.0
    xy_m2: float = 0.0
    xh_mrad: float = 0.0
    yy_m2: float = 0.0
    yh_mrad: float = 0.0
    hh_rad2: float = 0.0

    def after(self, left_m: float, right_m: float, heading_rad: float, axle_length_m: float) -> "PoseCovariance":
        """Return the covariance after the wheels have rolled `left_m` and `right_m` metres.

        With P for this covariance it is F P F' + G Q G', where F and G are the derivatives of the pose after the arc
        with respect to the pose before it and the two distances, and Q holds the distances' variances.

        Parameters
        ----------
        left_m, right_m
            travel of each wheel
        heading_rad
            the heading before, in the odometry frame
        axle_length_m
            distance between the wheels
        """
        arc_m, middle_rad = 0.5 * (left_m + right_m), heading_rad + 0.5 * (right_m - left_m) / axle_length_m
        carried = self._carried(-arc_m * math.sin(middle_rad), arc_m * math.cos(middle_rad))
        by_left, by_right = way_derivatives(left_m, right_m, heading_rad, axle_length_m)
        return carried._plus(by_right, WHEEL_VARIANCE_M2PM * abs(right_m))._plus(
            by_left, WHEEL_VARIANCE_M2PM * abs(left_m)
        )

    def _carried(self, x_by_heading: float, y_by_heading: float) -> "PoseCovariance":
        """Return F P F': a wrong heading becomes a wrong position as the robot moves."""
        a, b = x_by_heading, y_by_heading
        return PoseCovariance(
            xx_m2=self.xx_m2 + 2.0 * a * self.xh_mrad + a * a * self.hh_rad2,
            xy_m2=self.xy_m2 + a * self.yh_mrad + b * self.xh_mrad + a * b * self.hh_rad2,
            xh_mrad=self.xh_mrad + a * self.hh_rad2,
            yy_m2=self.yy_m2 + 2.0 * b * self.yh_mrad + b * b * self.hh_rad2,
            yh_mrad=self.yh_mrad + b * self.hh_rad2,
            hh_rad2=self.hh_rad2,
        )

    def _plus(self, derivative: Derivatives, variance_m2: float) -> "PoseCovariance":
        """Return this covariance plus the contribution of one wheel's error."""
        x, y, heading = derivative
        return PoseCovariance(
            xx_m2=self.xx_m2 + x * x * variance_m2,
            xy_m2=self.xy_m2 + x * y * variance_m2,
            xh_mrad=self.xh_mrad + x * heading * variance_m2,
            yy_m2=self.yy_m2 + y * y * variance_m2,
            yh_mrad=self.yh_mrad + y * heading * variance_m2,
            hh_rad2=self.hh_rad2 + heading * heading * variance_m2,
        )
