"""Our rules for names of topics are those of ROS itself."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rclpy.exceptions import InvalidTopicNameException
from rclpy.expand_topic_name import expand_topic_name
from rclpy.validate_full_topic_name import validate_full_topic_name

from thymio_base.names.ros_names import resolved_topic, topic_problem

NODE = "listener"


def ros_takes(name: str) -> bool:
    """Whether ROS itself takes a name."""
    try:
        return bool(validate_full_topic_name(expand_topic_name(name, NODE, "/")))
    except (InvalidTopicNameException, ValueError):
        return False


@given(st.text(st.sampled_from("aZ1_/~ .é\n-"), max_size=9))
@example("/mocap/thymio_1/pose")
@example("pose")
@example("~/pose")
@example("~")
@example("/a__b")
@example("//pose")
@example("/pose\n")
@example("/" + "a" * 246)
@example("/" + "a" * 247)
def test_a_topic_has_a_problem_exactly_if_ros_refuses_it(name: str) -> None:
    is_ours = not name.startswith("~") or name.startswith("~/")  # ROS takes others too; nobody means them
    assert (topic_problem(name) == "") == (is_ours and ros_takes(name))


@pytest.mark.parametrize("name", ["/mocap/pose", "mocap/pose", "~/pose"])
def test_names_are_resolved_as_by_ros(name: str) -> None:
    assert resolved_topic(name, NODE) == expand_topic_name(name, NODE, "/")
