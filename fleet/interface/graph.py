"""Finds robots on the ROS graph."""

import math
import re
from collections.abc import Collection

from rclpy.node import Node

from thymio_base.texts.decimal_text import whole_number

_STATUS_TOPIC = re.compile(r"^/factory/robot_([1-9][0-9]{0,9})/status$")


class ForeignRobots:
    """The robots on the graph that no driver announces; querying the whole graph of a large fleet takes milliseconds.

    Parameters
    ----------
    node : queries the graph
    period_s : time between two queries; in between, the latest result is returned
    """

    def __init__(self, node: Node, period_s: float) -> None:
        self._node = node
        self._period_s = period_s
        self._queried_s = -math.inf
        self._found_ids: list[int] = []

    def ids(self, announced: Collection[int], now_s: float) -> list[int]:
        """Return these robots, given those that are announced now."""
        if now_s - self._queried_s >= self._period_s:
            self._queried_s = now_s
            self._found_ids = _published_ids(self._node, announced)
        return [robot_id for robot_id in self._found_ids if robot_id not in announced]


def _published_ids(node: Node, but: Collection[int]) -> list[int]:
    """Return the robots, except `but`, whose status has a publisher; a robot with clients alone does not count."""
    names = (name for name, _ in node.get_topic_names_and_types())
    found = {whole_number(match.group(1)): match.group(0) for match in map(_STATUS_TOPIC.match, names) if match}
    return sorted(robot_id for robot_id, topic in found.items() if robot_id not in but and node.count_publishers(topic))
