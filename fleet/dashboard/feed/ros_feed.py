"""Reads the whole fleet from ROS into the story, without ever waiting.

There are no callbacks: each look takes the latest message of each topic, at a third of the cost of a callback for
each message (docs/decisions/0045-the-dashboard.md).
"""

import math
from typing import Any, Final

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan
from thymio_fleet_interfaces.msg import Driver, JobStates
from visualization_msgs.msg import MarkerArray

from fleet.dashboard.feed.offers import Offers, offers
from fleet.dashboard.feed.true_poses import TruePoses
from fleet.dashboard.model.fleet_entries import SeenDriver
from fleet.dashboard.model.job_view import JobsReport
from fleet.dashboard.model.story import Story
from fleet.interface.announcements import announcement_from_ros
from fleet.interface.floor_markers import MARKERS_TOPIC, ground_from_ros
from fleet.interface.job_messages import job_states_from_ros
from fleet.interface.names import DRIVERS_TOPIC, JOBS_TOPIC, TOKEN_KEY
from fleet.interface.quality import DRIVERS_READER_QOS
from fleet.watch.driver_poses import DriverPoses
from fleet.watch.robot_watch import RobotWatch
from fleet.watch.taken_topic import LATEST, TakenTopic, message_from_bytes
from thymio_base.fence import Fence
from thymio_base.ros.stamps import time_from_ros

_LOOK_NS: Final = 1_000_000_000  # between two looks at the names on the graph, which take 30 ms with 100 robots
_SELDOM_NS: Final = 8_000_000_000  # ... at most: the time doubles with each look that finds nothing new
_ROBOTS_A_STEP: Final = 8  # whose statuses and tasks are looked at; those of more robots take turns
_CLOCK_STEPS: Final = 10  # between two looks at the simulated time, of which pages show seconds
_DIAGNOSTICS_QOS: Final = QoSProfile(depth=20, reliability=ReliabilityPolicy.BEST_EFFORT)  # of many programs at once
_TOKEN_PART: Final = TOKEN_KEY.encode()
_WATCHED_MAX: Final = 1000  # robots: each needs subscriptions, and any program may announce any number
_LASER_FRAME_M: Final = 0.08  # the scan's ranges start this far behind the sensors


