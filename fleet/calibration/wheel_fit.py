"""Fits a robot's wheel calibration to its wheel counts and to the poses that it reached.

A stretch is a drive between two standstills, with a constant ratio of wheel speeds. With L and R for the wheels'
counts, a and b for the metres that each wheel rolls per count, and w for the distance between the wheels, a stretch
turns the robot by t and moves it along an arc of length s, where

    R b - L a - t w = 0        and        L a + R b = 2 s

(Siegwart, Nourbakhsh and Scaramuzza, Introduction to Autonomous Mobile Robots, 2011, section 3.2, integrated). Both are
linear in a, b and w, so all stretches together are one linear least-squares problem. Turns without arcs, or arcs
without turns, do not determine it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.events import MOTOR_PERIOD_S
from fleet.errors import CalibrationError
from fleet.geometry import Pose2D, wrap_angle
from fleet.wheels.robot_calibration import WheelCalibration

Array = NDArray[np.float64]

MAX_ARC_RAD = 2.0  # a stretch that turns more gives only its turn: noise of its chord would be magnified
_MIN_CONDITION = 1e-3  # of the scaled problem; below, the stretches are too similar to give three numbers


@dataclass(frozen=True, slots=True)
class Stretch:
    """A drive between two standstills.

    `left_counts` and `right_counts` are motor units times motor periods, `start` and `end` were measured in one frame;
    `speed_raw` is the faster wheel's target, in motor units.
    """

    left_counts: int
    right_counts: int
    start: Pose2D
    end: Pose2D
    speed_raw: int

    def turned_rad(self, guess: WheelCalibration) -> float:
        """Return how far the robot turned; `guess` must be right to less than half a turn."""
        guessed_rad = (self.right_counts * guess.right_unit_mps - self.left_counts * guess.left_unit_mps) * (
            MOTOR_PERIOD_S / guess.axle_length_m
        )
        return guessed_rad + wrap_angle(self.end.heading_rad - self.start.heading_rad - guessed_rad)

    def arc_m(self, turned_rad: float) -> float:
        """Return the arc's length, backward negative: the chord along the mean heading, over sin(t/2) / (t/2)."""
        direction = self.start.heading_rad + 0.5 * turned_rad
        east_m, north_m = self.end.x_m - self.start.x_m, self.end.y_m - self.start.y_m
        chord_m = east_m * math.cos(direction) + north_m * math.sin(direction)
        return chord_m / float(np.sinc(0.5 * turned_rad / math.pi))


@dataclass(frozen=True, slots=True)
class WheelFit:
    """Wheels that fit the stretches, and the quality of the fit.

    `deviation` holds a standard deviation for each number of `wheels`; `residual_m` is the root mean square residual of
    the equations above.
    """

    wheels: WheelCalibration
    deviation: WheelCalibration
    residual_m: float


def fit_wheels(stretches: Sequence[Stretch], guess: WheelCalibration) -> WheelFit:
    """Return the wheels that fit `stretches` best.

    Parameters
    ----------
    stretches
        at least one turn and one straight, better in both directions and at several speeds
    guess
        determines how many full turns a robot made

    Raises
    ------
    CalibrationError
        The stretches do not determine the three numbers, or these are impossible for a robot.
    """
    matrix, right_side = _equations(stretches, guess)
    scale = np.linalg.norm(matrix, axis=0)
    if len(matrix) < 3 or not scale.all() or np.linalg.cond(matrix / scale) > 1.0 / _MIN_CONDITION:
        raise CalibrationError(
            f"{len(stretches)} stretches do not determine the wheels: straights and turns are needed"
        )
    solution, _, _, _ = np.linalg.lstsq(matrix / scale, right_side, rcond=None)
    residuals = matrix / scale @ solution - right_side
    variance = float(residuals @ residuals) / max(1, len(matrix) - 3)
    covariance = variance * np.linalg.inv((matrix / scale).T @ (matrix / scale))
    return WheelFit(
        wheels=_wheels(solution / scale),
        deviation=_wheels(np.sqrt(np.diag(covariance)) / scale),
        residual_m=math.sqrt(float(np.mean(residuals**2))),
    )


def misses(stretches: Sequence[Stretch], wheels: WheelCalibration) -> list[Pose2D]:
    """Return, for each stretch, the robot's true end relative to the end computed with `wheels`."""
    drive = wheels.drive
    left_m, right_m = wheels.left_unit_mps * MOTOR_PERIOD_S, wheels.right_unit_mps * MOTOR_PERIOD_S
    return [
        stretch.end.relative_to(
            drive.advance(stretch.start, stretch.left_counts * left_m, stretch.right_counts * right_m)
        )
        for stretch in stretches
    ]


def excess_by_speed(stretches: Sequence[Stretch], wheels: WheelCalibration) -> dict[int, float]:
    """Return the share by which straights at each speed [motor units] were longer than computed with `wheels`.

    Shares that change with the speed would require a nonlinear law.
    """
    measured_m: dict[int, float] = {}
    computed_m: dict[int, float] = {}
    for stretch in stretches:
        turned_rad = stretch.turned_rad(wheels)
        if abs(turned_rad) <= MAX_ARC_RAD:
            rolled = stretch.left_counts * wheels.left_unit_mps + stretch.right_counts * wheels.right_unit_mps
            computed_m[stretch.speed_raw] = computed_m.get(stretch.speed_raw, 0.0) + abs(0.5 * MOTOR_PERIOD_S * rolled)
            measured_m[stretch.speed_raw] = measured_m.get(stretch.speed_raw, 0.0) + abs(stretch.arc_m(turned_rad))
    return {
        speed_raw: measured_m[speed_raw] / distance_m - 1.0
        for speed_raw, distance_m in sorted(computed_m.items())
        if distance_m > 0.0
    }


def _equations(stretches: Sequence[Stretch], guess: WheelCalibration) -> tuple[Array, Array]:
    """Return the matrix (n, 3) for left and right metres per count and axle length, and the right side (n,) in m."""
    rows: list[tuple[float, float, float]] = []
    right_side: list[float] = []
    for stretch in stretches:
        turned_rad = stretch.turned_rad(guess)
        rows.append((-stretch.left_counts, stretch.right_counts, -turned_rad))
        right_side.append(0.0)
        if abs(turned_rad) <= MAX_ARC_RAD:
            rows.append((stretch.left_counts, stretch.right_counts, 0.0))
            right_side.append(2.0 * stretch.arc_m(turned_rad))
    return np.array(rows, dtype=float).reshape(-1, 3), np.array(right_side)


def _wheels(numbers: Array) -> WheelCalibration:
    left_m, right_m, axle_length_m = numbers.tolist()
    return WheelCalibration(left_m / MOTOR_PERIOD_S, right_m / MOTOR_PERIOD_S, axle_length_m)
