"""Arrays of poses as bytes are read as ROS reads them."""

import math
import struct

import pytest
from geometry_msgs.msg import PoseArray
from hypothesis import given
from hypothesis import strategies as st
from rclpy.serialization import serialize_message

from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros
from thymio_base.ros.pose_arrays import read_pose_array
from thymio_base.ros.stamped_poses import StampedPose, stamped_pose_from_ros
from thymio_base.ros.stamps import time_to_ros

lengths = st.floats(-1e6, 1e6)
places = st.builds(Pose2D, lengths, lengths, st.floats(-math.pi, math.pi))
frames = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


def array_of(poses: list[Pose2D], stamp_ns: int, frame: str) -> tuple[bytes, list[StampedPose]]:
    """Return the bytes of an array, and what they contain."""
    message = PoseArray()
    message.header.stamp, message.header.frame_id = time_to_ros(stamp_ns), frame
    stamped = [pose_to_ros(pose, stamp_ns, frame) for pose in poses]
    message.poses = [one.pose for one in stamped]
    return serialize_message(message), [stamped_pose_from_ros(one) for one in stamped]


@given(poses=st.lists(places, max_size=5), stamp_ns=st.integers(0, 2**31 * 10**9 - 1), frame=frames)
def test_arrays_written_by_ros_are_read(poses: list[Pose2D], stamp_ns: int, frame: str) -> None:
    data, expected = array_of(poses, stamp_ns, frame)
    assert read_pose_array(data) == expected


def test_an_array_in_big_endian_order_is_read() -> None:
    swapped = struct.pack(">4siII4sII7d", b"\0\0\0\0", 3, 4, 4, b"map\0", 1, 0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    assert read_pose_array(swapped) == array_of([Pose2D(1.0, 2.0, 0.0)], 3_000_000_004, "map")[1]


@given(st.binary(max_size=200))
def test_malformed_array_raises_only_value_error(data: bytes) -> None:
    try:
        read_pose_array(b"\0\1\0\0" + data)
    except ValueError:
        return


@pytest.mark.parametrize("size", range(4 + 12 + 4 + 8 + 2 * 56 - 4))
def test_a_truncated_array_is_an_error(size: int) -> None:
    whole, _ = array_of([Pose2D(1.0, 2.0, 3.0), Pose2D(2.0, 2.0, 3.0)], 5, "map")
    with pytest.raises(ValueError, match="array"):
        read_pose_array(whole[:size])
