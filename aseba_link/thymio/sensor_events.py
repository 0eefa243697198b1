"""Decodes a Thymio's sensor events into SI units, and defines the poses of the sensors.

Values are from ros-thymio and its URDF unless another source is given.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from aseba_link.errors import InvalidValueError
from aseba_link.thymio.events import Event, require_size

STANDARD_GRAVITY_MPS2 = 9.80665
ACCELERATION_VARIANCE_M2PS4 = 0.07  # of each axis
TEMPERATURE_VARIANCE_C2 = 0.01
GROUND_FOV_RAD = 0.3
GROUND_RANGE_M = 0.03  # a floor further away is not detected
GROUND_THRESHOLD = 200 / 1023  # less reflected light than this means no floor

_ONE_G_RAW = 23  # Thymio's programming reference
_LOUDEST_RAW = 255  # the microphone has an 8 bit converter
_BRIGHTEST_RAW = 1023  # the ground sensors have 10 bit converters


@dataclass(frozen=True, slots=True)
class SensorPose:
    """Position of a sensor in the robot's frame (`base_link`), and its direction: the x axis, pitched, then yawed."""

    x_m: float
    y_m: float
    z_m: float
    yaw_rad: float
    pitch_rad: float = 0.0


PROXIMITY_POSES = {  # in the order of the event
    "left": SensorPose(0.063, 0.0493, 0.035, 0.66323),
    "center_left": SensorPose(0.0756, 0.0261, 0.035, 0.33161),
    "center": SensorPose(0.08, 0.0, 0.035, 0.0),
    "center_right": SensorPose(0.0756, -0.0261, 0.035, -0.33161),
    "right": SensorPose(0.063, -0.0493, 0.035, -0.66323),
    "rear_left": SensorPose(-0.03, 0.0305, 0.035, math.pi),
    "rear_right": SensorPose(-0.03, -0.0305, 0.035, math.pi),
}
GROUND_POSES = {  # in the order of the event; both point straight down
    "left": SensorPose(0.07157, 0.01155, 0.009, 0.24311, math.pi / 2),
    "right": SensorPose(0.07157, -0.01155, 0.009, -0.24311, math.pi / 2),
}

# The five front proximity sensors lie on an arc about the centre of the axle, facing outwards: in a scan from there
# they are this step apart, and each range is longer by the radius.
LASER_STEP_RAD = 0.331615
LASER_RADIUS_M = 0.08
LASER_HEIGHT_M = 0.035


@dataclass(frozen=True, slots=True)
class ProximityCalibration:
    """The reading of a proximity sensor as a function of distance; by default, Enki's model of the Thymio.

    A reading at distance d is m (c - x0^2) / (d^2 - 2 x0 d + c), with m = `max_raw`, x0 = `x0_m` and c = `c_m2`.
    Distances from `range_min_m` to `range_max_m` can be distinguished.
    """

    max_raw: float = 4505.0
    x0_m: float = 0.0003
    c_m2: float = 0.0073
    range_min_m: float = 0.0215
    range_max_m: float = 0.14
    fov_rad: float = 0.3

    def __post_init__(self) -> None:
        for name in ("max_raw", "x0_m", "c_m2", "range_min_m", "range_max_m", "fov_rad"):
            value = getattr(self, name)
            if not 0.0 <= value < math.inf:
                raise InvalidValueError(f"proximity calibration: {name} {value} is not a finite positive number")
        if self.max_raw == 0.0 or self.c_m2 <= self.x0_m**2:
            raise InvalidValueError(f"proximity calibration: max_raw {self.max_raw} or c_m2 {self.c_m2} is too small")
        if self.range_min_m >= self.range_max_m:
            problem = f"range_min_m {self.range_min_m} is not below range_max_m {self.range_max_m}"
            raise InvalidValueError(f"proximity calibration: {problem}")

    def range_m(self, reading_raw: int) -> float:
        """Return the distance to the obstacle in metres; +inf if there is none in range, -inf if it is too near.

        The infinities are those of REP 117. A reading beyond the calibrated range also becomes infinite, instead of
        being clamped as in ros-thymio: a clamped range creates an obstacle where there is none, or a gap where there
        is an obstacle; and -inf still compares less than any distance.
        """
        if reading_raw <= 0:
            return math.inf
        if reading_raw >= self.max_raw:
            return -math.inf
        distance_m = self.x0_m + math.sqrt((self.c_m2 - self.x0_m**2) * (self.max_raw / reading_raw - 1.0))
        if distance_m < self.range_min_m:
            return -math.inf
        return distance_m if distance_m <= self.range_max_m else math.inf


