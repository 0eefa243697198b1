"""Measures wheels with a pose source: straights out and back at several speeds, and turns on the spot both ways.

The robot is stationary at both ends of each stretch while its pose is averaged, so the pose source's latency does not
matter. Each stretch is driven out and back, so the robot stays near its start.
"""

import math
from collections.abc import Iterator, Sequence

from aseba_link.thymio.events import MOTOR_PERIOD_S, Event, decode_odometry
from fleet.calibration.counted_wheels import HALT_RAW, Command, CountedWheels, Move, Stepper, Steps
from fleet.calibration.step_log import StepLog
from fleet.calibration.wheel_fit import Stretch, WheelFit, fit_wheels
from fleet.errors import CalibrationError
from fleet.geometry import Pose2D
from fleet.settings.config import ArenaConfig
from fleet.wheels.robot_calibration import WheelCalibration

STRAIGHT_M = 0.5
MIN_STRAIGHT_M = 0.2
ROUNDS = 2
POSES = 30  # to average at each standstill
_SPEEDS_RAW = (100, 200, 300)  # above, real robots do not reach the commanded speed
_TURN_SPEEDS_RAW = (100, 200)
_POSE_TIMEOUT_S = 1.0  # longest time without a pose while the robot drives
_WAIT_S = 10.0  # for the poses of a standstill
_EDGE_M = 0.02  # a robot rolls on this far after the command to stop
_WORST_MISS_M = 0.02  # a stretch with a larger residual was disturbed


