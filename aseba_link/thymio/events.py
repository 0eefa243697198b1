"""The Thymio II: its events, units and geometry; the only place where raw Aseba integers meet SI units.

Lengths are metres in the robot frame: x forward, y left, origin at the centre of the wheel axle, on the floor.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from aseba_link.errors import InvalidValueError, MessageError

NODE_NAME = "thymio-II"

AXLE_LENGTH_M = 0.094  # Enki's Thymio2 model; confirmed in the Aseba playground
SPEED_UNIT_MPS: Final = 0.000332  # one motor unit; Enki: 500 units are 0.166 m/s; a real robot up to 200: 0.000325
MAX_SPEED_RAW: Final = 500
_FASTEST_RAW: Final = 4 * MAX_SPEED_RAW  # no robot measures more, not even when pushed or lifted
MOTOR_PERIOD_S: Final = 0.01  # the firmware's `motor` event; 0.01024 s on a real robot
BATTERY_COUNTS_PER_VOLT = 397.8  # volts = (_vbat[0] + _vbat[1]) / this, from the firmware's LED thresholds

COMMAND_TIMEOUT_S = 0.45  # COMMAND_TIMEOUT of thymio.aesl: after this long without commands the robot stops by itself

MIN_REPORT_HZ = 0.1  # slower reports would overflow the script's sums, which are words

# Local events of the firmware per second, with `motor` at 100
_PROXIMITY_HZ = 10.0  # every 800 ticks of the firmware's 7812.5 Hz; `motor` every 80
_ACCELEROMETER_HZ = 16.0  # 62 ms
_BUTTONS_HZ = 50.0  # every 160 ticks; the Aseba playground has only 20 Hz
_SOUND_THRESHOLD_RAW = 20  # as in ros-thymio


class Event(IntEnum):
    """Events of thymio.aesl; the value is the rank in the file and the type on the wire.

    The first word of every command, an event to the robot, is the node id of the addressed robot.
    """

    SET_SPEED = 0  # command: left and right wheel speed in motor units
    ODOMETRY = 1  # see `decode_odometry`
    PROXIMITY = 2  # the seven horizontal sensors; for this and the following events see `sensor_events`
    GROUND = 3  # left, right: reflected light minus ambient light
    GROUND_AMBIENT = 4  # left, right
    GROUND_REFLECTED = 5  # left, right
    ACCELEROMETER = 6  # means of the three axes since the previous event
    BUTTONS = 7  # backward, left, center, forward, right: whether pressed since the previous event
    BUTTON_BACKWARD = 8  # 1 when pressed, 0 when released
    BUTTON_LEFT = 9
    BUTTON_CENTER = 10
    BUTTON_FORWARD = 11
    BUTTON_RIGHT = 12
    TAP = 13
    TEMPERATURE = 14
    SOUND = 15  # the loudest since the previous event
    REMOTE = 16  # address, command of an RC5 remote control
    COMM = 17  # from another robot by infrared: value, then payloads and intensities of the seven sensors
    SHUTDOWN = 18  # command: switch the robot off; for this and the following commands see `actuators`
    SET_SOUND_THRESHOLD = 19  # command
    SET_COMM_PAYLOAD = 20  # command
    ENABLE_COMM = 21  # command
    SET_LED_TOP = 22  # command: red, green, blue
    SET_LED_BOTTOM_RIGHT = 23  # command: red, green, blue
    SET_LED_BOTTOM_LEFT = 24  # command: red, green, blue
    SET_LED = 25  # command: group, 8 values
    SET_LED_GESTURE = 26  # command: gesture, group, wave, period, length, mirror, 8 masks
    PLAY_SYSTEM_SOUND = 27  # command
    PLAY_SOUND = 28  # command: hertz, 1/60 s


ODOMETRY_WORDS: Final = 5
EVENT_SIZES = {  # words
    Event.SET_SPEED: 3,
    Event.ODOMETRY: ODOMETRY_WORDS,
    Event.PROXIMITY: 7,
    Event.GROUND: 2,
    Event.GROUND_AMBIENT: 2,
    Event.GROUND_REFLECTED: 2,
    Event.ACCELEROMETER: 3,
    Event.BUTTONS: 5,
    Event.BUTTON_BACKWARD: 1,
    Event.BUTTON_LEFT: 1,
    Event.BUTTON_CENTER: 1,
    Event.BUTTON_FORWARD: 1,
    Event.BUTTON_RIGHT: 1,
    Event.TAP: 0,
    Event.TEMPERATURE: 1,
    Event.SOUND: 1,
    Event.REMOTE: 2,
    Event.COMM: 15,
    Event.SHUTDOWN: 1,
    Event.SET_SOUND_THRESHOLD: 2,
    Event.SET_COMM_PAYLOAD: 2,
    Event.ENABLE_COMM: 2,
    Event.SET_LED_TOP: 4,
    Event.SET_LED_BOTTOM_RIGHT: 4,
    Event.SET_LED_BOTTOM_LEFT: 4,
    Event.SET_LED: 10,
    Event.SET_LED_GESTURE: 15,
    Event.PLAY_SYSTEM_SOUND: 2,
    Event.PLAY_SOUND: 3,
}


@dataclass(init=False, unsafe_hash=True, slots=True)
class WheelOdometry:
    """The content of an odometry event: counters since the script started, all of which wrap.

    `ticks_raw` counts motor events modulo 2^16; `left_raw` and `right_raw` sum the measured speed in motor units
    over the ticks, modulo 2^32.
    """

    ticks_raw: Final[int]
    left_raw: Final[int]
    right_raw: Final[int]

    def __init__(self, ticks_raw: int, left_raw: int, right_raw: int) -> None:
        self.ticks_raw = ticks_raw
        self.left_raw = left_raw
        self.right_raw = right_raw


@dataclass(init=False, unsafe_hash=True, slots=True)
class SpeedUnits:
    """Ground speed of each wheel at one motor unit, in m/s."""

    left_mps: Final[float]
    right_mps: Final[float]

    def __init__(self, left_mps: float = SPEED_UNIT_MPS, right_mps: float = SPEED_UNIT_MPS) -> None:
        self.left_mps = left_mps
        self.right_mps = right_mps


NOMINAL_UNITS: Final = SpeedUnits()


@dataclass(init=False, unsafe_hash=True, slots=True)
class WheelTravel:
    """Distance rolled by each wheel, in metres, and the time it took by the robot's own clock, in seconds."""

    left_m: Final[float]
    right_m: Final[float]
    duration_s: Final[float]

    def __init__(self, left_m: float, right_m: float, duration_s: float) -> None:
        self.left_m = left_m
        self.right_m = right_m
        self.duration_s = duration_s


