"""The robot's description agrees with itself, and with the driver's constants."""

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from aseba_link.thymio.events import AXLE_LENGTH_M
from aseba_link.thymio.sensor_events import GROUND_POSES, LASER_HEIGHT_M, PROXIMITY_POSES, SensorPose
from fleet.ros.thymio_topics.odometry_messages import WHEEL_JOINTS, WHEEL_RADIUS_M
from fleet.ros.thymio_topics.robot_description import (
    Joint,
    fixed_transforms,
    parse_joints,
    prefixed,
    quaternion,
    wheel_transforms,
)

URDF = (Path(__file__).parents[4] / "description" / "thymio.urdf").read_text(encoding="utf-8")
ROOT = ElementTree.fromstring(URDF)
JOINTS = parse_joints(URDF)
SENSORS = {
    **{f"proximity_{name}_link": pose for name, pose in PROXIMITY_POSES.items()},
    **{f"ground_{name}_link": pose for name, pose in GROUND_POSES.items()},
    "laser_link": SensorPose(0.0, 0.0, LASER_HEIGHT_M, 0.0),
}


def joint_of(link: str) -> Joint:
    return next(joint for joint in JOINTS if joint.child == link)


def rotated(rotation: tuple[float, float, float, float], vector: tuple[float, float, float]) -> np.ndarray:
    """The vector after the rotation: v + 2 q x (q x v + w v)."""
    q, w = np.array(rotation[:3]), rotation[3]
    v = np.array(vector)
    return v + 2.0 * np.cross(q, np.cross(q, v) + w * v)


def test_base_link_is_the_only_root() -> None:
    links = {link.get("name") for link in ROOT.findall("link")}
    assert links - {joint.child for joint in JOINTS} == {"base_link"}


def test_every_joint_joins_existing_links() -> None:
    links = {link.get("name") for link in ROOT.findall("link")}
    assert {name for joint in JOINTS for name in (joint.parent, joint.child)} <= links


def test_every_link_has_at_most_one_parent_joint() -> None:
    children = [joint.child for joint in JOINTS]
    assert len(children) == len(set(children))


