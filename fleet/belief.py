"""What is believed of a robot's pose and wheel gains: a mean and a covariance, which an extended Kalman filter keeps.

The state is x, y, heading and the two gains g, how far each wheel rolls for what it reports. Wheels that report the
ways l and r take the robot along an arc s = (g_l l + g_r r) / 2, dtheta = (g_r r - g_l l) / axle. Linearised (Thrun,
Burgard and Fox, Probabilistic Robotics, 2005, section 3.3; wheel gains as states: Larsen et al., Location estimation
for an autonomous robot using augmented Kalman filtering, 1998), the covariance P becomes

    F P F' + W Q W',    F = d new / d old state,    W = d new pose / d ways,

with variances Q of the ways in proportion to their lengths, and with gains that drift a little as wheels roll. A
measured pose z sees pose and nothing else; its three numbers have independent errors, so they are taken in one after
the other, each by

    K = P h / (h' P h + R),    x += K (z - h' x),    P = (I - K h') P (I - K h')' + K R K'

(Joseph's form; Bierman, Factorization Methods for Discrete Sequential Estimation, 1977, chapters 2 and 5). Where K is
the optimal gain this is P - K h' P. Where gains shall learn nothing, their part of K is zero (a Schmidt-Kalman update;
Schmidt, Application of state-space methods to navigation problems, 1966), and only their own covariance stays.

The innovations of the three numbers, each squared and divided by its variance, add up to the squared Mahalanobis
distance of z, which is chi-square distributed with three degrees of freedom if everything is as modelled.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fleet.covariance import WHEEL_VARIANCE_M2PM, way_derivatives
from fleet.drive import Drive
from fleet.geometry import Pose2D, wrap_angle

GAIN_BOUND = 0.1  # gains are taken to lie within 1 +- this
_GAIN_STD = 0.03  # before anything was learned; wheels of real robots differ by a few percent
_GAIN_VARIANCE_PM = 1e-6  # random walk of a gain per metre: batteries, tyres, floors
_STATE = 5
_IDENTITY = np.eye(_STATE)
_POSE = 3  # so many of them are the pose, the others are gains

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gains:
    """How far each wheel rolls for what it reports; 1 is as configured or calibrated."""

    left: float = 1.0
    right: float = 1.0


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations: of the position in its most uncertain direction, and of the heading."""

    position_m: float
    heading_rad: float


@dataclass(frozen=True, slots=True)
class Belief:
    """Mean and covariance; rows and columns are x [m], y [m], heading [rad], left and right gain; (5, 5), symmetric."""

    pose: Pose2D
    gains: Gains
    covariance: Array

    @property
    def spread(self) -> Spread:
        """How uncertain the pose is."""
        (xx, xy, _), (_, yy, _), (_, _, hh) = self.covariance[:_POSE, :_POSE].tolist()
        largest_m2 = 0.5 * (xx + yy) + math.hypot(0.5 * (xx - yy), xy)
        return Spread(math.sqrt(largest_m2), math.sqrt(hh))

    @property
    def gain_stds(self) -> Gains:
        """How uncertain the gains are: standard deviations."""
        left, right = np.sqrt(np.diag(self.covariance)[_POSE:]).tolist()
        return Gains(left, right)

    def rolled(self, drive: Drive, left_m: float, right_m: float, noise_scale: float) -> "Belief":
        """Return the belief once the wheels reported these ways, whose variances are `noise_scale` times the usual."""
        if left_m == 0.0 and right_m == 0.0:
            return self
        before, left_gained_m, right_gained_m = self.pose, self.gains.left * left_m, self.gains.right * right_m
        pose = drive.advance(before, left_gained_m, right_gained_m)
        by_left, by_right = way_derivatives(left_gained_m, right_gained_m, before.heading_rad, drive.axle_length_m)
        change = _IDENTITY.copy()
        change[0, 2], change[1, 2] = before.y_m - pose.y_m, pose.x_m - before.x_m
        for row in range(_POSE):
            change[row, 3], change[row, 4] = by_left[row] * left_m, by_right[row] * right_m
        covariance = change @ self.covariance @ change.T
        left_std_m = math.sqrt(noise_scale * WHEEL_VARIANCE_M2PM * abs(left_m))
        right_std_m = math.sqrt(noise_scale * WHEEL_VARIANCE_M2PM * abs(right_m))
        noise = np.array(([left_std_m * part for part in by_left], [right_std_m * part for part in by_right]))
        covariance[:_POSE, :_POSE] += noise.T @ noise
        if covariance[3, 3] > 0.0:
            covariance[3, 3] += _GAIN_VARIANCE_PM * abs(left_m)
            covariance[4, 4] += _GAIN_VARIANCE_PM * abs(right_m)
        return Belief(pose, self.gains, covariance)

    def seen(self, measured: Pose2D, noise: Spread, teaches: bool) -> tuple["Belief", float]:
        """Return the belief after a measured pose, and how far that was: the squared Mahalanobis distance.

        Parameters
        ----------
        measured
            the pose, in the frame of the mean
        noise
            standard deviations of each of its coordinates, and of its heading
        teaches
            whether gains learn from it
        """
        mean, covariance = np.zeros(_STATE), self.covariance  # the mean as seen from where it was
        heading_rad = self.pose.heading_error_to(measured)
        values = (measured.x_m - self.pose.x_m, measured.y_m - self.pose.y_m, heading_rad)
        distance2 = 0.0
        for index, (value, own_variance) in enumerate(zip(values, _variances(noise), strict=True)):
            shares, innovation = covariance[index], value - float(mean[index])
            variance = float(shares[index]) + own_variance
            distance2 += innovation * innovation / variance
            mean = mean + shares * (innovation / variance)
            covariance = covariance - shares[:, None] * shares / variance
        x_m, y_m, turned_rad, left, right = mean.tolist()
        pose = Pose2D(self.pose.x_m + x_m, self.pose.y_m + y_m, wrap_angle(self.pose.heading_rad + turned_rad))
        if teaches:
            gains = Gains(_bounded(self.gains.left + left), _bounded(self.gains.right + right))
            return Belief(pose, gains, covariance), distance2
        covariance[_POSE:, _POSE:] = self.covariance[_POSE:, _POSE:]
        return Belief(pose, self.gains, covariance), distance2

    def loosened(self, by: Spread) -> "Belief":
        """Return the belief with an independent error added to the pose."""
        covariance = self.covariance.copy()
        for index, variance in enumerate(_variances(by)):
            covariance[index, index] += variance
        return Belief(self.pose, self.gains, covariance)

    def placed(self, pose: Pose2D, spread: Spread) -> "Belief":
        """Return the belief of a robot that was put somewhere else: its gains are as they were."""
        covariance = np.diag((*_variances(spread), 0.0, 0.0))
        covariance[_POSE:, _POSE:] = self.covariance[_POSE:, _POSE:]
        return Belief(pose, self.gains, covariance)


def first_belief(pose: Pose2D, learns_gains: bool) -> Belief:
    """Return the belief in a pose that is known, and in gains that are as configured or calibrated, or nearly so."""
    gain_variance = _GAIN_STD**2 if learns_gains else 0.0
    return Belief(pose, Gains(), np.diag((0.0, 0.0, 0.0, gain_variance, gain_variance)))


def _variances(spread: Spread) -> tuple[float, float, float]:
    """Return the variances of x, y and heading."""
    return spread.position_m**2, spread.position_m**2, spread.heading_rad**2


def _bounded(gain: float) -> float:
    return min(1.0 + GAIN_BOUND, max(1.0 - GAIN_BOUND, gain))
