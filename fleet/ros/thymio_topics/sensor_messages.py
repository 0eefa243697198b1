"""Converts SI sensor values to messages; pure functions; a free range is +inf, a too near one -inf (REP 117)."""

import math
from collections.abc import Sequence

from sensor_msgs.msg import BatteryState, Imu, Joy, LaserScan, Range, Temperature
from std_msgs.msg import Header, Int8
from thymio_msgs.msg import Comm

from aseba_link.errors import MessageError
from aseba_link.thymio.sensor_events import (
    ACCELERATION_VARIANCE_M2PS4,
    GROUND_FOV_RAD,
    GROUND_RANGE_M,
    LASER_RADIUS_M,
    LASER_STEP_RAD,
    TEMPERATURE_VARIANCE_C2,
    Acceleration,
    Buttons,
    CommReception,
    ProximityCalibration,
    RemoteCommand,
)
from thymio_base.ros.stamps import time_to_ros

_FRONT = 5  # of the seven proximity sensors, from left to right
_MAX_REMOTE_COMMAND = 127  # of an extended RC5 code
_UNKNOWN = -1.0  # first element of a covariance in sensor_msgs/Imu: this is not measured


def header_to_ros(stamp_ns: int, frame: str) -> Header:
    """Return the header of a measurement at `stamp_ns`, on the ROS clock, in a frame."""
    return Header(stamp=time_to_ros(stamp_ns), frame_id=frame)


def range_to_ros(range_m: float, calibration: ProximityCalibration, header: Header) -> Range:
    """Return the message of a proximity sensor."""
    return Range(
        header=header,
        radiation_type=Range.INFRARED,
        field_of_view=calibration.fov_rad,
        min_range=calibration.range_min_m,
        max_range=calibration.range_max_m,
        range=range_m,
    )


def ground_to_ros(range_m: float, header: Header) -> Range:
    """Return the message of a ground sensor: its distance is fixed, so the limits are equal; -inf above a floor."""
    return Range(
        header=header,
        radiation_type=Range.INFRARED,
        field_of_view=GROUND_FOV_RAD,
        min_range=GROUND_RANGE_M,
        max_range=GROUND_RANGE_M,
        range=range_m,
    )


def laser_to_ros(
    ranges_m: Sequence[float],
    intensities: Sequence[float],
    calibrations: Sequence[ProximityCalibration],
    scan_s: float,
    header: Header,
) -> LaserScan:
    """Return the five sensors in front as one scan, from right to left.

    The lines of sight of all five meet at equal angles above the middle of the axle, 0.08 m behind the sensors; so each
    range is the sensor's plus those 0.08 m, exactly (positions from the URDF; Enki's differ by 2 mm and up to 2
    degrees).

    Parameters
    ----------
    ranges_m
        ranges of the seven proximity sensors, from the left
    intensities
        their readings, in the device's own units
    calibrations
        of the same sensors
    scan_s
        time from one scan to the next
    header
        in the frame above the axle's middle, pointing forward
    """
    return LaserScan(
        header=header,
        angle_min=-2.0 * LASER_STEP_RAD,
        angle_max=2.0 * LASER_STEP_RAD,
        angle_increment=LASER_STEP_RAD,
        scan_time=scan_s,
        range_min=LASER_RADIUS_M + min(calibration.range_min_m for calibration in calibrations[:_FRONT]),
        range_max=LASER_RADIUS_M + max(calibration.range_max_m for calibration in calibrations[:_FRONT]),
        ranges=[LASER_RADIUS_M + range_m for range_m in reversed(ranges_m[:_FRONT])],
        intensities=[float(intensity) for intensity in reversed(intensities[:_FRONT])],
    )


def imu_to_ros(acceleration: Acceleration, header: Header) -> Imu:
    """Return the message of an accelerometer; orientation and turn rate are marked as not measured."""
    message = Imu(header=header)
    message.orientation_covariance[0] = _UNKNOWN
    message.angular_velocity_covariance[0] = _UNKNOWN
    message.linear_acceleration.x = acceleration.x_mps2
    message.linear_acceleration.y = acceleration.y_mps2
    message.linear_acceleration.z = acceleration.z_mps2
    for diagonal in (0, 4, 8):
        message.linear_acceleration_covariance[diagonal] = ACCELERATION_VARIANCE_M2PS4
    return message


def joy_to_ros(buttons: Buttons, header: Header) -> Joy:
    """Return the five buttons as a joystick: backward, left, center, forward, right."""
    pressed = (buttons.backward, buttons.left, buttons.center, buttons.forward, buttons.right)
    return Joy(header=header, buttons=[int(button) for button in pressed])


def temperature_to_ros(temperature_c: float, header: Header) -> Temperature:
    """Return the message of a temperature in degrees Celsius."""
    return Temperature(header=header, temperature=temperature_c, variance=TEMPERATURE_VARIANCE_C2)


def comm_to_ros(reception: CommReception) -> Comm:
    """Return the message of what another robot sent by infrared."""
    return Comm(value=reception.value, payloads=list(reception.payloads), intensities=list(reception.intensities))


def remote_to_ros(remote: RemoteCommand) -> Int8:
    """Return the message of a remote control's key; raise MessageError for a command that is not in RC5."""
    if not 0 <= remote.command <= _MAX_REMOTE_COMMAND:
        raise MessageError(f"remote event with command {remote.command}")
    return Int8(data=remote.command)


def battery_to_ros(volts: float, percent: int, header: Header) -> BatteryState:
    """Return the message of a battery; what a Thymio does not measure is NaN, as the message defines.

    A node without a battery reports 0 V; a negative `percent` is unknown.
    """
    is_present = volts > 0.0
    return BatteryState(
        header=header,
        present=is_present,
        voltage=volts if is_present else math.nan,
        percentage=percent / 100.0 if is_present and percent >= 0 else math.nan,
        temperature=math.nan,
        current=math.nan,
        charge=math.nan,
        capacity=math.nan,
        design_capacity=math.nan,
        power_supply_technology=BatteryState.POWER_SUPPLY_TECHNOLOGY_LIPO,
        cell_voltage=[volts if is_present else math.nan],
    )
