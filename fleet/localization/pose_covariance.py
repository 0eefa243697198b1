"""The covariance of a pose from wheel odometry, which grows with every metre that the wheels roll.

Each wheel's distance has an independent error whose variance is proportional to the distance (Siegwart, Nourbakhsh and
Scaramuzza, Introduction to Autonomous Mobile Robots, 2011, section 5.2.4). Errors from a wrong wheel gain are
systematic and not included: calibrate, or correct by a pose source.
"""

import math
from typing import Final

from fleet.localization.state_covariance import StateCovariance, Triple

WHEEL_VARIANCE_M2PM: Final = 1.3e-6  # of a wheel, per metre: 0.02 rad of drift over 1.34 m in the Aseba playground


def travel_derivatives(
    left_m: float, right_m: float, heading_rad: float, axle_length_m: float
) -> tuple[Triple, Triple]:
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


def after_travel(
    before: StateCovariance, left_m: float, right_m: float, heading_rad: float, axle_length_m: float
) -> StateCovariance:
    """Return the covariance after the wheels have rolled, with known gains.

    With P for the covariance before it is F P F' + G Q G', where F and G are the derivatives of the pose after the arc
    with respect to the pose before it and the two distances, and Q holds the distances' variances.

    Parameters
    ----------
    before
        covariance of the pose in the odometry frame; the variances of the gains are 0
    left_m, right_m
        travel of each wheel
    heading_rad
        the initial heading, in the odometry frame
    axle_length_m
        distance between the wheels
    """
    arc_m, middle_rad = 0.5 * (left_m + right_m), heading_rad + 0.5 * (right_m - left_m) / axle_length_m
    by_heading = -arc_m * math.sin(middle_rad), arc_m * math.cos(middle_rad)
    by_left, by_right = travel_derivatives(left_m, right_m, heading_rad, axle_length_m)
    no_effect: Triple = (0.0, 0.0, 0.0)  # of a gain on the pose
    return before.propagated(by_heading, no_effect, no_effect).plus(
        by_left, WHEEL_VARIANCE_M2PM * abs(left_m), by_right, WHEEL_VARIANCE_M2PM * abs(right_m)
    )