def decode_odometry(args: Sequence[int]) -> WheelOdometry:
    """Return the counters in the five words of an odometry event.

    Raises
    ------
    MessageError
        The number of words is not five.
    """
    words = tuple(args)  # args is nearly always a tuple, whose items can be read faster than those of other sequences
    if len(words) != ODOMETRY_WORDS:
        require_size(Event.ODOMETRY, args)
    return WheelOdometry(words[0], words[2] * 0x10000 + words[1], words[4] * 0x10000 + words[3])


def require_size(event: Event, args: Sequence[int]) -> None:
    """Raise MessageError if an event does not have the number of words defined by the script."""
    if len(args) != EVENT_SIZES[event]:
        raise MessageError(f"{event.name.lower()} event with {len(args)} words instead of {EVENT_SIZES[event]}")


def wheel_counts(before: WheelOdometry, after: WheelOdometry) -> tuple[int, int]:
    """Return the increments of the left and the right wheel's sums between two events, despite wrapping.

    The unit is motor units times motor periods.
    """
    return _wrapped(after.left_raw - before.left_raw), _wrapped(after.right_raw - before.right_raw)


def wheel_travel(before: WheelOdometry, after: WheelOdometry, units: SpeedUnits = NOMINAL_UNITS) -> WheelTravel:
    """Return how far the wheels rolled between two odometry events, despite wrapping.

    A wheel's distance is the sum of its speed over the motor periods.
    """
    left_counts, right_counts = wheel_counts(before, after)
    return WheelTravel(
        left_m=left_counts * units.left_mps * MOTOR_PERIOD_S,
        right_m=right_counts * units.right_mps * MOTOR_PERIOD_S,
        duration_s=((after.ticks_raw - before.ticks_raw) & 0xFFFF) * MOTOR_PERIOD_S,
    )


