"""Poses as bytes equal those that ROS writes and reads."""

import math
import struct

import pytest
from geometry_msgs.msg import PoseStamped
from hypothesis import given
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message

from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros
from thymio_base.cdr import pose_writer
from thymio_base.ros.stamped_poses import read_pose, stamped_pose_from_ros

lengths = st.floats(-1e6, 1e6)
frames = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
stamps = st.integers(0, 2**31 * 10**9 - 1)


@given(x_m=lengths, y_m=lengths, heading_rad=st.floats(-math.pi, math.pi), stamp_ns=stamps, frame=frames)
def test_a_pose_is_written_as_ros_writes_it(
    x_m: float, y_m: float, heading_rad: float, stamp_ns: int, frame: str
) -> None:
    pose = Pose2D(x_m, y_m, heading_rad)
    written = pose_writer(frame)(x_m, y_m, heading_rad, stamp_ns)
    assert deserialize_message(written, PoseStamped) == pose_to_ros(pose, stamp_ns, frame)
    assert len(written) == len(serialize_message(pose_to_ros(pose, stamp_ns, frame)))  # padding bytes are undefined


@given(x_m=lengths, y_m=lengths, heading_rad=st.floats(-math.pi, math.pi), stamp_ns=stamps, frame=frames)
def test_poses_written_by_ros_are_read(x_m: float, y_m: float, heading_rad: float, stamp_ns: int, frame: str) -> None:
    message = pose_to_ros(Pose2D(x_m, y_m, heading_rad), stamp_ns, frame)
    message.pose.position.z = -1.5
    assert read_pose(serialize_message(message)) == stamped_pose_from_ros(message)


def test_poses_in_big_endian_order_are_read() -> None:
    swapped = struct.pack(">4siII4s7d", b"\0\0\0\0", 3, 4, 4, b"map\0", 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    assert read_pose(swapped) == stamped_pose_from_ros(pose_to_ros(Pose2D(1.0, 2.0, 0.0), 3_000_000_004, "map"))


@given(st.binary(max_size=120))
def test_malformed_pose_raises_only_value_error(data: bytes) -> None:
    try:
        read_pose(b"\0\1\0\0" + data)
    except ValueError:
        return


@pytest.mark.parametrize("size", range(76))
def test_a_truncated_pose_is_an_error(size: int) -> None:
    whole = pose_writer("map")(1.0, 2.0, 3.0, 5)
    with pytest.raises(ValueError, match="are not a pose"):
        read_pose(whole[:size])