class RosFeed:
    """Follows every driver, robot and the simulator on the graph.

    Parameters
    ----------
    node : owns the subscriptions, and has no executor
    fence : notes exceptions; each kind of topic, and each robot, is fenced by itself
    """

    def __init__(self, node: Node, fence: Fence | None = None) -> None:
        self._node = node
        self._fence = fence or Fence()
        self._robots = RobotWatch(node)  # follows robots whose poses are not in /fleet/poses
        self._drivers = TakenTopic(node, Driver, DRIVERS_TOPIC, DRIVERS_READER_QOS)
        self._jobs = TakenTopic(node, JobStates, JOBS_TOPIC)
        self._markers = TakenTopic(node, MarkerArray, MARKERS_TOPIC)
        self._clock = TakenTopic(node, Clock, "/clock", LATEST)
        self._diagnostics = TakenTopic(node, DiagnosticArray, "/diagnostics", _DIAGNOSTICS_QOS)
        self._poses = DriverPoses(node)
        self._truths = TruePoses(node)
        self._scans: dict[int, TakenTopic] = {}  # of robots selected on pages
        self._scan_asked_ns: dict[int, int] = {}
        self._rays: dict[int, dict[str, Any]] = {}
        self._looked_ns = -_LOOK_NS
        self._checked_ns = -_LOOK_NS
        self._pause_ns = _LOOK_NS
        self._nodes: list[str] = []
        self._offers: Offers | None = None
        self._steps = 0
        self._turn = 0  # index of the robot that is read next
        self._now_ns = 0

    @property
    def waited_s(self) -> float | None:
        """How long the latest poses of drivers had waited when they were taken; None if none were new."""
        return self._poses.waited_s

    def take(self, story: Story, now_ns: int) -> None:
        """Pass everything new on to the story."""
        self._now_ns = now_ns
        self._steps += 1
        call = self._fence.call
        call("messages of drivers", self._take_drivers, story, now_ns)
        call("messages of jobs", self._take_jobs, story, now_ns)
        for robot_id in self._next_robots():
            call("statuses and tasks", self._take_robot, robot_id, story, now_ns)
        for robot_id in self._robots.poses.followed:
            call("poses", self._take_pose, robot_id, story, now_ns)
        call("poses of drivers", self._take_poses, story, now_ns)
        call("true poses", self._truths.take, story, now_ns)
        call("messages of the simulator", self._take_simulator, story, now_ns)
        call("diagnostics", self._take_diagnostics, story, now_ns)
        call("scans", self._take_scans, story)
        if self._is_look_due(now_ns):
            self._looked_ns = now_ns
            call("names on the graph", self._look, story)

    def rays(self, robot_id: int) -> dict[str, Any] | None:
        """Return what a robot's proximity sensors see; each call makes the feed follow them for a while."""
        if robot_id not in self._robots.statuses.followed:
            return None
        self._scan_asked_ns[robot_id] = self._now_ns
        if robot_id not in self._scans:
            topic = f"/factory/robot_{robot_id}/proximity/laser"
            self._scans[robot_id] = TakenTopic(self._node, LaserScan, topic, LATEST)
        return self._rays.get(robot_id)

    def destroy(self) -> None:
        """Leave the graph."""
        self._node.destroy_node()

    def _next_robots(self) -> list[int]:
        """Return the robots whose turn it is."""
        robots = list(self._robots.statuses.followed)
        count = min(len(robots), _ROBOTS_A_STEP)
        turn = self._turn % max(len(robots), 1)
        self._turn = turn + count
        return (robots + robots)[turn : turn + count]

    def _take_robot(self, robot_id: int, story: Story, now_ns: int) -> None:
        """Read a robot's new status and task."""
        if (status := self._robots.statuses.take(robot_id)) is not None:
            read, is_repeated = status
            if is_repeated:
                story.on_same_status(robot_id, now_ns)
            else:
                story.on_status(robot_id, read.level, read.message, read.values, now_ns)
        if (task := self._robots.tasks.take(robot_id)) is not None:
            story.on_task(robot_id, task[0], now_ns)
        if (order := self._robots.orders.take(robot_id)) is not None:
            story.on_order(robot_id, order[0])

    def _take_pose(self, robot_id: int, story: Story, now_ns: int) -> None:
        if (pose := self._robots.poses.take(robot_id)) is not None:
            story.on_poses({robot_id: pose[0]}, now_ns)

    def _take_poses(self, story: Story, now_ns: int) -> None:
        for poses in self._poses.take(now_ns):
            story.on_poses(poses, now_ns)

    def _take_drivers(self, story: Story, now_ns: int) -> None:
        while (message := self._drivers.take_message()) is not None:
            announcement = announcement_from_ros(message)
            if not announcement.driver.token:
                continue
            if not announcement.claimed:
                story.on_driver_left(announcement.driver.token, now_ns)
                continue
            driver = announcement.driver
            seen = SeenDriver(
                driver.host,
                driver.node,
                driver.token,
                tuple(announcement.serves),
                announcement.stop_state.is_stopped,
            )
            story.on_driver(seen, now_ns)
            for robot_id in announcement.serves:
                self._watch(robot_id)

    def _take_jobs(self, story: Story, now_ns: int) -> None:
        message = self._jobs.take_message()
        if message is None:
            return
        jobs = tuple(job_states_from_ros(message.jobs))
        stamp_ns = time_from_ros(message.header.stamp)
        story.jobs.on_report(JobsReport(jobs, tuple(message.off_duty), message.trouble, stamp_ns), now_ns)

    def _take_simulator(self, story: Story, now_ns: int) -> None:
        if self._steps % _CLOCK_STEPS == 0 and (clock := self._clock.take_message()) is not None:
            story.on_simulated_time(time_from_ros(clock.clock) * 1e-9, now_ns)
        markers = self._markers.take_message()
        if markers is not None:
            story.on_floor(ground_from_ros(markers))

    def _take_diagnostics(self, story: Story, now_ns: int) -> None:
        for data in self._diagnostics.take_all():
            if _TOKEN_PART in data:  # the other parts are the robots' statuses
                _read_diagnostics(data, story, now_ns)

    def _take_scans(self, story: Story) -> None:
        for robot_id, topic in list(self._scans.items()):
            if self._now_ns - self._scan_asked_ns[robot_id] > _LOOK_NS:
                topic.destroy()
                del self._scans[robot_id]
                self._rays.pop(robot_id, None)
                continue
            scan = topic.take_message()
            robot = story.picture.robots.get(robot_id)
            if scan is not None and robot is not None and robot.report.pose is not None:
                pose = robot.report.pose
                self._rays[robot_id] = _rays(robot_id, scan, [pose.x_m, pose.y_m, pose.heading_rad])

    def _is_look_due(self, now_ns: int) -> bool:
        """Whether to read the names on the graph: rarely, unless nodes come and go, which is cheap to detect."""
        if now_ns - self._checked_ns < _LOOK_NS:
            return False
        self._checked_ns = now_ns
        nodes = sorted(self._node.get_node_names())
        if nodes != self._nodes:
            self._nodes, self._pause_ns = nodes, _LOOK_NS
        return now_ns - self._looked_ns >= self._pause_ns

    def _look(self, story: Story) -> None:
        """Find the robots of all servers, what they offer, and their node ids in the simulator."""
        followed = self._robots.statuses.followed
        for robot_id in [one for one in followed if one not in story.picture.robots]:
            self._robots.forget(robot_id)  # it was dismissed
        found = offers(self._node, followed)
        is_news, self._offers = found != self._offers, found
        self._pause_ns = _LOOK_NS if is_news else min(2 * self._pause_ns, _SELDOM_NS)
        earlier_ids = list(followed)
        for robot_id, can in found.verbs.items():
            self._watch(robot_id)
            if robot_id in followed:
                story.on_offer(robot_id, can)
                if robot_id in found.ordered:
                    self._robots.watch_order(robot_id)
        self._jobs.adapt()
        story.jobs.on_server(self._node.count_publishers(JOBS_TOPIC) > 0)
        self._robots.statuses.adapt()
        is_waiting = self._poses.has_publisher  # new robots have time until the next look to appear there
        for robot_id in earlier_ids if is_waiting else followed:
            if self._poses.has(robot_id, self._now_ns):
                self._robots.poses.forget(robot_id)
            else:
                self._robots.watch_pose(robot_id)
        self._truths.adapt(story.picture.node_ids)

    def _watch(self, robot_id: int) -> None:
        followed = self._robots.statuses.followed
        if robot_id not in followed and len(followed) < _WATCHED_MAX:
            self._robots.watch_status(robot_id)
            self._robots.watch_task(robot_id)
            self._pause_ns = _LOOK_NS


def _read_diagnostics(data: bytes, story: Story, now_ns: int) -> None:
    """Read the drivers' counts; each such status names its driver."""
    message = message_from_bytes(data, DiagnosticArray)
    for status in () if message is None else message.status:
        values = {value.key: value.value for value in status.values}
        if TOKEN_KEY in values:
            story.on_diagnostics(values[TOKEN_KEY], status.name, values, now_ns)


def _rays(robot_id: int, scan: Any, origin: list[float]) -> dict[str, Any]:
    angles = (scan.angle_min + index * scan.angle_increment for index in range(len(scan.ranges)))
    rays = [
        [round(angle, 4), round(distance, 4) if math.isfinite(distance) else None]
        for angle, distance in zip(angles, scan.ranges, strict=True)
    ]
    longest = scan.range_max if math.isfinite(scan.range_max) else _LASER_FRAME_M
    return {"type": "rays", "robot": robot_id, "origin": origin, "rays": rays, "max_m": longest}