def require_possible(before: WheelOdometry, after: WheelOdometry) -> None:
    """Raise MessageError if the wheels rolled faster between two odometry events than any wheel can."""
    ticks = (after.ticks_raw - before.ticks_raw) & 0xFFFF
    most = (ticks + 1) * _FASTEST_RAW
    left_counts, right_counts = wheel_counts(before, after)
    if abs(left_counts) > most or abs(right_counts) > most:
        raise MessageError(f"odometry of {left_counts} and {right_counts} motor units in {ticks} motor periods")


def speed_to_raw(speed_mps: float, speed_unit_mps: float = SPEED_UNIT_MPS) -> int:
    """Return the motor target nearest to a wheel speed, clamped to the motors' range.

    Raises
    ------
    ValueError
        The speed is not a number.
    """
    if math.isnan(speed_mps):
        raise ValueError(f"wheel speed {speed_mps} is not a number")
    bounded = max(-float(MAX_SPEED_RAW), min(float(MAX_SPEED_RAW), speed_mps / speed_unit_mps))
    return math.floor(bounded + 0.5)  # when compiled, ten times as fast as round()


@dataclass(frozen=True, slots=True)
class Reports:
    """Which sensors a robot's script reports besides odometry; by default none, to spare the radio.

    Rates are events per second, 0 means never. A sensor is reported at most as often as the firmware reads it:
    proximity and ground 10 times a second, acceleration 16 times, buttons 50 times.
    """

    proximity_hz: float = 0.0
    ground_hz: float = 0.0
    ground_raw_hz: float = 0.0  # two events each time: ambient and reflected
    accelerometer_hz: float = 0.0
    buttons_hz: float = 0.0  # all five at once
    button: bool = False  # each button as it is pressed and released
    tap: bool = False
    temperature: bool = False  # once a second
    sound: bool = False  # at most 10 times a second; SET_SOUND_THRESHOLD changes it
    remote: bool = False
    comm: bool = False  # up to 10 times a second for each robot in sight; ENABLE_COMM changes it

    def __post_init__(self) -> None:
        for name in ("proximity_hz", "ground_hz", "ground_raw_hz", "accelerometer_hz", "buttons_hz"):
            rate_hz = getattr(self, name)
            if rate_hz != 0.0 and not MIN_REPORT_HZ <= rate_hz < math.inf:
                raise InvalidValueError(f"{name}: {rate_hz} is neither 0 nor at least {MIN_REPORT_HZ}")


NO_REPORTS = Reports()


def script_constants(odometry_hz: float, reports: Reports = NO_REPORTS) -> dict[str, int]:
    """Return the constants of thymio.aesl for odometry and other reports at these rates."""
    return {
        "ODOMETRY_PERIOD": max(1, round(1.0 / (odometry_hz * MOTOR_PERIOD_S))),
        "PROXIMITY_PERIOD": _period(_PROXIMITY_HZ, reports.proximity_hz),
        "GROUND_PERIOD": _period(_PROXIMITY_HZ, reports.ground_hz),
        "GROUND_RAW_PERIOD": _period(_PROXIMITY_HZ, reports.ground_raw_hz),
        "ACCELEROMETER_PERIOD": _period(_ACCELEROMETER_HZ, reports.accelerometer_hz),
        "BUTTONS_PERIOD": _period(_BUTTONS_HZ, reports.buttons_hz),
        "EMIT_BUTTON": int(reports.button),
        "EMIT_TAP": int(reports.tap),
        "EMIT_TEMPERATURE": int(reports.temperature),
        "SOUND_THRESHOLD": _SOUND_THRESHOLD_RAW if reports.sound else 0,
        "EMIT_REMOTE": int(reports.remote),
        "ENABLE_COMM": int(reports.comm),
    }


def battery_volts(vbat_raw: Sequence[int]) -> float:
    """Return the battery's voltage from the two words of `_vbat`."""
    return (vbat_raw[0] + vbat_raw[1]) / BATTERY_COUNTS_PER_VOLT


def _period(event_hz: float, report_hz: float) -> int:
    """Return the number of local events per report; 0 (never) for a rate of 0."""
    return max(1, round(event_hz / report_hz)) if report_hz > 0.0 else 0


def _wrapped(difference: int) -> int:
    """Return a difference of two 32-bit counters as the signed number nearest to zero."""
    return ((difference + 0x80000000) & 0xFFFFFFFF) - 0x80000000
