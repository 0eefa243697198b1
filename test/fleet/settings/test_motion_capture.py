import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D
from fleet.settings.motion_capture import (
    Z_UP,
    Axis,
    FloorAxes,
    MotionCaptureConfig,
    Quaternion,
    axis_problems,
    build_motion_capture_config,
    rotated,
)

NOWHERE = Pose2D(0.0, 0.0, 0.0)
ORIGIN = {"x_m": 0.0, "y_m": 0.0, "heading_rad": 0.0}
ANGLES = st.floats(-3.1, 3.1)
LENGTHS = st.floats(-5.0, 5.0)


def capture(origin: Pose2D = NOWHERE, unit_m: float = 1.0, **axes: str) -> MotionCaptureConfig:
    place = {"x_m": origin.x_m, "y_m": origin.y_m, "heading_rad": origin.heading_rad}
    return build_motion_capture_config({"frame": "", "up": "z", "unit_m": unit_m, "origin": place, **axes}, frame="map")


def about(axis: Axis, angle_rad: float) -> Quaternion:
    x, y, z = axis.vector
    sine = math.sin(0.5 * angle_rad)
    return sine * x, sine * y, sine * z, math.cos(0.5 * angle_rad)


def numbers(pose: Pose2D) -> tuple[float, float, float]:
    return pose.x_m, pose.y_m, pose.heading_rad


def test_quarter_turn_about_z_maps_x_to_y() -> None:
    assert rotated(about(Axis.Z, math.pi / 2), (1.0, 0.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0))


@given(ANGLES, st.sampled_from(Axis), st.tuples(LENGTHS, LENGTHS, LENGTHS))
def test_rotations_preserve_lengths_and_their_axis(
    angle_rad: float, axis: Axis, vector: tuple[float, float, float]
) -> None:
    turned = rotated(about(axis, angle_rad), vector)
    assert math.hypot(*turned) == pytest.approx(math.hypot(*vector))
    assert rotated(about(axis, angle_rad), axis.vector) == pytest.approx(axis.vector)


def test_with_z_up_the_floor_is_the_xy_plane() -> None:
    pose = capture().robot_pose((1.0, 2.0, 0.3), 0.5, NOWHERE)
    assert numbers(pose) == pytest.approx((1.0, 2.0, 0.5))


def test_with_y_up_the_floors_y_is_minus_z() -> None:
    assert capture(up="y").axes == FloorAxes(Axis.Y, Axis.X, Axis.MINUS_Z)
    assert numbers(capture(up="y").robot_pose((1.0, 0.3, -2.0), 0.5, NOWHERE)) == pytest.approx((1.0, 2.0, 0.5))


@pytest.mark.parametrize("up", Axis)
@given(angle_rad=ANGLES)
def test_rotation_about_the_up_axis_is_a_heading(up: Axis, angle_rad: float) -> None:
    axes = capture(up=up.value).axes
    assert axes.heading_rad(about(up, angle_rad)) == pytest.approx(angle_rad)
    assert axes.tilt_rad(about(up, angle_rad)) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("up", Axis)
@pytest.mark.parametrize("across", Axis)
def test_rotation_about_another_axis_is_a_tilt(up: Axis, across: Axis) -> None:
    expected = 0.0 if across.is_along(up) else 0.4
    assert capture(up=up.value).axes.tilt_rad(about(across, 0.4)) == pytest.approx(expected, abs=1e-6)


def test_mirrored_frame_reverses_headings() -> None:
    axes = capture(y_axis="-y").axes
    assert axes.on_floor((1.0, 2.0, 0.0)) == (1.0, -2.0)
    assert axes.heading_rad(about(Axis.Z, 0.5)) == pytest.approx(-0.5)


def test_the_floors_x_can_be_another_axis() -> None:
    axes = capture(up="y", x_axis="z").axes
    assert axes == FloorAxes(Axis.Y, Axis.Z, Axis.X)
    assert axes.heading_rad(about(Axis.Y, 0.5)) == pytest.approx(0.5)


def test_millimetres_become_metres() -> None:
    assert capture(unit_m=0.001).robot_pose((1500.0, -20.0, 0.0), 0.0, NOWHERE).x_m == pytest.approx(1.5)


def test_origin_rotates_and_moves_measured_poses() -> None:
    pose = capture(origin=Pose2D(1.0, 1.0, math.pi / 2)).robot_pose((0.5, 0.0, 0.0), 0.0, NOWHERE)
    assert numbers(pose) == pytest.approx((1.0, 1.5, math.pi / 2))


def test_offset_of_a_marker_ahead_of_the_axle_is_removed() -> None:
    pose = capture().robot_pose((1.0, 2.0, 0.0), math.pi / 2, Pose2D(0.05, 0.0, 0.0))
    assert numbers(pose) == pytest.approx((1.0, 1.95, math.pi / 2))


@given(st.tuples(LENGTHS, LENGTHS, ANGLES), st.tuples(LENGTHS, LENGTHS, ANGLES), st.tuples(LENGTHS, LENGTHS, ANGLES))
def test_robot_poses_are_recovered_for_any_origin_and_marker(
    robot: tuple[float, float, float], origin: tuple[float, float, float], marker: tuple[float, float, float]
) -> None:
    on_robot = Pose2D(*marker)
    measured = Pose2D(*robot).compose(on_robot).relative_to(Pose2D(*origin))
    found = capture(Pose2D(*origin)).robot_pose((measured.x_m, measured.y_m, 0.1), measured.heading_rad, on_robot)
    assert found.distance_to(Pose2D(*robot)) == pytest.approx(0.0, abs=1e-9)
    assert found.heading_error_to(Pose2D(*robot)) == pytest.approx(0.0, abs=1e-9)


def test_messages_are_in_the_fleets_frame_unless_another_is_named() -> None:
    values = {"frame": "optitrack", "up": "y", "unit_m": 1.0, "origin": ORIGIN}
    assert capture().frame == "map"
    assert build_motion_capture_config(values, frame="map").frame == "optitrack"


@pytest.mark.parametrize(
    ("axes", "key", "expected"),
    [
        ({"up": "y", "x_axis": "-y"}, "x_axis", "'-y'"),
        ({"up": "z", "y_axis": "z"}, "y_axis", "'z'"),
        ({"up": "z", "x_axis": "y", "y_axis": "-y"}, "y_axis", "'-y'"),
    ],
)
def test_axes_that_do_not_span_a_floor_are_named(axes: dict[str, str], key: str, expected: str) -> None:
    ((where, problem),) = axis_problems(axes)
    assert where == key
    assert expected in problem


@pytest.mark.parametrize("up", Axis)
def test_an_up_axis_alone_is_enough(up: Axis) -> None:
    assert list(axis_problems({"up": up.value})) == []
    assert capture().axes == Z_UP
