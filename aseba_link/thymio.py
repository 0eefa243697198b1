"""The Thymio II: its events, units and geometry; the only place where raw Aseba integers meet SI units.

Lengths are metres in the robot frame: x forward, y left, origin at the middle of the wheel axle, on the floor.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from aseba_link.errors import MessageError

NODE_NAME = "thymio-II"

AXLE_LENGTH_M = 0.094  # Enki's Thymio2 model; measured in the Aseba playground
SPEED_UNIT_MPS = 0.000332  # one motor unit; Enki: 500 units are 0.166 m/s; a real robot up to 200 units: 0.000325
MAX_SPEED_RAW = 500
MOTOR_PERIOD_S = 0.01  # the firmware's `motor` event; 0.01024 s on a real robot
BATTERY_COUNTS_PER_VOLT = 397.8  # volts = (_vbat[0] + _vbat[1]) / this, from the firmware's LED thresholds

COMMAND_TIMEOUT_S = 0.45  # COMMAND_TIMEOUT of thymio.aesl: without a command for so long the robot stops by itself


class Event(IntEnum):
    """Events of thymio.aesl; the value is the rank in the file and the type on the wire."""

    SET_SPEED = 0  # to the robot: node id, left and right wheel speed in motor units
    ODOMETRY = 1  # from the robot: see `decode_odometry`


EVENT_SIZES = {Event.SET_SPEED: 3, Event.ODOMETRY: 5}  # words


@dataclass(frozen=True, slots=True)
class WheelOdometry:
    """What an odometry event says: counters since the script started, all of which wrap.

    `ticks_raw` counts motor events modulo 2^16; `left_raw` and `right_raw` sum the measured speed in motor units
    over the ticks, modulo 2^32.
    """

    ticks_raw: int
    left_raw: int
    right_raw: int


@dataclass(frozen=True, slots=True)
class WheelTravel:
    """Distance that each wheel rolled, in metres, and the time that it took by the robot's own clock, in seconds."""

    left_m: float
    right_m: float
    duration_s: float


def decode_odometry(args: Sequence[int]) -> WheelOdometry:
    """Return the counters of an odometry event's five words.

    Raises
    ------
    MessageError
        There are not five words.
    """
    if len(args) != EVENT_SIZES[Event.ODOMETRY]:
        raise MessageError(f"odometry event with {len(args)} words instead of {EVENT_SIZES[Event.ODOMETRY]}")
    ticks, left_low, left_high, right_low, right_high = args
    return WheelOdometry(ticks, left_high * 0x10000 + left_low, right_high * 0x10000 + right_low)


def wheel_travel(before: WheelOdometry, after: WheelOdometry, speed_unit_mps: float = SPEED_UNIT_MPS) -> WheelTravel:
    """Return how far the wheels rolled from one odometry event to a later one, whatever wrapped in between.

    A wheel's distance is the sum of its speed over the motor periods.
    """
    metres_per_count = speed_unit_mps * MOTOR_PERIOD_S
    return WheelTravel(
        left_m=_wrapped(after.left_raw - before.left_raw, 32) * metres_per_count,
        right_m=_wrapped(after.right_raw - before.right_raw, 32) * metres_per_count,
        duration_s=((after.ticks_raw - before.ticks_raw) & 0xFFFF) * MOTOR_PERIOD_S,
    )


def speed_to_raw(speed_mps: float, speed_unit_mps: float = SPEED_UNIT_MPS) -> int:
    """Return the motor target nearest to a wheel speed, clamped to what the motors take.

    Raises
    ------
    ValueError
        The speed is not a number.
    """
    if math.isnan(speed_mps):
        raise ValueError(f"wheel speed {speed_mps} is not a number")
    bounded = max(-float(MAX_SPEED_RAW), min(float(MAX_SPEED_RAW), speed_mps / speed_unit_mps))
    return round(bounded)


def script_constants(odometry_hz: float) -> dict[str, int]:
    """Return the constants with which thymio.aesl reports odometry that often."""
    return {"ODOMETRY_PERIOD": max(1, round(1.0 / (odometry_hz * MOTOR_PERIOD_S)))}


def battery_volts(vbat_raw: Sequence[int]) -> float:
    """Return the battery's voltage from the two words of `_vbat`."""
    return (vbat_raw[0] + vbat_raw[1]) / BATTERY_COUNTS_PER_VOLT


def _wrapped(difference: int, bits: int) -> int:
    """Return a difference of two counters of that many bits as the signed number nearest to zero."""
    half = 1 << (bits - 1)
    return (difference + half) % (1 << bits) - half
