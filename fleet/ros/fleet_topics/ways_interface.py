"""Exchanges current and planned positions of robots with other drivers, once a tick; it does nothing in between."""

from collections.abc import Callable, Collection
from itertools import islice
from typing import Final

from geometry_msgs.msg import PoseStamped
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from thymio_fleet_interfaces.msg import KnownWays as KnownWaysMessage
from thymio_fleet_interfaces.msg import SharedWays as SharedWaysMessage

from fleet.errors import WaysError
from fleet.interface.conversions import pose_in_plane
from fleet.interface.graph import ForeignRobots
from fleet.interface.names import KNOWN_WAYS_TOPIC, WAYS_TOPIC
from fleet.interface.quality import KNOWN_WAYS_QOS, POSE_READER_QOS, WAYS_QOS, WAYS_READER_QOS
from fleet.interface.ways_messages import COORDINATE_MAX_M, known_from_ros, known_to_ros, ways_from_ros, ways_to_ros
from fleet.timetable.shared_ways import SharedWays
from fleet.traffic.neighbourhood import Neighbourhood
from fleet.watch.taken_topic import TakenTopic
from thymio_base.instant import Instant
from thymio_base.ros.stamped_poses import read_pose
from thymio_base.texts.shortened import shortened

_AT_ONCE: Final = 20  # messages of one topic that one tick reads
_NEW_AT_ONCE: Final = 2  # subscriptions that one tick creates
_WARNING_PERIOD_NS: Final = 5_000_000_000
_SEARCH_PERIOD_S: Final = 5.0  # between two searches of the whole graph, which take milliseconds
_SUBJECTS_MAX: Final = 1000  # about which it is logged: hosts have any names
_CLOCKS_NS: Final = 500_000_000  # clocks that differ by more are worth a warning


