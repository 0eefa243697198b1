"""Fills a scene from topics of the ROS graph: the simulator's truth or the fleet's poses, and the robots' statuses."""

import re
from collections.abc import Iterable
from enum import Enum
from functools import partial

from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from thymio_fleet_interfaces.msg import Places
from visualization_msgs.msg import MarkerArray

from fleet.client.fleet_client import FleetClient
from fleet.client.robot_report import RobotReport
from fleet.geometry import Pose2D
from fleet.interface.floor_markers import MARKERS_TOPIC, ground_from_ros
from fleet.interface.names import PLACES_TOPIC
from fleet.interface.quality import PLACES_READER_QOS
from fleet.interface.station_messages import places_from_ros
from fleet.tasks.task_report import TaskReport
from fleet.view.scene import RobotDescription, Scene
from thymio_base.ros.stamps import time_from_ros
from thymio_base.texts.decimal_text import whole_number


class ShownPoses(Enum):
    """Source of the shown poses, and its topics."""

    TRUTH = "truth"  # the simulator's
    FLEET = "fleet"  # the driver's estimates

    @property
    def topic(self) -> re.Pattern[str]:
        """The pattern of a robot's topic; its first group is the robot's name."""
        if self is ShownPoses.TRUTH:
            return re.compile(r"^/simulator/thymio_([1-9][0-9]*)/truth$")
        return re.compile(r"^/factory/robot_([1-9][0-9]*)/pose$")


class SceneWatch:
    """Keeps a scene up to date while the client spins.

    The simulator only knows node ids. A driver publishes the node id of each of its robots, so a simulated robot is
    labelled with its ID in the fleet; without a driver the label is "n" and the node id.

    Parameters
    ----------
    client : owns the subscriptions
    source : source of the poses; None is the truth if there is a simulator
    """

    def __init__(self, client: FleetClient, source: ShownPoses | None) -> None:
        self.scene = Scene()
        self._client = client
        self._source = source
        self._topics: set[str] = set()
        self._watched: set[int] = set()  # robots of the fleet
        self._reported: set[str] = set()  # the shown robots whose drivers publish a status
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        client.node.create_subscription(MarkerArray, MARKERS_TOPIC, self._on_markers, latched)
        client.node.create_subscription(Clock, "/clock", self._on_clock, qos_profile_sensor_data)
        client.node.create_subscription(Places, PLACES_TOPIC, self._on_places, PLACES_READER_QOS)

    def _on_places(self, message: Places) -> None:
        for place in places_from_ros(message):
            self.scene.stations[place.station.name] = place.station.pose

    @property
    def has_ground(self) -> bool:
        """Whether walls have been received; there are none without a simulator."""
        return bool(self.scene.ground.walls_m)

    @property
    def is_described(self) -> bool:
        """Whether a driver has published the status of every robot that is shown."""
        return self._reported >= self.scene.robots.keys()

    def refresh(self) -> None:
        """Follow new robots, forget those that have left, and show what their drivers publish."""
        names = self._names()
        chosen = self._chosen(names)
        pattern = chosen.topic
        robots = {match.group(1): match.group(0) for match in map(pattern.match, names) if match}
        for name, topic in sorted(robots.items(), key=lambda item: whole_number(item[0])):
            if topic not in self._topics:
                self._topics.add(topic)
                self._client.watch_pose(topic, partial(self._on_pose, chosen, name))
        self.scene.retain(robots)
        self._follow_statuses()
        self._describe(robots, chosen)

    def _follow_statuses(self) -> None:
        for robot_id in self._client.robot_ids():
            if robot_id not in self._watched:
                self._watched.add(robot_id)
                self._client.watch(robot_id)
                self._client.watch_task(robot_id)

    def _describe(self, names: Iterable[str], poses: ShownPoses) -> None:
        """Set the labels and states of robots, which are named by node ids if the truth is shown."""
        reports = [self._client.report(robot_id) for robot_id in sorted(self._watched, reverse=True)]
        if poses is ShownPoses.TRUTH:
            described = {str(report.node_id): report for report in reports if report.node_id is not None}
            for name in names:
                self.scene.describe(name, RobotDescription(f"n{name}"))
        else:
            described = {str(report.robot_id): report for report in reports if report.level is not None}
        self._reported = set(described)
        for name, report in described.items():
            self.scene.describe(name, description_of(report, self._client.tasks.get(report.robot_id)))
            if report.is_waiting and name in self.scene.robots:
                self.scene.robots[name].wait()

    def _names(self) -> list[str]:
        return [
            name
            for name, _ in self._client.node.get_topic_names_and_types()
            if self._client.node.count_publishers(name)
        ]

    def _chosen(self, names: list[str]) -> ShownPoses:
        if self._source is None and any(map(ShownPoses.TRUTH.topic.match, names)):
            self._source = ShownPoses.TRUTH
        return self._source or ShownPoses.FLEET

    def _on_pose(self, source: ShownPoses, name: str, pose: Pose2D) -> None:
        if source is (self._source or ShownPoses.FLEET):  # the simulator may be found after the driver
            self.scene.update_robot(name, pose)

    def _on_clock(self, message: Clock) -> None:
        self.scene.time_s = time_from_ros(message.clock) * 1e-9

    def _on_markers(self, message: MarkerArray) -> None:
        self.scene.ground = ground_from_ros(message)


def description_of(report: RobotReport, task: TaskReport | None) -> RobotDescription:
    """Return a picture's description of a robot from its status and task."""
    homes = [Pose2D(*pose) for pose in report.poses("home") if len(pose) == 3]
    home = homes[0] if homes else None
    way_m = task.plan_m if task is not None and report.is_busy else ()
    return RobotDescription(str(report.robot_id), report.tone, tuple(report.poses("plan")), home, way_m)
