"""Sensor events in SI units, against closed forms and the geometry of the robot."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.errors import InvalidValueError, MessageError
from aseba_link.thymio.events import EVENT_SIZES, Event
from aseba_link.thymio.sensor_events import (
    GROUND_POSES,
    LASER_RADIUS_M,
    LASER_STEP_RAD,
    PROXIMITY_CALIBRATION,
    PROXIMITY_POSES,
    STANDARD_GRAVITY_MPS2,
    Buttons,
    CommReception,
    Ground,
    ProximityCalibration,
    RemoteCommand,
    SensorPose,
    decode_acceleration,
    decode_button,
    decode_buttons,
    decode_comm,
    decode_ground,
    decode_proximity,
    decode_remote,
    decode_sound,
    decode_temperature,
    floor_range_m,
)
from simulator.sensors.proximity import response_raw

DECODERS: list[tuple[Callable[[list[int]], object], Event]] = [
    (decode_proximity, Event.PROXIMITY),
    (decode_ground, Event.GROUND),
    (decode_acceleration, Event.ACCELEROMETER),
    (decode_buttons, Event.BUTTONS),
    (decode_temperature, Event.TEMPERATURE),
    (decode_sound, Event.SOUND),
    (decode_remote, Event.REMOTE),
    (decode_comm, Event.COMM),
]


@pytest.mark.parametrize(("decode", "event"), DECODERS)
@pytest.mark.parametrize("surplus", [-1, 1])
def test_event_of_the_wrong_size_is_refused_with_its_name(
    decode: Callable[[list[int]], object], event: Event, surplus: int
) -> None:
    size = EVENT_SIZES[event] + surplus
    with pytest.raises(MessageError, match=f"{event.name.lower()} event with {size} words instead"):
        decode([0] * size)


@given(st.floats(0.022, 0.139))
def test_range_is_the_distance_that_gives_the_reading(distance_m: float) -> None:
    reading_raw = round(response_raw(distance_m))
    assert PROXIMITY_CALIBRATION.range_m(reading_raw) == pytest.approx(distance_m, abs=1e-4)


@pytest.mark.parametrize(("reading_raw", "range_m"), [(1500, 0.121), (2000, 0.096), (3000, 0.061), (4000, 0.031)])
def test_range_is_that_of_ros_thymio(reading_raw: int, range_m: float) -> None:
    assert PROXIMITY_CALIBRATION.range_m(reading_raw) == pytest.approx(range_m, abs=5e-4)


@pytest.mark.parametrize("reading_raw", [0, -1, 1, 1200])
def test_nothing_in_range_is_infinitely_far(reading_raw: int) -> None:
    assert PROXIMITY_CALIBRATION.range_m(reading_raw) == math.inf


@pytest.mark.parametrize("reading_raw", [4250, 4505, 4600, 32767])
def test_obstacle_that_is_too_near_is_nearer_than_any_distance(reading_raw: int) -> None:
    assert PROXIMITY_CALIBRATION.range_m(reading_raw) == -math.inf


@given(st.integers(-32768, 32767), st.integers(-32768, 32767))
def test_higher_reading_is_never_further(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert PROXIMITY_CALIBRATION.range_m(high) <= PROXIMITY_CALIBRATION.range_m(low)


def test_each_proximity_sensor_has_its_own_calibration() -> None:
    weak = ProximityCalibration(max_raw=4000.0)
    ranges = decode_proximity([3000] * 7, [PROXIMITY_CALIBRATION] * 6 + [weak])
    assert len(set(ranges[:6])) == 1
    assert ranges[6] < ranges[0]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"max_raw": 0.0}, "max_raw 0.0"),
        ({"max_raw": math.nan}, "max_raw nan"),
        ({"c_m2": 0.0}, "c_m2 0.0"),
        ({"x0_m": -0.1}, "x0_m -0.1"),
        ({"range_max_m": math.inf}, "range_max_m inf"),
        ({"range_min_m": 0.2}, "range_min_m 0.2 is not below range_max_m 0.14"),
    ],
)
def test_impossible_calibration_is_refused(values: dict[str, float], problem: str) -> None:
    with pytest.raises(InvalidValueError, match=problem):
        ProximityCalibration(**values)


def test_front_sensors_are_a_scan_about_the_axle() -> None:
    front = list(PROXIMITY_POSES.values())[:5]
    assert [pose.yaw_rad for pose in front] == pytest.approx([k * LASER_STEP_RAD for k in (2, 1, 0, -1, -2)], abs=1e-5)
    assert [math.hypot(pose.x_m, pose.y_m) for pose in front] == pytest.approx([LASER_RADIUS_M] * 5, abs=1e-4)
    assert [math.atan2(pose.y_m, pose.x_m) for pose in front] == pytest.approx(
        [pose.yaw_rad for pose in front], abs=2e-3
    )


@pytest.mark.parametrize("poses", [PROXIMITY_POSES, GROUND_POSES])
def test_sensors_are_the_same_on_both_sides(poses: dict[str, SensorPose]) -> None:
    sides = [(f"{part}left", f"{part}right") for part in ("", "center_", "rear_") if f"{part}left" in poses]
    for left, right in ((poses[left], poses[right]) for left, right in sides):
        assert (left.x_m, left.y_m, left.z_m) == (right.x_m, -right.y_m, right.z_m)
        assert math.cos(left.yaw_rad) == pytest.approx(math.cos(right.yaw_rad))


def test_ground_is_a_share_of_the_most_light() -> None:
    assert decode_ground([1023, 0]) == Ground(1.0, 0.0)


def test_wrong_size_of_ambient_light_names_its_event() -> None:
    with pytest.raises(MessageError, match="ground_ambient event with 1 words"):
        decode_ground([1], Event.GROUND_AMBIENT)


@pytest.mark.parametrize(("raw", "range_m"), [(0, math.inf), (199, math.inf), (200, -math.inf), (1023, -math.inf)])
def test_floor_is_near_or_far(raw: int, range_m: float) -> None:
    assert floor_range_m(decode_ground([raw, raw]).left) == range_m


def test_level_robot_is_pushed_up_by_the_floor() -> None:
    acceleration = decode_acceleration([0, 0, 23])
    assert (acceleration.x_mps2, acceleration.y_mps2) == (0.0, 0.0)
    assert acceleration.z_mps2 == pytest.approx(STANDARD_GRAVITY_MPS2)


def test_robot_with_its_nose_up_is_pushed_forward() -> None:
    # gravity then pulls backward, which is along the firmware's second axis
    assert decode_acceleration([0, 12, 20]).x_mps2 > 0.0


def test_robot_on_its_right_side_is_pushed_to_the_left() -> None:
    # gravity then pulls to the right, which is against the firmware's first axis
    assert decode_acceleration([-23, 0, 0]).y_mps2 == pytest.approx(STANDARD_GRAVITY_MPS2)


def test_buttons_are_decoded_by_name() -> None:
    assert decode_buttons([1, 0, 0, 1, 0]) == Buttons(True, False, False, True, False)


def test_single_button_is_decoded() -> None:
    assert decode_button(Event.BUTTON_LEFT, [1])
    assert not decode_button(Event.BUTTON_LEFT, [0])


def test_temperature_is_in_degrees_celsius() -> None:
    assert decode_temperature([-215]) == pytest.approx(-21.5)


def test_loudest_sound_is_one() -> None:
    assert decode_sound([255]) == 1.0


def test_remote_control_is_decoded_to_address_and_command() -> None:
    assert decode_remote([5, 80]) == RemoteCommand(address=5, command=80)


def test_reception_is_decoded_for_each_sensor() -> None:
    assert decode_comm(list(range(15))) == CommReception(0, tuple(range(1, 8)), tuple(range(8, 15)))
