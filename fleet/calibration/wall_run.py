"""Measures proximity sensors at a wall: the robot drives away and returns, and its wheels measure the distance.

The robot starts at right angles to a wall that is much wider than itself, with its nose (or its rear) touching it, or a
known gap away. Its wheels should be calibrated first.
"""

import math
from collections.abc import Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.events import MOTOR_PERIOD_S, Event, decode_odometry, require_size
from aseba_link.thymio.sensor_events import PROXIMITY_POSES, ProximityCalibration, SensorPose
from fleet.calibration.counted_wheels import HALT_RAW, Command, CountedWheels, Move, Stepper, Steps
from fleet.calibration.proximity_fit import fit_proximity
from fleet.calibration.step_log import StepLog
from fleet.errors import CalibrationError
from fleet.wheels.robot_calibration import WheelCalibration

Array = NDArray[np.float64]

MAX_GAP_M = 0.05
_SPEED_RAW = 60  # 2 mm between two readings
_DISTANCE_M = 0.16  # further than the sensors see
_SPARED_M = 0.005  # the robot stops before it touches the wall again


class Side(Enum):
    """The end of the robot at which the wall is."""

    FRONT = "front"  # five sensors
    REAR = "rear"  # two sensors


class WallRun:
    """Drives one robot back and forth; computes wheel targets from odometry and proximity readings.

    Parameters
    ----------
    wheels : the robot's wheel calibration
    side : the robot's side at the wall
    gap_m : initial distance from the middle sensor of that side to the wall
    """

    def __init__(self, wheels: WheelCalibration, side: Side, gap_m: float = 0.0) -> None:
        if not 0.0 <= gap_m <= MAX_GAP_M:
            raise CalibrationError(f"gap of {gap_m} m to the wall is not within 0 to {MAX_GAP_M:g} m")
        self.samples: list[tuple[int, Sequence[int]]] = []  # stamp, readings
        self.log = StepLog()
        self.log.expect(2)
        self._calibration = wheels
        self._side = side
        self._gap_m = gap_m
        self._wheels = CountedWheels()
        self._stepper = Stepper(self._procedure)
        self._moves_done = 0

    @property
    def is_done(self) -> bool:
        """Whether the robot has returned."""
        return self._stepper.is_done

    @property
    def progress(self) -> float:
        """Share of completed moves, 0 to 1."""
        return self._moves_done / 2

    def on_event(self, event: int, args: Sequence[int], stamp_ns: int) -> None:
        """Process an event of the robot."""
        if event == Event.ODOMETRY:
            self._wheels.on_odometry(decode_odometry(args), stamp_ns)
        elif event == Event.PROXIMITY:
            require_size(Event.PROXIMITY, args)
            self.samples.append((stamp_ns, args))

    def step(self, now_ns: int) -> Command:
        """Return the motor targets for now; raises CalibrationError if the robot cannot be measured."""
        return self._stepper.step(now_ns)

    def fit(self) -> tuple[dict[str, ProximityCalibration], float]:
        """Return the calibration of each sensor on the side, and the largest of their residuals in metres.

        Raises
        ------
        CalibrationError
            A sensor's readings are not caused by a wall.
        """
        found = {}
        worst_m = 0.0
        for index, (name, pose) in enumerate(PROXIMITY_POSES.items()):
            if name.startswith("rear") != (self._side is Side.REAR):
                continue
            readings_raw = np.array([readings[index] for _, readings in self.samples])
            try:
                found[name], residual_m = fit_proximity(self.distances_m(pose), readings_raw)
            except CalibrationError as error:
                raise CalibrationError(f"proximity sensor {name}: {error}") from error
            worst_m = max(worst_m, residual_m)
        return found, worst_m

    def distances_m(self, sensor: SensorPose) -> Array:
        """Return the distance to the wall along a sensor's axis, for every sample."""
        counts = self._wheels.counts_at([stamp_ns for stamp_ns, _ in self.samples])
        units_m = MOTOR_PERIOD_S * np.array([self._calibration.left_unit_mps, self._calibration.right_unit_mps])
        face = PROXIMITY_POSES["center" if self._side is Side.FRONT else "rear_left"]
        wall_x_m = face.x_m + math.cos(face.yaw_rad) * self._gap_m
        distances_m: Array = (wall_x_m - 0.5 * (counts @ units_m) - sensor.x_m) / math.cos(sensor.yaw_rad)
        return distances_m

    def _procedure(self, now_ns: int) -> Steps[None]:
        now_ns = yield from self._wheels.settle(now_ns)
        self.samples.clear()
        self._wheels.restart()
        away = -1 if self._side is Side.FRONT else 1
        left_raw = away * _SPEED_RAW
        right_raw = round(left_raw * self._calibration.left_unit_mps / self._calibration.right_unit_mps)
        unit_m = MOTOR_PERIOD_S * self._calibration.left_unit_mps
        out = Move(left_raw, right_raw, _DISTANCE_M / unit_m)
        back = out.back((_DISTANCE_M - _SPARED_M) / unit_m)
        for text, move in (("away from", out), ("back towards", back)):
            self.log.start_leg(f"{text} the wall, {1e3 * move.counts * unit_m:.0f} mm")
            before = len(self.samples)
            yield from self._wheels.drive(move, now_ns)
            now_ns = yield HALT_RAW
            now_ns = yield from self._wheels.settle(now_ns)
            self._moves_done += 1
            self.log.note(f"  {len(self.samples) - before} readings{self._extremes_text()}")

    def _extremes_text(self) -> str:
        """Return the range of the middle sensor's readings so far, human-readable."""
        name = "center" if self._side is Side.FRONT else "rear_left"
        index = list(PROXIMITY_POSES).index(name)
        readings_raw = [readings[index] for _, readings in self.samples]
        return f"; sensor {name}: {min(readings_raw)} to {max(readings_raw)}" if readings_raw else ""
