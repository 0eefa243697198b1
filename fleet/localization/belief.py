"""The belief about a robot's pose and wheel gains: the mean and covariance of an extended Kalman filter.

The state is x, y, heading and the two gains g, the ratios of true to reported wheel travel. Wheels that report the
distances l and r move the robot along an arc s = (g_l l + g_r r) / 2, dtheta = (g_r r - g_l l) / axle. Linearized
(Thrun, Burgard and Fox, Probabilistic Robotics, 2005, section 3.3; wheel gains as states: Larsen et al., Location
estimation for an autonomous robot using augmented Kalman filtering, 1998), the covariance P becomes

    F P F' + W Q W',    F = d new / d old state,    W = d new pose / d distances,

where the variances Q of the distances are proportional to their lengths, and gains drift a little as wheels roll. A
measured pose z observes the pose and nothing else; its three components have independent errors, so they are processed
one after the other, each by

    K = P h / (h' P h + R),    x += K (z - h' x),    P = (I - K h') P (I - K h')' + K R K'

(Joseph's form; Bierman, Factorization Methods for Discrete Sequential Estimation, 1977, chapters 2 and 5). If K is the
optimal gain this is P - K h' P. If the gains are not updated, their part of K is zero (a Schmidt-Kalman update;
Schmidt, Application of state-space methods to navigation problems, 1966), and only their own covariance stays.

The innovations of the three components, each squared and divided by its variance, add up to the squared Mahalanobis
distance of z, which is chi-square distributed with three degrees of freedom if everything is as modelled.
"""

import math
from dataclasses import dataclass
from typing import Final

from fleet.geometry import Pose2D, wrap_angle
from fleet.localization.pose_covariance import WHEEL_VARIANCE_M2PM, travel_derivatives
from fleet.localization.state_covariance import Row, StateCovariance, Triple, diagonal
from fleet.wheels.differential_drive import DifferentialDrive

GAIN_BOUND: Final = 0.1  # gains are assumed to lie within 1 +- this
_GAIN_STD: Final = 0.03  # before anything is learned; wheels of real robots differ by a few percent
_NO_SHIFT: Final[Row] = (0.0, 0.0, 0.0, 0.0, 0.0)
_GAIN_VARIANCE_PM: Final = 1e-6  # random walk of a gain per metre: batteries, tyres, floors


@dataclass(init=False, unsafe_hash=True, slots=True)
class Gains:
    """Ratio of true to reported travel of each wheel; 1 is the configured or calibrated wheel."""

    left: Final[float]
    right: Final[float]

    def __init__(self, left: float = 1.0, right: float = 1.0) -> None:
        self.left = left
        self.right = right


@dataclass(init=False, unsafe_hash=True, slots=True)
class Spread:
    """Standard deviations: of the position in its most uncertain direction, and of the heading."""

    position_m: Final[float]
    heading_rad: Final[float]

    def __init__(self, position_m: float, heading_rad: float) -> None:
        self.position_m = position_m
        self.heading_rad = heading_rad


