"""The topics of one robot, read into the story."""

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from thymio_fleet_interfaces.msg import RobotTask

from fleet.dashboard.feed.status_bytes import read_status
from fleet.dashboard.model.story import Story
from fleet.errors import GoalRejectedError
from fleet.interface.conversions import pose_in_plane
from fleet.interface.names import task_topic
from fleet.interface.task_messages import task_from_ros
from fleet.watch.taken_topic import LATEST, TakenTopic, message_from_bytes
from thymio_base.ros.stamped_poses import read_pose


class WatchedRobot:
    """Reads one robot's pose, status and task.

    Parameters
    ----------
    node : owns the subscriptions, and has no executor
    robot_id : the robot

    Attributes
    ----------
    invalid : how many messages could not be read
    """

    def __init__(self, node: Node, robot_id: int) -> None:
        self._node = node
        self.robot_id = robot_id
        self.invalid = 0
        prefix = f"/factory/robot_{robot_id}"
        self._pose: TakenTopic | None = None
        self._status = TakenTopic(node, DiagnosticStatus, f"{prefix}/status")
        self._task = TakenTopic(node, RobotTask, task_topic(robot_id))
        self._last_status = b""
        self._has_status = False

    def follow_pose(self, *, is_wanted: bool) -> None:
        """Follow the topic of its pose alone, or do not."""
        if is_wanted and self._pose is None:
            self._pose = TakenTopic(self._node, PoseStamped, f"/factory/robot_{self.robot_id}/pose", LATEST)
        elif not is_wanted and self._pose is not None:
            self._pose.destroy()
            self._pose = None

    @property
    def follows_pose(self) -> bool:
        """Whether it follows the topic of its pose alone."""
        return self._pose is not None

    def take_pose(self, story: Story, now_ns: int) -> None:
        """Read its new pose, if its topic is followed."""
        data = None if self._pose is None else self._pose.take()
        if data is None:
            return
        try:
            stamped = read_pose(data)
            pose = pose_in_plane(stamped, stamped.frame)
        except (GoalRejectedError, ValueError):
            self.invalid += 1
            return
        story.on_pose(self.robot_id, pose, now_ns)

    def take_status(self, story: Story, now_ns: int) -> None:
        """Read its new status and task; a status that repeats the one before is not decoded again."""
        data = self._status.take()
        if data is not None:
            self._on_status(story, data, now_ns)
        for task in self._task.take_all():
            message = message_from_bytes(task, RobotTask)
            if message is None:
                self.invalid += 1
            else:
                story.on_task(self.robot_id, task_from_ros(message), now_ns)

    def adapt(self) -> None:
        """Ask for what its publishers offer, unless statuses arrive."""
        if not self._has_status:
            self._status.adapt()
        self._has_status = False

    def destroy(self) -> None:
        """Leave the graph."""
        self.follow_pose(is_wanted=False)
        self._status.destroy()
        self._task.destroy()

    def _on_status(self, story: Story, data: bytes, now_ns: int) -> None:
        self._has_status = True
        if data == self._last_status:
            story.on_same_status(self.robot_id, now_ns)
            return
        self._last_status = data
        try:
            status = read_status(data)
        except ValueError:
            self.invalid += 1
            return
        story.on_status(self.robot_id, status.level, status.message, status.values, now_ns)
