"""Wheel gains, learned while driving: how far each wheel really rolls for what it reports.

Between two measured poses the wheels report a way. Its end, as seen from its start, depends on the gains g of the two
wheels; linearised about what is known of them,

    measured way = way(g) + J dg + noise,      J = d way / d (g_left, g_right),

which is a regression of three equations (forward, sideways, turned) for two unknowns, solved recursively with a
covariance (recursive least squares; Ljung, System Identification, 1999, section 11.2). J is integrated along with the
odometry: with the middle heading theta of an arc s that turns by dtheta,

    dx' = -s sin(theta) dtheta' + cos(theta) ds',   dy' = s cos(theta) dtheta' + sin(theta) ds',

where ' is the derivative by a gain. J tells by itself what a way can teach: a straight one both gains, a turn on the
spot only their sum, and standing still nothing. Ways begin and end at measured poses at least 0.1 m of rolling apart,
so that the measurements' noise is small against what a gain of some percent makes; ways that no likely
gains explain (a robot that is carried, an outlier) are left out. How noisy ways are is learned too, by how much they
surprise: wheels that slip teach less each time.
"""

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fleet.drive import Drive
from fleet.geometry import Pose2D

Array = NDArray[np.float64]

GAIN_BOUND = 0.1  # gains are taken to lie within 1 +- this
_GAIN_STD = 0.03  # before anything was learned; wheels of real robots differ by a few percent
_DRIFT_PER_SQRT_M = 0.001  # random walk of a gain per square root of a metre: batteries, tyres, floors
_WAY_M = 0.1  # a way is complete once the wheels together rolled twice as far
_WAY_MAX_NS = 10_000_000_000  # older beginnings are not worth keeping
_GAP_NS = 1_000_000_000  # wheels that were silent for longer begin anew
_ROLLS_MAX = 100  # so many reports are kept for poses that come late
_POSITION_STD_M = 0.0015  # of a measured pose
_HEADING_STD_RAD = 0.0075
_SURPRISE = 16.3  # chi-square with three degrees of freedom, exceeded in 0.1 % of the ways
_SURPRISE_MEAN = 3.0
_NOISE_MEMORY = 0.1  # share of the latest way in what is thought of the noise
_NOISE_SCALE_MAX = 100.0


@dataclass(frozen=True, slots=True)
class Gains:
    """How far each wheel rolls for what it reports; 1 is as configured or calibrated."""

    left: float = 1.0
    right: float = 1.0


@dataclass(frozen=True, slots=True)
class _Roll:
    """What each wheel reported for a time."""

    from_ns: int
    until_ns: int
    left_m: float
    right_m: float

    def split(self, stamp_ns: int) -> tuple["_Roll", "_Roll | None"]:
        """Return what was rolled before an instant, and what after it, if anything."""
        if stamp_ns >= self.until_ns:
            return self, None
        share = (stamp_ns - self.from_ns) / (self.until_ns - self.from_ns)
        rest = 1.0 - share
        return (
            _Roll(self.from_ns, stamp_ns, share * self.left_m, share * self.right_m),
            _Roll(stamp_ns, self.until_ns, rest * self.left_m, rest * self.right_m),
        )


@dataclass(slots=True)
class _Slope:
    """Derivatives of a way's end by one gain."""

    x_m: float = 0.0
    y_m: float = 0.0
    heading_rad: float = 0.0

    def roll(self, along: Pose2D, arc_m: float, turn_rad: float) -> None:
        """Go on by an arc of length x and middle heading `along`, whose derivatives are `arc_m` and `turn_rad`."""
        cosine, sine = math.cos(along.heading_rad), math.sin(along.heading_rad)
        middle_rad = self.heading_rad + 0.5 * turn_rad
        self.x_m += cosine * arc_m - along.x_m * sine * middle_rad
        self.y_m += sine * arc_m + along.x_m * cosine * middle_rad
        self.heading_rad += turn_rad


class _Way:
    """A way by the wheels, in the frame in which it began, and its derivatives by the gains."""

    def __init__(self, start: Pose2D, stamp_ns: int) -> None:
        self.start = start
        self.stamp_ns = stamp_ns
        self.end = Pose2D(0.0, 0.0, 0.0)
        self.rolled_m = 0.0
        self._left, self._right = _Slope(), _Slope()

    @property
    def derivative(self) -> Array:
        """Derivatives of x, y and heading by the left and the right gain; (3, 2)."""
        left, right = self._left, self._right
        return np.array([[left.x_m, right.x_m], [left.y_m, right.y_m], [left.heading_rad, right.heading_rad]])

    def roll(self, drive: Drive, gains: Gains, left_m: float, right_m: float) -> None:
        """Go on by what the wheels reported."""
        left, right = gains.left * left_m, gains.right * right_m
        arc = Pose2D(0.5 * (left + right), 0.0, self.end.heading_rad + 0.5 * (right - left) / drive.axle_length_m)
        self._left.roll(arc, 0.5 * left_m, -left_m / drive.axle_length_m)
        self._right.roll(arc, 0.5 * right_m, right_m / drive.axle_length_m)
        self.end = drive.advance(self.end, left, right)
        self.rolled_m += abs(left_m) + abs(right_m)