def test_names_are_unique() -> None:
    for kind in ("link", "joint"):
        names = [element.get("name") for element in ROOT.findall(kind)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("inertial", list(ROOT.iter("inertial")))
def test_every_inertia_is_physically_possible(inertial: ElementTree.Element) -> None:
    tensor = inertial.find("inertia")
    assert tensor is not None
    i = {key: float(value) for key, value in tensor.attrib.items()}
    matrix = [[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]]
    principal = sorted(np.linalg.eigvalsh(np.array(matrix)))
    assert principal[0] > 0.0
    assert principal[0] + principal[1] >= principal[2]


def test_root_has_no_inertia_because_kdl_rejects_one() -> None:
    base = next(link for link in ROOT.findall("link") if link.get("name") == "base_link")
    assert list(base) == []


def test_wheel_positions_match_the_drive() -> None:
    places = [joint.xyz_m for joint in JOINTS if joint.name in WHEEL_JOINTS]
    assert places == [(0.0, 0.5 * AXLE_LENGTH_M, WHEEL_RADIUS_M), (0.0, -0.5 * AXLE_LENGTH_M, WHEEL_RADIUS_M)]


def test_wheels_have_the_radius_and_the_inertia_of_solid_cylinders() -> None:
    for name in ("left_wheel_link", "right_wheel_link"):
        link = next(link for link in ROOT.findall("link") if link.get("name") == name)
        cylinder, inertia = link.find(".//cylinder"), link.find(".//inertia")
        assert cylinder is not None
        assert inertia is not None
        radius_m, width_m, mass_kg = float(cylinder.get("radius", "")), float(cylinder.get("length", "")), 0.024
        assert radius_m == WHEEL_RADIUS_M
        assert float(inertia.get("iyy", "")) == pytest.approx(0.5 * mass_kg * radius_m**2, rel=1e-3)
        assert float(inertia.get("ixx", "")) == pytest.approx(
            mass_kg * (3.0 * radius_m**2 + width_m**2) / 12.0, rel=1e-3
        )


def test_only_wheel_joints_move() -> None:
    assert tuple(joint.name for joint in JOINTS if not joint.is_fixed) == WHEEL_JOINTS


@pytest.mark.parametrize("link", list(SENSORS))
def test_sensor_poses_match_those_used_for_readings(link: str) -> None:
    joint, pose = joint_of(link), SENSORS[link]
    assert joint.parent == "base_link"
    assert joint.xyz_m == (pose.x_m, pose.y_m, pose.z_m)
    assert joint.rpy_rad == pytest.approx((0.0, pose.pitch_rad, pose.yaw_rad), abs=1e-6)


def test_ground_sensors_look_down() -> None:
    looks = rotated(quaternion(*joint_of("ground_left_link").rpy_rad), (1.0, 0.0, 0.0))
    assert looks == pytest.approx([0.0, 0.0, -1.0], abs=1e-5)


def test_rotations_are_roll_then_pitch_then_yaw_about_the_parents_axes() -> None:
    assert rotated(quaternion(0.0, 0.0, math.pi / 2), (1.0, 0.0, 0.0)) == pytest.approx([0.0, 1.0, 0.0])
    assert rotated(quaternion(math.pi / 2, 0.0, math.pi / 2), (0.0, 1.0, 0.0)) == pytest.approx([0.0, 0.0, 1.0])
    assert rotated(quaternion(0.0, math.pi / 2, math.pi / 2), (1.0, 0.0, 0.0)) == pytest.approx([0.0, 0.0, -1.0])


def test_the_body_is_as_large_as_a_thymio() -> None:
    x_m, y_m = [], []
    for collision in ROOT.iter("collision"):
        origin, box = collision.find("origin"), collision.find(".//box")
        if origin is None or box is None or not origin.get("xyz"):
            continue
        centre, size = (np.array(text.split(), dtype=float) for text in (origin.get("xyz", ""), box.get("size", "")))
        x_m += [centre[0] - 0.5 * size[0], centre[0] + 0.5 * size[0]]
        y_m += [centre[1] - 0.5 * size[1], centre[1] + 0.5 * size[1]]
    assert (min(x_m), max(x_m), min(y_m), max(y_m)) == pytest.approx((-0.03, 0.08, -0.055, 0.055), abs=1e-4)


def test_names_carry_the_prefix_of_their_robot() -> None:
    joints = parse_joints(prefixed(URDF, "robot_3/"))
    assert {joint.name for joint in joints} == {f"robot_3/{joint.name}" for joint in JOINTS}
    assert {joint.parent for joint in joints} == {"robot_3/base_link"}


def test_fixed_transforms_carry_the_prefix() -> None:
    transforms = {link.child: link for link in fixed_transforms(JOINTS, "robot_3/")}
    assert len(transforms) == len(JOINTS) - 2
    assert transforms["robot_3/laser_link"].parent == "robot_3/base_link"
    assert transforms["robot_3/laser_link"].xyz_m == (0.0, 0.0, LASER_HEIGHT_M)


def test_a_wheel_that_rolls_forward_turns_its_top_forward() -> None:
    left, _ = wheel_transforms(JOINTS, {"left_wheel_joint": math.pi / 2, "right_wheel_joint": 0.0}, "")
    assert rotated(left.rotation, (0.0, 0.0, 1.0)) == pytest.approx([1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nonsense", "not XML"),
        ("<robot><joint name='neck' type='fixed'><parent link='a'/></joint></robot>", "joint 'neck' .* has no child"),
        (
            "<robot><joint name='neck'><parent link='a'/><child link='b'/><origin xyz='1 2'/></joint></robot>",
            "joint 'neck' .*: xyz '1 2' is not three numbers",
        ),
    ],
)
def test_errors_in_a_description_are_named(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_joints(text)
