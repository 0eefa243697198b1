"""Messages are the same if their whole content is; NaN equals NaN there."""

import math

import pytest
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from std_msgs.msg import Float64MultiArray
from thymio_fleet_interfaces.action import FollowPath

from thymio_base.ros.same_message import same_message


def follow(x_m: float, height_m: float, laps: int = 1) -> FollowPath.Goal:
    goal = FollowPath.Goal(task_id="a", laps=laps, waypoints=Path(poses=[PoseStamped(), PoseStamped()]))
    goal.waypoints.poses[1].pose.position.x = x_m
    goal.waypoints.poses[1].pose.position.z = height_m
    return goal


@pytest.mark.parametrize("height_m", [0.0, -1.5, math.inf, math.nan])
def test_a_copy_is_the_same(height_m: float) -> None:
    assert same_message(follow(1.0, height_m), follow(1.0, height_m))


@pytest.mark.parametrize("other", [follow(1.1, math.nan), follow(1.0, 0.0), follow(1.0, math.nan, 2)])
def test_another_number_anywhere_makes_another_message(other: FollowPath.Goal) -> None:
    assert not same_message(follow(1.0, math.nan), other)


def test_another_count_of_values_makes_another_message() -> None:
    goal = follow(1.0, math.nan)
    goal.waypoints.poses.append(PoseStamped())
    assert not same_message(goal, follow(1.0, math.nan))
    assert not same_message(Float64MultiArray(data=[1.0]), Float64MultiArray(data=[1.0, 2.0]))


def test_messages_of_two_types_differ() -> None:
    assert not same_message(Path(), PoseStamped())


def test_not_a_number_in_an_array_is_the_same_too() -> None:
    assert same_message(Float64MultiArray(data=[1.0, math.nan]), Float64MultiArray(data=[1.0, math.nan]))