class WaysInterface:
    """Publishes the ways of our robots, and receives those of other drivers and the poses of their robots.

    Parameters
    ----------
    node : the driver's node; owns the publishers
    listener : owns the subscriptions; no executor may serve it
    neighbourhood : what is known of the robots of other drivers
    frame : frame of all poses; drivers with a different frame are on a different floor
    own_ids : returns the robots that we serve
    logger : the driver's logger
    """

    def __init__(
        self,
        node: Node,
        listener: Node,
        neighbourhood: Neighbourhood,
        frame: str,
        *,
        own_ids: Callable[[], Collection[int]],
        logger: RcutilsLogger,
    ) -> None:
        self._listener = listener
        self._neighbourhood = neighbourhood
        self._frame = frame
        self._own_ids = own_ids
        self._logger = logger
        self._warned_ns: dict[str, int] = {}
        self._foreign = ForeignRobots(node, _SEARCH_PERIOD_S)
        self._found_ids: list[int] = []
        self._latest: dict[str, SharedWays] = {}  # by the tokens of other drivers
        self._poses: dict[int, TakenTopic] = {}
        self._shared: SharedWaysMessage | None = None  # the latest that we published
        self._ways_publisher = node.create_publisher(SharedWaysMessage, WAYS_TOPIC, WAYS_QOS)
        self._known_publisher = node.create_publisher(KnownWaysMessage, KNOWN_WAYS_TOPIC, KNOWN_WAYS_QOS)
        self._ways = TakenTopic(listener, SharedWaysMessage, WAYS_TOPIC, WAYS_READER_QOS)
        self._known = TakenTopic(listener, KnownWaysMessage, KNOWN_WAYS_TOPIC, KNOWN_WAYS_QOS)

    def receive(self, now: Instant) -> None:
        """Pass new messages to the neighbourhood."""
        for message in islice(iter(self._ways.take_message, None), _AT_ONCE):
            self._on_ways(message, now)
        for message in islice(iter(self._known.take_message, None), _AT_ONCE):
            self._on_known(message, now)
        self._watch(self._neighbourhood.robot_ids)
        for robot_id, topic in self._poses.items():
            for data in islice(topic.take_all(), _AT_ONCE):
                self._on_pose(robot_id, data, now)

    def publish(self, now: Instant) -> None:
        """Publish what is due."""
        known = self._neighbourhood.known_to_share(now.core_ns, now.ros_ns)
        if known is not None:
            self._known_publisher.publish(known_to_ros(known))
        shared = self._neighbourhood.ways_to_share(now.core_ns, now.ros_ns)
        if shared is not None:
            self._shared = ways_to_ros(shared, self._frame, self._shared)
            self._ways_publisher.publish(self._shared)

    def leave(self, now: Instant) -> None:
        """Announce that our robots are stationary from now on."""
        shared = self._neighbourhood.last_ways(now.core_ns, now.ros_ns)
        self._ways_publisher.publish(ways_to_ros(shared, self._frame))

    def forget_driver(self, token: str) -> None:
        """Drop a driver that is known to have ended without a message."""
        self._latest.pop(token, None)
        self._neighbourhood.forget_driver(token)

    def do_housekeeping(self, now: Instant) -> None:
        """Look for robots whose servers publish only poses, and compare clocks; call it outside the ticks."""
        for driver, offset_ns in self._neighbourhood.clock_offsets_ns.items():
            ahead_ns = now.core_ns - now.ros_ns - offset_ns
            if abs(ahead_ns) > _CLOCKS_NS:
                self._warn_once(
                    f"the clock of {driver} is {abs(ahead_ns) * 1e-9:.1f} s {'ahead' if ahead_ns > 0 else 'behind'}; "
                    "ways allow for that, but stamps of other messages are wrong: synchronize the clocks"
                )
        self._found_ids = self._foreign.ids(self._own_ids(), now.core_ns * 1e-9)

    def _on_ways(self, message: SharedWaysMessage, now: Instant) -> None:
        if message.token == self._neighbourhood.driver.token:
            return
        if message.header.frame_id != self._frame:
            self._warn_once(
                f"host {shortened(message.host)} has the frame {shortened(message.header.frame_id)!r}, "
                f"not {self._frame!r}: its robots are taken to be on another floor"
            )
            return
        try:
            shared = ways_from_ros(message, self._latest.get(message.token))
        except WaysError as error:
            self._warn(f"ways of host {message.host} are not used: {error}", now)
            return
        self._latest[message.token] = shared
        if shared.is_leaving:
            del self._latest[message.token]
        self._neighbourhood.receive_ways(shared, now.core_ns)

    def _on_known(self, message: KnownWaysMessage, now: Instant) -> None:
        if message.token == self._neighbourhood.driver.token:
            return
        try:
            self._neighbourhood.receive_known(known_from_ros(message), now.core_ns)
        except WaysError as error:
            self._warn(f"what host {message.host} knows is not used: {error}", now)

    def _watch(self, robot_ids: Collection[int]) -> None:
        """Subscribe to the poses of other drivers' robots, and unsubscribe from robots that are ours now."""
        own_ids = self._own_ids()
        wanted = dict.fromkeys((*robot_ids, *self._found_ids))
        for robot_id in [robot_id for robot_id in self._poses if robot_id not in wanted or robot_id in own_ids]:
            self._poses.pop(robot_id).destroy()
        missing = [robot_id for robot_id in wanted if robot_id not in self._poses and robot_id not in own_ids]
        for robot_id in missing[:_NEW_AT_ONCE]:
            topic = f"/factory/robot_{robot_id}/pose"
            self._poses[robot_id] = TakenTopic(self._listener, PoseStamped, topic, POSE_READER_QOS)

    def _on_pose(self, robot_id: int, data: bytes, now: Instant) -> None:
        try:
            stamped = read_pose(data)
            pose = pose_in_plane(stamped, self._frame)
        except ValueError as error:  # GoalRejectedError is one
            self._warn(f"a pose of robot {robot_id} is not used: {error}", now)
            return
        if max(abs(pose.x_m), abs(pose.y_m)) > COORDINATE_MAX_M:
            self._warn(f"a pose of robot {robot_id} is not used: ({pose.x_m:g}, {pose.y_m:g}) is far away", now)
            return
        self._neighbourhood.see(robot_id, pose, stamped.stamp_ns, now.core_ns)

    def _warn_once(self, text: str) -> None:
        subject = text.partition(" is ")[0]
        if subject not in self._warned_ns and len(self._warned_ns) < _SUBJECTS_MAX:
            self._warned_ns[subject] = 0
            self._logger.warning(text)

    def _warn(self, text: str, now: Instant) -> None:
        """Log with throttling, for each topic and host."""
        subject = text.partition(":")[0]
        warned_ns = self._warned_ns.get(subject)
        if len(self._warned_ns) >= _SUBJECTS_MAX and warned_ns is None:
            return
        if warned_ns is None or now.core_ns - warned_ns >= _WARNING_PERIOD_NS:
            self._warned_ns[subject] = now.core_ns
            self._logger.warning(text)
