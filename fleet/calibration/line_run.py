"""Measures wheels over dark lines on the floor, without a pose source.

The robot stands with its axle on a straight line, pointing across it. It turns about each of its wheels: each time a
ground sensor returns to the same point of the line, the robot has made one full turn, which gives the rotation per
count of each wheel. That is enough to drive straight. Lengths follow from one known length: the axle's, or the distance
to a second line, parallel to the first, that the robot then crosses.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aseba_link.thymio.events import MOTOR_PERIOD_S, Event, decode_odometry, require_size
from aseba_link.thymio.sensor_events import GROUND_POSES
from fleet.calibration.counted_wheels import HALT_RAW, Command, CountedWheels, Move, Stepper, Steps
from fleet.calibration.crossings import Crossing, crossings
from fleet.calibration.step_log import StepLog
from fleet.errors import CalibrationError
from fleet.wheels.robot_calibration import WheelCalibration

MIN_LINES_APART_M = 0.15  # a sensor that turns about a wheel must not reach the second line
_PIVOT_RAW = 150
_STRAIGHT_RAW = 100
_TURNS = 2.4  # each place of the line is crossed at least twice
_BEFORE_M = 0.04  # a sensor starts and ends this far from a line
_WORST_TURN = 0.05  # periods that differ by more are not those of one place
_GUESS_ERROR = 0.2  # of the current wheel calibration
_SENSOR_AHEAD_M = GROUND_POSES["left"].x_m
_SENSORS_APART_M = GROUND_POSES["left"].y_m - GROUND_POSES["right"].y_m


@dataclass(frozen=True, slots=True)
class LineFit:
    """Wheels that fit the crossings; `turn_deviation` is the standard deviation of a turn, in full turns."""

    wheels: WheelCalibration
    turn_deviation: float


class LineRun:
    """Drives one robot over the lines; computes wheel targets from odometry and ground readings.

    Parameters
    ----------
    guess : the current wheel calibration; without a second line its axle length is assumed to be true
    lines_apart_m : distance between the middles of the two lines; None without a second line
    """

    def __init__(self, guess: WheelCalibration, lines_apart_m: float | None = None) -> None:
        if lines_apart_m is not None and not MIN_LINES_APART_M <= lines_apart_m < math.inf:
            raise CalibrationError(f"lines {lines_apart_m} m apart are nearer than {MIN_LINES_APART_M:g} m")
        self.log = StepLog()
        self.log.expect(4 if lines_apart_m is None else 7)
        self._guess = guess
        self._lines_apart_m = lines_apart_m
        self._wheels = CountedWheels()
        self._stepper = Stepper(self._procedure)
        self._light: list[tuple[int, int, int]] = []  # stamp, left, right
        self.turns: list[Crossing] = []  # what the wheels counted in each whole turn; the sign is the turn's
        self._passes: list[tuple[Crossing, float]] = []  # counts from line to line, and the tangent of the skew
        self._moves_done = 0

    @property
    def is_done(self) -> bool:
        """Whether every line was crossed."""
        return self._stepper.is_done

    @property
    def progress(self) -> float:
        """Share of completed moves, 0 to 1."""
        return self._moves_done / (4 if self._lines_apart_m is None else 7)

    def on_event(self, event: int, args: Sequence[int], stamp_ns: int) -> None:
        """Process an event of the robot."""
        if event == Event.ODOMETRY:
            self._wheels.on_odometry(decode_odometry(args), stamp_ns)
        elif event == Event.GROUND:
            require_size(Event.GROUND, args)
            self._light.append((stamp_ns, args[0], args[1]))

    def step(self, now_ns: int) -> Command:
        """Return the motor targets for now; raises CalibrationError if the robot cannot be measured."""
        return self._stepper.step(now_ns)

    def fit(self) -> LineFit:
        """Return the wheels that fit the crossings, once the procedure is done."""
        (left_rad, right_rad), deviation = self._rad_per_count()
        axle_length_m = self._axle_length_m(left_rad, right_rad)
        unit_m = axle_length_m / MOTOR_PERIOD_S
        return LineFit(WheelCalibration(left_rad * unit_m, right_rad * unit_m, axle_length_m), deviation)

    def turn_errors_deg(self, wheels: WheelCalibration) -> list[float]:
        """Return the error of each full turn as computed with `wheels`; positive is more than a turn."""
        left_rad, right_rad = (
            unit_mps * MOTOR_PERIOD_S / wheels.axle_length_m
            for unit_mps in (wheels.left_unit_mps, wheels.right_unit_mps)
        )
        turned_rad = [abs(turn.right_counts * right_rad - turn.left_counts * left_rad) for turn in self.turns]
        return [math.degrees(turned - math.tau) for turned in turned_rad]

    def _rad_per_count(self) -> tuple[tuple[float, float], float]:
        """Return the robot's rotation per count of each wheel, and the deviation in turns."""
        turned = np.array([(-turn.left_counts, turn.right_counts) for turn in self.turns])
        whole = np.sign(turned.sum(axis=1))
        share, _, _, _ = np.linalg.lstsq(turned, whole, rcond=None)
        left_rad, right_rad = (math.tau * share).tolist()
        return (left_rad, right_rad), float(np.std(turned @ share - whole))

    def _axle_length_m(self, left_rad: float, right_rad: float) -> float:
        """Return the distance between the wheels: arc / axle length = (L a + R b) / 2, a and b in rad per count."""
        if self._lines_apart_m is None:
            return self._guess.axle_length_m
        across = math.cos(math.atan(float(np.mean([tangent for _, tangent in self._passes]))))
        arcs = [0.5 * abs(way.left_counts * left_rad + way.right_counts * right_rad) for way, _ in self._passes]
        return self._lines_apart_m / (across * float(np.mean(arcs)))

    def _procedure(self, now_ns: int) -> Steps[None]:
        now_ns = yield from self._wheels.settle(now_ns)
        turn_counts = math.tau * self._guess.axle_length_m / (MOTOR_PERIOD_S * self._guess.left_unit_mps)
        for wheels in ((0, 1), (0, -1), (-1, 0), (1, 0)):
            move = Move(wheels[0] * _PIVOT_RAW, wheels[1] * _PIVOT_RAW, _TURNS * turn_counts)
            way = "to the left" if wheels[1] > wheels[0] else "to the right"
            yield from self._drive(move, f"{_TURNS:g} turns {way} about the {'left' if wheels[1] else 'right'} wheel")
            turns = [turn for left in (True, False) for turn in self._whole_turns(left, turn_counts)]
            self.turns += turns
            sizes = ", ".join(f"{abs(turn.right_counts - turn.left_counts):.0f}" for turn in turns)
            self.log.note(f"  counts of one turn: {sizes}")
        if self._lines_apart_m is not None:
            yield from self._cross(self._lines_apart_m)

    def _cross(self, lines_apart_m: float) -> Steps[None]:
        """Back up until the sensors are behind the first line, cross both forward, and both backward."""
        unit_m = MOTOR_PERIOD_S * self._guess.left_unit_mps
        (left_rad, right_rad), _ = self._rad_per_count()
        right_raw = round(_STRAIGHT_RAW * left_rad / right_rad)
        back_m = _SENSOR_AHEAD_M + _BEFORE_M
        yield from self._drive(Move(-_STRAIGHT_RAW, -right_raw, back_m / unit_m), f"back for {back_m:.2f} m")
        for sign in (1, -1):
            distance_m = lines_apart_m + 2.0 * _BEFORE_M
            move = Move(sign * _STRAIGHT_RAW, sign * right_raw, distance_m / unit_m)
            yield from self._drive(move, f"{'ahead' if sign > 0 else 'back'} across both lines, {distance_m:.2f} m")
            passes = self._line_passes()
            self._passes += passes
            counted = ", ".join(f"{0.5 * abs(way.left_counts + way.right_counts):.0f}" for way, _ in passes)
            self.log.note(f"  counts from line to line, by the left and the right sensor: {counted}")

    def _drive(self, move: Move, text: str) -> Steps[None]:
        """Drive a move and stop; `_light` then contains the readings during the move."""
        self.log.start_leg(text)
        now_ns = yield HALT_RAW
        self._light.clear()
        self._wheels.restart()
        yield from self._wheels.drive(move, now_ns)
        now_ns = yield HALT_RAW
        yield from self._wheels.settle(now_ns)
        self._moves_done += 1

    def _whole_turns(self, of_left_sensor: bool, turn_counts: float) -> list[Crossing]:
        """Return the counts between crossings of the same point; the line is crossed once or twice in each turn."""
        found = self._crossings(of_left_sensor)
        in_turn = round(len(found) / _TURNS)
        turns = [
            Crossing(last.left_counts - first.left_counts, last.right_counts - first.right_counts)
            for first, last in zip(found, found[in_turn:], strict=False)
        ]
        sizes = [abs(turn.right_counts - turn.left_counts) for turn in turns]
        if in_turn not in (1, 2) or not turns or not _are_turns(sizes, turn_counts):
            raise CalibrationError(
                f"a ground sensor crossed a line {len(found)} times in {_TURNS:g} turns about a wheel: "
                "one line, straight and at least 0.3 m long, must run below the whole axle"
            )
        return turns

    def _crossings(self, of_left_sensor: bool) -> list[Crossing]:
        counts = self._wheels.counts_at([stamp_ns for stamp_ns, _, _ in self._light])
        return crossings([left if of_left_sensor else right for _, left, right in self._light], counts)

    def _line_passes(self) -> list[tuple[Crossing, float]]:
        """Return, for each sensor, the counts from line to line, and how askew it crossed the lines."""
        left, right = (self._crossings(of_left_sensor) for of_left_sensor in (True, False))
        if (len(left), len(right)) != (2, 2):
            raise CalibrationError(
                f"the ground sensors crossed {len(left)} and {len(right)} lines on a straight instead of 2 and 2"
            )
        unit_m = MOTOR_PERIOD_S * self._guess.left_unit_mps
        tangent = float(np.mean([b.left_counts - a.left_counts for a, b in zip(left, right, strict=True)]))
        return [
            (
                Crossing(last.left_counts - first.left_counts, last.right_counts - first.right_counts),
                tangent * unit_m / _SENSORS_APART_M,
            )
            for first, last in (left, right)
        ]


def _are_turns(sizes: Sequence[float], turn_counts: float) -> bool:
    middle = float(np.mean(sizes))
    agree = max(sizes) - min(sizes) <= _WORST_TURN * middle
    return agree and abs(middle / turn_counts - 1.0) <= _GUESS_ERROR
