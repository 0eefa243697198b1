"""The calibration of one robot: its wheels and its proximity sensors."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from aseba_link.thymio.events import MAX_SPEED_RAW, SpeedUnits
from aseba_link.thymio.sensor_events import PROXIMITY_CALIBRATION, PROXIMITY_POSES, ProximityCalibration
from fleet.wheels.differential_drive import DifferentialDrive


@dataclass(init=False, unsafe_hash=True, slots=True)
class WheelCalibration:
    """A robot's drive: the speed of each wheel at one motor unit, and the distance between the wheels.

    The same number per wheel serves odometry and commands: the firmware makes the measured speed equal to the target,
    and both are in motor units.
    """

    left_unit_mps: Final[float]
    right_unit_mps: Final[float]
    axle_length_m: Final[float]

    def __init__(self, left_unit_mps: float, right_unit_mps: float, axle_length_m: float) -> None:
        self.left_unit_mps = left_unit_mps
        self.right_unit_mps = right_unit_mps
        self.axle_length_m = axle_length_m

    @property
    def units(self) -> SpeedUnits:
        """The speeds at one motor unit."""
        return SpeedUnits(self.left_unit_mps, self.right_unit_mps)

    @property
    def drive(self) -> DifferentialDrive:
        """The differential drive with these wheels."""
        return DifferentialDrive(self.axle_length_m, self.max_wheel_mps)

    def scaled(self, left: float, right: float) -> "WheelCalibration":
        """Return the calibration of wheels that roll further by these factors."""
        return WheelCalibration(left * self.left_unit_mps, right * self.right_unit_mps, self.axle_length_m)

    @property
    def max_wheel_mps(self) -> float:
        """The highest speed that both wheels can reach."""
        return MAX_SPEED_RAW * min(self.left_unit_mps, self.right_unit_mps)


@dataclass(frozen=True, slots=True)
class Record:
    """The record of a measurement; `date` is ISO 8601, "" is unknown."""

    date: str = ""
    method: str = ""
    residual_m: float | None = None  # root mean square residual of the fit, None is unknown


@dataclass(frozen=True, slots=True)
class RobotCalibration:
    """One robot's entry in the calibration file; values that were not measured are None or absent.

    `node_id` and `uuid` identify the robot that was measured; None and "" are unknown.
    """

    robot_id: int
    node_id: int | None = None
    uuid: str = ""
    wheels: WheelCalibration | None = None
    wheels_record: Record = Record()
    proximity: Mapping[str, ProximityCalibration] = field(default_factory=dict)
    proximity_record: Record = Record()

    @property
    def proximity_calibrations(self) -> tuple[ProximityCalibration, ...]:
        """The seven sensors in the order of the proximity event, with Enki's model for those not measured."""
        return tuple(self.proximity.get(name, PROXIMITY_CALIBRATION) for name in PROXIMITY_POSES)

    def disagreements(self, node_id: int | None, uuid: str) -> Iterator[str]:
        """Yield signs that the measured robot is not the one that now has this ID."""
        if node_id is not None and self.node_id not in (None, node_id):
            yield f"robot {self.robot_id}: node {self.node_id} was measured, but the fleet's is node {node_id}"
        if uuid and self.uuid not in ("", uuid):
            yield f"robot {self.robot_id}: {self.uuid} was measured, but the fleet's is {uuid}"
