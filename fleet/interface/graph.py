"""Finds robots on the ROS graph."""

import re
from collections.abc import Collection

from rclpy.node import Node

_STATUS_TOPIC = re.compile(r"^/factory/robot_([1-9][0-9]*)/status$")


def published_ids(node: Node, but: Collection[int]) -> list[int]:
    """Return the robots, but some, whose status has a publisher; a robot that only clients wait for is none."""
    names = (name for name, _ in node.get_topic_names_and_types())
    found = {int(match.group(1)): match.group(0) for match in map(_STATUS_TOPIC.match, names) if match}
    return sorted(robot_id for robot_id, topic in found.items() if robot_id not in but and node.count_publishers(topic))
