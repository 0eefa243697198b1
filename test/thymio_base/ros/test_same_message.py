"""Messages are the same if their whole content is; NaN equals NaN there."""

import math

import pytest
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from std_msgs.msg import Float64MultiArray

from thymio_base.ros.action_server import same_message


def way(x_m: float, height_m: float, frame: str = "map") -> Path:
    path = Path(poses=[PoseStamped(), PoseStamped()])
    path.poses[1].pose.position.x = x_m
    path.poses[1].pose.position.z = height_m
    path.header.frame_id = frame
    return path


@pytest.mark.parametrize("height_m", [0.0, -1.5, math.inf, math.nan])
def test_a_copy_is_the_same(height_m: float) -> None:
    assert same_message(way(1.0, height_m), way(1.0, height_m))


@pytest.mark.parametrize("other", [way(1.1, math.nan), way(1.0, 0.0), way(1.0, math.nan, "odom")])
def test_another_number_anywhere_makes_another_message(other: Path) -> None:
    assert not same_message(way(1.0, math.nan), other)


def test_another_count_of_values_makes_another_message() -> None:
    path = way(1.0, math.nan)
    path.poses.append(PoseStamped())
    assert not same_message(path, way(1.0, math.nan))
    assert not same_message(Float64MultiArray(data=[1.0]), Float64MultiArray(data=[1.0, 2.0]))


def test_messages_of_two_types_differ() -> None:
    assert not same_message(Path(), PoseStamped())


def test_not_a_number_in_an_array_is_the_same_too() -> None:
    assert same_message(Float64MultiArray(data=[1.0, math.nan]), Float64MultiArray(data=[1.0, math.nan]))