PROXIMITY_CALIBRATION = ProximityCalibration()


@dataclass(frozen=True, slots=True)
class Ground:
    """Light at the two ground sensors, as fractions of the largest measurable value."""

    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Acceleration:
    """Proper acceleration in the robot's frame: at rest on a level floor z is +9.8 m/s^2 (REP 103, REP 145)."""

    x_mps2: float
    y_mps2: float
    z_mps2: float


@dataclass(frozen=True, slots=True)
class Buttons:
    """Which of the five touch buttons are pressed."""

    backward: bool
    left: bool
    center: bool
    forward: bool
    right: bool


@dataclass(frozen=True, slots=True)
class RemoteCommand:
    """A command of an RC5 remote control."""

    address: int
    command: int


@dataclass(frozen=True, slots=True)
class CommReception:
    """A transmission from another robot by infrared, with payload and intensity at each proximity sensor, in order.

    `value` is the payload at the sensor with the best reception. All seven payloads and intensities are 0 on a node
    that does not report them, such as the Aseba playground's.
    """

    value: int
    payloads: tuple[int, ...]
    intensities: tuple[int, ...]


# Every decoder raises MessageError if an event does not have the number of words defined by the script.


def decode_proximity(
    args: Sequence[int], calibrations: Sequence[ProximityCalibration] = (PROXIMITY_CALIBRATION,) * 7
) -> tuple[float, ...]:
    """Return the seven ranges of a proximity event in metres, in the order of `PROXIMITY_POSES`; see `range_m`."""
    require_size(Event.PROXIMITY, args)
    return tuple(calibration.range_m(reading_raw) for calibration, reading_raw in zip(calibrations, args, strict=True))


def decode_ground(args: Sequence[int], event: Event = Event.GROUND) -> Ground:
    """Return the content of a ground event; `event` distinguishes ambient and reflected light."""
    require_size(event, args)
    left_raw, right_raw = args
    return Ground(left_raw / _BRIGHTEST_RAW, right_raw / _BRIGHTEST_RAW)


def floor_range_m(reflected: float, threshold: float = GROUND_THRESHOLD) -> float:
    """Return a ground sensor's reading as a two-valued range: -inf above a floor, +inf over an edge.

    REP 117 and sensor_msgs/Range define this for sensors of fixed distance.
    """
    return -math.inf if reflected >= threshold else math.inf


def decode_acceleration(args: Sequence[int]) -> Acceleration:
    """Return the acceleration of an accelerometer event.

    The firmware's axes point from right to left, from front to back and from top to bottom, and measure the pull of
    gravity; `Acceleration` is the opposing push.
    """
    require_size(Event.ACCELEROMETER, args)
    leftward_raw, backward_raw, downward_raw = args
    unit_mps2 = STANDARD_GRAVITY_MPS2 / _ONE_G_RAW
    return Acceleration(backward_raw * unit_mps2, -leftward_raw * unit_mps2, downward_raw * unit_mps2)


def decode_buttons(args: Sequence[int]) -> Buttons:
    """Return which buttons were pressed at any time since the previous buttons event."""
    require_size(Event.BUTTONS, args)
    return Buttons(*(word != 0 for word in args))


def decode_button(event: Event, args: Sequence[int]) -> bool:
    """Return whether the button of a single-button event is pressed now."""
    require_size(event, args)
    return args[0] != 0


def decode_temperature(args: Sequence[int]) -> float:
    """Return the temperature in degrees Celsius."""
    require_size(Event.TEMPERATURE, args)
    return args[0] / 10.0


def decode_sound(args: Sequence[int]) -> float:
    """Return the loudness, 0 to 1."""
    require_size(Event.SOUND, args)
    return args[0] / _LOUDEST_RAW


def decode_remote(args: Sequence[int]) -> RemoteCommand:
    """Return the command of a remote control event."""
    require_size(Event.REMOTE, args)
    return RemoteCommand(*args)


def decode_comm(args: Sequence[int]) -> CommReception:
    """Return the content of an infrared reception event."""
    require_size(Event.COMM, args)
    return CommReception(args[0], tuple(args[1:8]), tuple(args[8:15]))