@dataclass(init=False, unsafe_hash=True, slots=True)
class Belief:
    """Mean and covariance of x [m], y [m], heading [rad], left and right gain."""

    pose: Final[Pose2D]
    gains: Final[Gains]
    covariance: Final[StateCovariance]

    def __init__(self, pose: Pose2D, gains: Gains, covariance: StateCovariance) -> None:
        self.pose = pose
        self.gains = gains
        self.covariance = covariance

    @property
    def spread(self) -> Spread:
        """Uncertainty of the pose."""
        xx, xy, yy = self.covariance.position
        largest_m2 = 0.5 * (xx + yy) + math.hypot(0.5 * (xx - yy), xy)
        return Spread(math.sqrt(largest_m2), math.sqrt(self.covariance.heading))

    @property
    def gain_stds(self) -> Gains:
        """Standard deviations of the gains."""
        left, _, right = self.covariance.gains
        return Gains(math.sqrt(left), math.sqrt(right))

    def rolled(self, drive: DifferentialDrive, left_m: float, right_m: float, noise_scale: float) -> "Belief":
        """Return the belief after the wheels report travel, with `noise_scale` times the usual variances."""
        if left_m == 0.0 and right_m == 0.0:
            return self
        before, left_gained_m, right_gained_m = self.pose, self.gains.left * left_m, self.gains.right * right_m
        pose = drive.advance(before, left_gained_m, right_gained_m)
        by_left, by_right = travel_derivatives(left_gained_m, right_gained_m, before.heading_rad, drive.axle_length_m)
        covariance = self.covariance.propagated(
            (before.y_m - pose.y_m, pose.x_m - before.x_m), _scaled(by_left, left_m), _scaled(by_right, right_m)
        )
        left_rolled_m, right_rolled_m, variance_m2pm = abs(left_m), abs(right_m), noise_scale * WHEEL_VARIANCE_M2PM
        covariance = covariance.plus(by_left, variance_m2pm * left_rolled_m, by_right, variance_m2pm * right_rolled_m)
        if covariance.upper[12] > 0.0:  # else the gains are known, and stay so
            covariance = covariance.drifted(_GAIN_VARIANCE_PM * left_rolled_m, _GAIN_VARIANCE_PM * right_rolled_m)
        return Belief(pose, self.gains, covariance)

    def corrected(self, measured: Pose2D, noise: Spread, updates_gains: bool) -> tuple["Belief", float]:
        """Return the belief after a measured pose, and the squared Mahalanobis distance of that pose.

        Parameters
        ----------
        measured
            the pose, in the frame of the mean
        noise
            standard deviations of each coordinate of the pose, and of its heading
        updates_gains
            whether the pose corrects the gains
        """
        x_noise_m2, y_noise_m2, heading_noise_rad2 = _variances(noise)
        row, covariance, before = self.covariance.x_row, self.covariance, self.pose
        innovation, variance = measured.x_m - before.x_m, row[0] + x_noise_m2
        shift = _shifted(_NO_SHIFT, row, innovation / variance)
        distance2 = innovation * innovation / variance
        covariance = covariance.corrected(row, variance)
        row = covariance.y_row
        innovation, variance = measured.y_m - before.y_m - shift[1], row[1] + y_noise_m2
        shift = _shifted(shift, row, innovation / variance)
        distance2 += innovation * innovation / variance
        covariance = covariance.corrected(row, variance)
        row = covariance.heading_row
        innovation, variance = before.heading_error_to(measured) - shift[2], row[2] + heading_noise_rad2
        x_m, y_m, turned_rad, left, right = _shifted(shift, row, innovation / variance)
        distance2 += innovation * innovation / variance
        covariance = covariance.corrected(row, variance)
        pose = Pose2D(before.x_m + x_m, before.y_m + y_m, wrap_angle(before.heading_rad + turned_rad))
        if updates_gains:
            gains = Gains(_bounded(self.gains.left + left), _bounded(self.gains.right + right))
            return Belief(pose, gains, covariance), distance2
        return Belief(pose, self.gains, self._keeping_gains(covariance)), distance2

    def inflated(self, by: Spread) -> "Belief":
        """Return the belief with an independent error added to the pose."""
        x_m2, y_m2, heading_rad2 = _variances(by)
        return Belief(self.pose, self.gains, self.covariance.inflated(x_m2, y_m2, heading_rad2))

    def placed(self, pose: Pose2D, spread: Spread) -> "Belief":
        """Return the belief about a robot that was moved to another pose; its gains are unchanged."""
        return Belief(pose, self.gains, self._keeping_gains(diagonal(*_variances(spread), 0.0, 0.0)))

    def _keeping_gains(self, covariance: StateCovariance) -> StateCovariance:
        """Return a covariance whose gain part is replaced by the current one."""
        return covariance.with_gains(self.covariance.gains)


def first_belief(pose: Pose2D, learns_gains: bool) -> Belief:
    """Return the belief in a known pose, with gains at or near the configured or calibrated ones."""
    gain_variance = _GAIN_STD**2 if learns_gains else 0.0
    return Belief(pose, Gains(), diagonal(0.0, 0.0, 0.0, gain_variance, gain_variance))


def _shifted(shift: Row, shares: Row, pull: float) -> Row:
    """Return the shift of the mean after an additional shift of `pull` along `shares`."""
    return (
        shift[0] + pull * shares[0],
        shift[1] + pull * shares[1],
        shift[2] + pull * shares[2],
        shift[3] + pull * shares[3],
        shift[4] + pull * shares[4],
    )


def _scaled(derivatives: Triple, travel_m: float) -> Triple:
    return derivatives[0] * travel_m, derivatives[1] * travel_m, derivatives[2] * travel_m


def _variances(spread: Spread) -> tuple[float, float, float]:
    """Return the variances of x, y and heading."""
    position_m2 = spread.position_m * spread.position_m
    return position_m2, position_m2, spread.heading_rad * spread.heading_rad


def _bounded(gain: float) -> float:
    return min(1.0 + GAIN_BOUND, max(1.0 - GAIN_BOUND, gain))
