"""Sensors as messages, against REP 103, REP 117, REP 145 and the comments of the message files."""

import math

import pytest
from sensor_msgs.msg import BatteryState, Range

from aseba_link.errors import MessageError
from aseba_link.thymio.sensor_events import (
    PROXIMITY_CALIBRATION,
    PROXIMITY_POSES,
    Buttons,
    CommReception,
    ProximityCalibration,
    RemoteCommand,
    decode_acceleration,
    decode_proximity,
)
from fleet.ros.thymio_topics.sensor_messages import (
    battery_to_ros,
    comm_to_ros,
    ground_to_ros,
    header_to_ros,
    imu_to_ros,
    joy_to_ros,
    laser_to_ros,
    range_to_ros,
    remote_to_ros,
    temperature_to_ros,
)

HEADER = header_to_ros(1_500_000_000, "robot_1/base_link")
CALIBRATIONS = (PROXIMITY_CALIBRATION,) * 7
FREE = (math.inf,) * 7


def scan(ranges_m: tuple[float, ...], readings: tuple[int, ...] = (0,) * 7):
    return laser_to_ros(ranges_m, readings, CALIBRATIONS, 0.1, HEADER)


def test_a_header_holds_the_instant_of_the_event() -> None:
    assert (HEADER.stamp.sec, HEADER.stamp.nanosec, HEADER.frame_id) == (1, 500_000_000, "robot_1/base_link")


def test_a_range_lies_within_its_limits() -> None:
    message = range_to_ros(0.1, PROXIMITY_CALIBRATION, HEADER)
    assert message.radiation_type == Range.INFRARED
    assert message.min_range <= message.range <= message.max_range
    assert (message.field_of_view, message.max_range) == pytest.approx((0.3, 0.14))


@pytest.mark.parametrize("range_m", [math.inf, -math.inf])
def test_free_and_too_near_ranges_stay_infinite(range_m: float) -> None:
    assert range_to_ros(range_m, PROXIMITY_CALIBRATION, HEADER).range == range_m
    assert ground_to_ros(range_m, HEADER).range == range_m


def test_ground_sensor_is_a_fixed_distance_ranger() -> None:
    message = ground_to_ros(-math.inf, HEADER)
    assert message.min_range == message.max_range == pytest.approx(0.03)


def test_a_free_scan_shows_no_obstacle() -> None:
    # ros-thymio's -1.0 became an obstacle at range_min in every free direction
    message = scan(decode_proximity((0,) * 7))
    assert list(message.ranges) == [math.inf] * 5


def test_a_scan_goes_from_right_to_left() -> None:
    message = scan((0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11), (1, 2, 3, 4, 5, 6, 7))
    assert list(message.ranges) == pytest.approx([0.17, 0.16, 0.15, 0.14, 0.13])
    assert list(message.intensities) == [5.0, 4.0, 3.0, 2.0, 1.0]


def test_scan_has_as_many_ranges_as_its_angles_imply() -> None:
    message = scan(FREE)
    assert len(message.ranges) == round((message.angle_max - message.angle_min) / message.angle_increment) + 1
    assert message.scan_time == pytest.approx(0.1)


@pytest.mark.parametrize(("index", "name"), list(enumerate(list(PROXIMITY_POSES)[:5])))
def test_a_scan_puts_an_obstacle_where_the_sensor_sees_it(index: int, name: str) -> None:
    range_m, pose = 0.1, PROXIMITY_POSES[name]
    message = scan(tuple(range_m if place == index else math.inf for place in range(7)))
    ray = 4 - index
    angle = message.angle_min + ray * message.angle_increment
    obstacle = (message.ranges[ray] * math.cos(angle), message.ranges[ray] * math.sin(angle))
    there = (pose.x_m + range_m * math.cos(pose.yaw_rad), pose.y_m + range_m * math.sin(pose.yaw_rad))
    assert obstacle == pytest.approx(there, abs=2e-4)
    assert [math.isinf(other) for other in message.ranges].count(True) == 4


def test_a_finite_range_of_a_scan_lies_within_its_limits() -> None:
    message = scan((0.022, 0.139, 0.1, math.inf, -math.inf, 0.1, 0.1))
    finite = [range_m for range_m in message.ranges if math.isfinite(range_m)]
    assert all(message.range_min <= range_m <= message.range_max for range_m in finite)
    assert list(message.ranges)[:2] == [-math.inf, math.inf]


def test_the_limits_of_a_scan_hold_for_every_sensor() -> None:
    far, near = ProximityCalibration(range_max_m=0.2), ProximityCalibration(range_min_m=0.01)
    message = laser_to_ros(FREE, (0,) * 7, (far, near, *CALIBRATIONS[2:]), 0.1, HEADER)
    assert (message.range_min, message.range_max) == pytest.approx((0.09, 0.28))


def test_acceleration_at_rest_points_upwards() -> None:
    message = imu_to_ros(decode_acceleration((0, 0, 23)), HEADER)
    assert message.linear_acceleration.z == pytest.approx(9.80665)
    assert (message.linear_acceleration.x, message.linear_acceleration.y) == (0.0, 0.0)


def test_quantities_not_measured_by_a_thymio_are_marked_unknown() -> None:
    message = imu_to_ros(decode_acceleration((0, 0, 23)), HEADER)
    assert (message.orientation_covariance[0], message.angular_velocity_covariance[0]) == (-1.0, -1.0)
    assert list(message.linear_acceleration_covariance) == [0.07, 0, 0, 0, 0.07, 0, 0, 0, 0.07]


def test_buttons_are_a_joystick_without_axes() -> None:
    message = joy_to_ros(Buttons(backward=True, left=False, center=False, forward=True, right=False), HEADER)
    assert (list(message.buttons), list(message.axes)) == ([1, 0, 0, 1, 0], [])


def test_a_temperature_has_its_stamp() -> None:
    # ros-thymio left it zero
    message = temperature_to_ros(21.5, HEADER)
    assert (message.temperature, message.variance, message.header.stamp.sec) == (21.5, 0.01, 1)


def test_infrared_messages_of_other_robots_are_published_completely() -> None:
    message = comm_to_ros(CommReception(7, (1, 2, 3, 4, 5, 6, 7), (11, 12, 13, 14, 15, 16, 17)))
    assert message.value == 7
    assert list(message.payloads) == [1, 2, 3, 4, 5, 6, 7]
    assert list(message.intensities) == [11, 12, 13, 14, 15, 16, 17]


def test_remote_command_is_published_as_its_number() -> None:
    assert remote_to_ros(RemoteCommand(0, 80)).data == 80


@pytest.mark.parametrize("command", [-1, 128, 30_000])
def test_a_remote_command_that_rc5_does_not_have_is_malformed(command: int) -> None:
    with pytest.raises(MessageError, match=f"command {command}"):
        remote_to_ros(RemoteCommand(0, command))


def test_battery_message_contains_only_measured_values() -> None:
    message = battery_to_ros(3.9, 75, HEADER)
    assert (message.voltage, message.percentage, message.present) == pytest.approx((3.9, 0.75, True))
    unknown = (message.current, message.charge, message.capacity, message.design_capacity, message.temperature)
    assert all(math.isnan(value) for value in unknown)
    assert message.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_UNKNOWN


def test_node_without_a_battery_reports_it_as_not_present() -> None:
    message = battery_to_ros(0.0, -1, HEADER)
    assert not message.present
    assert math.isnan(message.voltage)
    assert math.isnan(message.percentage)