class PoseRun:
    """Drives one robot through the procedure; computes wheel targets from odometry and poses.

    Parameters
    ----------
    area : where the middle of the robot's axle may be, in the frame of the poses
    guess : the current wheel calibration
    straight_m : length of the straights; shorter if the area is too short
    rounds : number of repetitions of all stretches
    """

    def __init__(
        self, area: ArenaConfig, guess: WheelCalibration, straight_m: float = STRAIGHT_M, rounds: int = ROUNDS
    ) -> None:
        self.stretches: list[Stretch] = []
        self.log = StepLog()
        if not (straight_m >= MIN_STRAIGHT_M and rounds >= 1):
            raise CalibrationError(f"{rounds} rounds of {straight_m} m: at least 1 of {MIN_STRAIGHT_M:g} m is needed")
        self._area = area
        self._guess = guess
        self._straight_m = straight_m
        self._rounds = rounds
        self._wheels = CountedWheels()
        self._pose: Pose2D | None = None
        self._pose_ns = 0
        self._stand_ns: int | None = None
        self._poses: list[Pose2D] = []
        self._stepper = Stepper(self._procedure)
        self._now_ns = 0
        self._moves_total = 1

    @property
    def is_done(self) -> bool:
        """Whether every stretch was driven."""
        return self._stepper.is_done

    @property
    def progress(self) -> float:
        """Share of completed stretches, 0 to 1."""
        return len(self.stretches) / self._moves_total

    def on_event(self, event: int, args: Sequence[int], stamp_ns: int) -> None:
        """Process an event of the robot."""
        if event == Event.ODOMETRY:
            self._wheels.on_odometry(decode_odometry(args), stamp_ns)

    def on_pose(self, pose: Pose2D, stamp_ns: int) -> None:
        """Process a measured pose."""
        self._pose, self._pose_ns = pose, max(stamp_ns, self._pose_ns)
        if self._stand_ns is not None and stamp_ns > self._stand_ns:
            self._poses.append(pose)

    def step(self, now_ns: int) -> Command:
        """Return the motor targets for now.

        Raises
        ------
        CalibrationError
            The robot cannot be measured; it must be stopped.
        """
        self._now_ns = now_ns
        return self._stepper.step(now_ns)

    def fit(self) -> WheelFit:
        """Return the wheels that fit the measurements.

        Raises
        ------
        CalibrationError
            The stretches contradict each other: the robot was pushed, or slipped.
        """
        fit = fit_wheels(self.stretches, self._guess)
        if fit.residual_m > _WORST_MISS_M:
            raise CalibrationError(
                f"the stretches do not fit each other: {1000.0 * fit.residual_m:.0f} mm; was the robot pushed?"
            )
        return fit

    def _procedure(self, now_ns: int) -> Steps[None]:
        self.log.note("waiting until the robot stands, and for its pose")
        start = yield from self._stand(now_ns)
        self.log.note(f"the robot stands at {_text(start)}")
        pairs = self._pairs(start)
        self._moves_total = 2 * len(pairs)
        self.log.expect(self._moves_total)
        for out in pairs:
            counted, start = yield from self._drive(out, start)
            _, start = yield from self._drive(out.back(counted), start)

    def _pairs(self, start: Pose2D) -> list[Move]:
        """Return the moves to drive out and back, from where the robot stands."""
        ahead_m, behind_m = (room_m(self._area, start, sign) - _EDGE_M for sign in (1.0, -1.0))
        straight_m = min(self._straight_m, max(ahead_m, behind_m))
        if straight_m < MIN_STRAIGHT_M:
            raise CalibrationError(
                f"only {max(ahead_m, 0.0):.2f} m ahead of the robot and {max(behind_m, 0.0):.2f} m behind it are in "
                f"the area, {MIN_STRAIGHT_M:g} m are needed: place it at one end, pointing along"
            )
        sign = 1 if ahead_m >= straight_m else -1
        return [move for _ in range(self._rounds) for move in self._round(straight_m, sign)]

    def _round(self, straight_m: float, sign: int) -> Iterator[Move]:
        unit_m = MOTOR_PERIOD_S * 0.5 * (self._guess.left_unit_mps + self._guess.right_unit_mps)
        for speed_raw in _SPEEDS_RAW:
            yield Move(sign * speed_raw, sign * speed_raw, straight_m / unit_m)
        for speed_raw in _TURN_SPEEDS_RAW:
            yield Move(-speed_raw, speed_raw, math.pi * self._guess.axle_length_m / unit_m)

    def _drive(self, move: Move, start: Pose2D) -> Steps[tuple[float, Pose2D]]:
        """Drive a stretch; return the counts at the command to stop, and the robot's final pose."""
        self.log.start_leg(self._move_text(move))
        now_ns = yield HALT_RAW
        left, right = self._wheels.left_counts, self._wheels.right_counts
        forward = (move.left_raw + move.right_raw) / (2.0 * move.speed_raw)
        counted = yield from self._wheels.drive(move, now_ns, lambda: self._is_leaving(forward))
        now_ns = yield HALT_RAW
        end = yield from self._stand(now_ns)
        left, right = self._wheels.left_counts - left, self._wheels.right_counts - right
        self.stretches.append(Stretch(left, right, start, end, move.speed_raw))
        moved_mm, turned_deg = 1e3 * start.distance_to(end), math.degrees(start.heading_error_to(end))
        self.log.note(
            f"  moved {moved_mm:.1f} mm, turned {turned_deg:.1f} degrees; wheels counted {left:.0f} and {right:.0f}; "
            f"stands at {_text(end)}"
        )
        return counted, end

    def _move_text(self, move: Move) -> str:
        """Return a human-readable description of a move."""
        unit_m = MOTOR_PERIOD_S * 0.5 * (self._guess.left_unit_mps + self._guess.right_unit_mps)
        if move.left_raw == -move.right_raw:
            side = "left" if move.right_raw > 0 else "right"
            return f"turn on the spot to the {side}, at {move.speed_raw} motor units"
        way = "ahead" if move.left_raw > 0 else "back"
        return f"straight {way} for {move.counts * unit_m:.2f} m, at {move.speed_raw} motor units"

    def _is_leaving(self, forward: float) -> bool:
        """Whether the robot is outside the area and driving further away; raises if no poses arrive."""
        if self._pose is None or (self._now_ns - self._pose_ns) * 1e-9 > _POSE_TIMEOUT_S:
            raise CalibrationError(f"no pose arrived for {_POSE_TIMEOUT_S:g} s while the robot drove")
        if not forward or self._area.contains(self._pose):
            return False
        return room_m(self._area, self._pose, forward) <= 0.0

    def _stand(self, now_ns: int) -> Steps[Pose2D]:
        """Wait until the robot is stationary; return its mean pose."""
        now_ns = yield from self._wheels.settle(now_ns)
        started_ns = now_ns
        self._stand_ns = now_ns
        self._poses.clear()
        while len(self._poses) < POSES:
            if (now_ns - started_ns) * 1e-9 > _WAIT_S:
                raise CalibrationError(f"{len(self._poses)} poses arrived in {_WAIT_S:g} s, {POSES} are needed")
            now_ns = yield HALT_RAW
        self._stand_ns = None
        return mean_pose(self._poses)


def _text(pose: Pose2D) -> str:
    return f"({pose.x_m:.3f}, {pose.y_m:.3f}) m, {math.degrees(pose.heading_rad):.1f} degrees"


def mean_pose(poses: Sequence[Pose2D]) -> Pose2D:
    """Return the mean of poses that are close together; headings are averaged as directions."""
    sine = math.fsum(math.sin(pose.heading_rad) for pose in poses)
    cosine = math.fsum(math.cos(pose.heading_rad) for pose in poses)
    x_m, y_m = (math.fsum(values) / len(poses) for values in zip(*((p.x_m, p.y_m) for p in poses), strict=True))
    return Pose2D(x_m, y_m, math.atan2(sine, cosine))


def room_m(area: ArenaConfig, pose: Pose2D, sign: float) -> float:
    """Return how far the robot can drive, forward (1) or backward (-1), before it leaves the area; 0 outside it."""
    rooms_m = []
    for place_m, step, low_m, high_m in (
        (pose.x_m, sign * math.cos(pose.heading_rad), area.x_min_m, area.x_max_m),
        (pose.y_m, sign * math.sin(pose.heading_rad), area.y_min_m, area.y_max_m),
    ):
        edge_m = high_m if step > 0.0 else low_m
        rooms_m.append((edge_m - place_m) / step if abs(step) > 1e-9 else math.inf)
    return max(0.0, min(rooms_m))
