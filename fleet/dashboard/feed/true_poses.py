"""Reads the true poses of simulated robots, from one message for all where a single simulator publishes it."""

from collections.abc import Collection
from typing import Final

from geometry_msgs.msg import PoseArray, PoseStamped
from rclpy.node import Node

from fleet.dashboard.feed.robot_sequence import RobotSequence
from fleet.dashboard.model.story import Story
from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_in_plane
from fleet.watch.latest_messages import LatestMessages
from fleet.watch.robot_watch import plane_pose
from fleet.watch.taken_topic import LATEST, TakenTopic
from thymio_base.ros.pose_arrays import read_pose_array

_ALL: Final = "/simulator/truth"


class TruePoses:
    """Reads the truth from the topic of all robots, or from each robot's topic if it is unclear whose poses those are.

    A hundred topics cost a quarter of the dashboard's processor time.

    Parameters
    ----------
    node : owns the subscriptions, and has no executor

    Attributes
    ----------
    invalid : number of unreadable messages
    """

    def __init__(self, node: Node) -> None:
        self.invalid = 0
        self._node = node
        self._all = TakenTopic(node, PoseArray, _ALL, LATEST)
        self._order = RobotSequence(node)
        self._single = LatestMessages[Pose2D](node, PoseStamped, plane_pose)  # by node id

    def take(self, story: Story, now_ns: int) -> None:
        """Pass new truths on."""
        data = self._all.take()
        try:
            if data is not None and not self._single.followed:
                self._take_all(data, story, now_ns)
        except ValueError:
            self.invalid += 1
        for node_id in self._single.followed:
            if (single := self._single.take(node_id)) is not None:
                story.on_truth(node_id, single[0], now_ns)

    def adapt(self, node_ids: Collection[int]) -> None:
        """Choose the topics by their publishers; `node_ids` are the robots' in the simulator."""
        publishers = self._node.count_publishers(_ALL)
        is_understood = publishers == 0 or (publishers == 1 and self._order.has_server)
        wanted = () if is_understood else node_ids
        for node_id in [one for one in self._single.followed if one not in wanted]:
            self._single.forget(node_id)
        for node_id in wanted:
            self._single.watch(node_id, f"/simulator/thymio_{node_id}/truth", LATEST)

    def _take_all(self, data: bytes, story: Story, now_ns: int) -> None:
        self._order.advance(now_ns)
        poses, node_ids = read_pose_array(data), self._order.node_ids
        if node_ids is None or len(node_ids) != len(poses):
            self._order.forget()
            return
        for node_id, pose in zip(node_ids, poses, strict=True):
            story.on_truth(node_id, pose_in_plane(pose, pose.frame), now_ns)