class WheelGains:
    """Learns one robot's wheel gains from measured poses, which may come late.

    Parameters
    ----------
    drive : the robot's drive as it is configured or calibrated
    """

    def __init__(self, drive: Drive) -> None:
        self._drive = drive
        self._gains: Array = np.ones(2)
        self._covariance: Array = np.eye(2) * _GAIN_STD**2
        self._rolls: deque[_Roll] = deque()
        self._poses: deque[tuple[int, Pose2D]] = deque()
        self._heard_ns: int | None = None  # the wheels are known up to here ...
        self._way_ns: int | None = None  # ... and counted up to here
        self._way: _Way | None = None
        self._noise_scale = 1.0
        self.ways = 0
        self.rejected_count = 0

    @property
    def gains(self) -> Gains:
        """What is known of the gains now."""
        return Gains(float(self._gains[0]), float(self._gains[1]))

    @property
    def standard_deviations(self) -> Gains:
        """How sure each of them is."""
        left, right = np.sqrt(np.diag(self._covariance)).tolist()
        return Gains(left, right)

    def on_wheels(self, left_m: float, right_m: float, stamp_ns: int) -> None:
        """Take in what each wheel reported since the last time, in metres, as configured or calibrated."""
        if self._heard_ns is None or not 0 < stamp_ns - self._heard_ns <= _GAP_NS:
            self.restart(stamp_ns)
            return
        self._rolls.append(_Roll(self._heard_ns, stamp_ns, left_m, right_m))
        self._heard_ns = stamp_ns
        if len(self._rolls) > _ROLLS_MAX:
            self._roll(self._rolls.popleft())
        self._settle()

    def on_pose(self, measured: Pose2D, stamp_ns: int) -> None:
        """Take in where the robot was seen; a pose from before what is already counted is left out."""
        latest_ns = self._poses[-1][0] if self._poses else self._way_ns
        if latest_ns is not None and stamp_ns > latest_ns and len(self._poses) < _ROLLS_MAX:
            self._poses.append((stamp_ns, measured))
            self._settle()

    def restart(self, now_ns: int) -> None:
        """Begin a new series: the wheels were not heard for a while, or the robot was carried."""
        self._rolls.clear()
        self._poses.clear()
        self._heard_ns = self._way_ns = now_ns
        self._way = None

    def _settle(self) -> None:
        """Count the wheels up to every pose of whose time they are known, and learn from it."""
        while self._poses and self._heard_ns is not None and self._poses[0][0] <= self._heard_ns:
            stamp_ns, measured = self._poses.popleft()
            while self._rolls and self._rolls[0].from_ns < stamp_ns:
                before, after = self._rolls.popleft().split(stamp_ns)
                self._roll(before)
                if after is not None:
                    self._rolls.appendleft(after)
            self._arrive(measured, stamp_ns)

    def _roll(self, roll: "_Roll") -> None:
        self._way_ns = roll.until_ns
        if self._way is not None:
            self._way.roll(self._drive, self.gains, roll.left_m, roll.right_m)

    def _arrive(self, measured: Pose2D, stamp_ns: int) -> None:
        """End the way here if it is long enough, and begin the next."""
        way = self._way
        if way is not None and stamp_ns - way.stamp_ns <= _WAY_MAX_NS:
            if way.rolled_m < 2.0 * _WAY_M:
                return
            self._learn(way, measured)
        self._way = _Way(measured, stamp_ns)

    def _learn(self, way: _Way, measured: Pose2D) -> None:
        seen = measured.relative_to(way.start)
        residual = np.array(
            [seen.x_m - way.end.x_m, seen.y_m - way.end.y_m, way.end.heading_error_to(seen)], dtype=float
        )
        prior = self._covariance + np.eye(2) * _DRIFT_PER_SQRT_M**2 * 0.5 * way.rolled_m
        derivative = way.derivative
        innovation = derivative @ prior @ derivative.T + self._noise_scale * _noise(way)
        surprise = float(residual @ np.linalg.solve(innovation, residual))
        louder = math.exp(_NOISE_MEMORY * (min(surprise, _SURPRISE) / _SURPRISE_MEAN - 1.0))
        self._noise_scale = min(_NOISE_SCALE_MAX, max(1.0, louder * self._noise_scale))
        if surprise > _SURPRISE:
            self.rejected_count += 1
            return
        gain = np.linalg.solve(innovation, derivative @ prior).T
        self._gains = np.clip(self._gains + gain @ residual, 1.0 - GAIN_BOUND, 1.0 + GAIN_BOUND)
        covariance = prior - gain @ derivative @ prior
        self._covariance = 0.5 * (covariance + covariance.T)
        self.ways += 1


def _noise(way: _Way) -> Array:
    """Return the covariance of a measured way: both ends' noise, and the first heading's, which swings the end."""
    swing = np.array([-way.end.y_m, way.end.x_m, 0.0])
    variances = 2.0 * np.array([_POSITION_STD_M**2, _POSITION_STD_M**2, _HEADING_STD_RAD**2])
    noise: Array = np.diag(variances) + _HEADING_STD_RAD**2 * np.outer(swing, swing)
    return noise
