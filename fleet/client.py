"""A client of the customer's interface: sends tasks, cancels them, and reads what robots publish.

It knows the interface alone and works with any server of it; where the server is this project's, status tells progress.
"""

import re
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import rclpy
from action_msgs.srv import CancelGoal
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.experimental import EventsExecutor
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from std_srvs.srv import Trigger
from thymio_fleet_interfaces.action import FollowPath
from thymio_fleet_interfaces.msg import Driver
from thymio_fleet_interfaces.srv import ConfigureTracker

from fleet.claims import Announcement, DriverId
from fleet.claims_interface import DRIVERS_TOPIC, HEARD_QOS, announcement_from_ros
from fleet.config import RobotConfig
from fleet.conversions import measured_pose_from_ros, pose_from_ros, pose_to_ros
from fleet.errors import GoalRejectedError, NoServerError
from fleet.geometry import Pose2D
from fleet.interrupt import interrupted_afterwards
from fleet.motion_capture import MotionCaptureConfig
from fleet.robot_topics import STATUS_QOS
from fleet.sent_goal import SentGoal
from fleet.task_actions import OURS, action_name
from fleet.tasks import TaskKind

DISCOVERY_S = 5.0  # Fast DDS announces itself every 3 s where its first announcements were lost
_SILENT_S = 5.0  # drivers announce themselves once a second
_OURS_S = 0.5  # actions that are not the customer's are found beside those that are, or are not there
_ATTEMPTS = 2  # to call a service

_STATUS_TOPIC = re.compile(r"^/factory/robot_([1-9][0-9]*)/status$")
_ACTION_TYPES: dict[TaskKind, Any] = {
    TaskKind.GO_TO: TaskGoTo,
    TaskKind.GO_HOME: TaskGoHome,
    TaskKind.TRANSPORT: TaskTransport,
    TaskKind.FOLLOW_PATH: FollowPath,
}


class FleetClient:
    """Talks to the robots of a fleet from one thread; nothing happens unless it spins.

    Parameters
    ----------
    frame : the frame of every pose
    """

    def __init__(self, frame: str = "map") -> None:
        self._context = rclpy.Context()
        self._context.init()
        self.node = rclpy.create_node(f"thymio_fleet_client_{uuid.uuid4().hex[:8]}", context=self._context)
        self.frame = frame
        self.statuses: dict[int, DiagnosticStatus] = {}
        self.poses: dict[int, Pose2D] = {}
        self.drivers: dict[str, tuple[float, Announcement]] = {}  # by their tokens; when they were heard [s]
        self._actions: dict[tuple[int, TaskKind], ActionClient] = {}
        self._watched: set[str] = set()
        self._executor = EventsExecutor(context=self._context)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self.node)
        self._executor.shutdown()
        for client in self._actions.values():
            client.destroy()
        self.node.destroy_node()
        self._context.try_shutdown()

    def spin(self, duration_s: float) -> None:
        """Serve callbacks for a while."""
        self.spin_until(lambda: False, duration_s)

    def spin_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Serve callbacks until a condition holds; return whether it does."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            remaining_s = deadline - time.monotonic()
            if remaining_s <= 0.0:
                return condition()
            with interrupted_afterwards():
                self._executor.spin_once(timeout_sec=min(0.05, remaining_s))
        return True

    def robot_ids(self) -> list[int]:
        """Return the robots that are on the graph now."""
        names = (name for name, _ in self.node.get_topic_names_and_types())
        return sorted(int(match.group(1)) for match in map(_STATUS_TOPIC.match, names) if match)

    def watch(self, robot_id: int) -> None:
        """Follow a robot's status and pose in `statuses` and `poses` from now on."""
        prefix = f"/factory/robot_{robot_id}"
        if prefix in self._watched:
            return
        self._watched.add(prefix)
        self.watch_drivers()
        self.node.create_subscription(
            DiagnosticStatus, f"{prefix}/status", lambda message: self.statuses.update({robot_id: message}), STATUS_QOS
        )
        self.watch_pose(f"{prefix}/pose", lambda pose: self.poses.update({robot_id: pose}))

    def watch_drivers(self) -> None:
        """Follow what the drivers on all hosts say of themselves in `drivers` from now on."""
        if DRIVERS_TOPIC not in self._watched:
            self._watched.add(DRIVERS_TOPIC)
            self.node.create_subscription(Driver, DRIVERS_TOPIC, self._on_driver, HEARD_QOS)

    def driver(self, robot_id: int) -> DriverId | None:
        """Return who serves a robot; None for a server that is not ours, or while nobody has said so."""
        serving = (said.driver for said in self._heard() if robot_id in said.serves)
        return next(serving, None)

    def waiting(self, robot_id: int) -> list[DriverId]:
        """Return the drivers that are configured to serve a robot and do not, because another one does."""
        return [said.driver for said in self._heard() if robot_id in said.waits_for]

    def _heard(self) -> list[Announcement]:
        """Return what was announced lately, the latest first; whoever is cut off says nothing any more."""
        oldest_s = time.monotonic() - _SILENT_S
        latest = sorted(self.drivers.values(), key=lambda heard: -heard[0])
        return [said for heard_s, said in latest if heard_s >= oldest_s]

    def _on_driver(self, message: Driver) -> None:
        said = announcement_from_ros(message)
        if said.serves or said.waits_for:
            self.drivers[said.driver.token] = time.monotonic(), said
        else:
            self.drivers.pop(said.driver.token, None)

    def watch_pose(self, topic: str, callback: Callable[[Pose2D], None]) -> None:
        """Call back with every pose on a PoseStamped topic that is a pose in the plane."""
        self._watch_pose(topic, lambda message: pose_from_ros(message, message.header.frame_id), callback)

    def watch_measured_pose(
        self, robot: RobotConfig, capture: MotionCaptureConfig, callback: Callable[[Pose2D], None]
    ) -> None:
        """Call back with every pose of a robot's axle that motion capture measures."""
        self._watch_pose(
            robot.pose_topic, lambda message: measured_pose_from_ros(message, capture, robot.marker), callback
        )

    def _watch_pose(
        self, topic: str, convert: Callable[[PoseStamped], Pose2D], callback: Callable[[Pose2D], None]
    ) -> None:
        def on_message(message: PoseStamped) -> None:
            try:
                callback(convert(message))
            except GoalRejectedError as error:
                self.node.get_logger().warning(f"{topic}: {error}", throttle_duration_sec=5.0)

        self.node.create_subscription(PoseStamped, topic, on_message, qos_profile_sensor_data)

    def value(self, robot_id: int, key: str) -> str:
        """Return a value of the robot's latest status, "" where there is none."""
        status = self.statuses.get(robot_id)
        return next((value.value for value in status.values if value.key == key), "") if status else ""

    def is_ready(self, robot_id: int) -> bool:
        """Whether a watched robot is reached, tracked and idle; a pose alone does not tell that it takes tasks."""
        wanted = {"state": "idle", "link": "connected", "localization": "tracked"}
        return all(self.value(robot_id, key) == value for key, value in wanted.items())

    def go_to(self, robot_id: int, goal: Pose2D) -> SentGoal:
        """Send a robot to a pose."""
        return self._send(robot_id, TaskKind.GO_TO, goal_pose=self._stamped(goal))

    def go_home(self, robot_id: int) -> SentGoal:
        """Send a robot home."""
        return self._send(robot_id, TaskKind.GO_HOME)

    def transport(self, robot_id: int, pose_from: Pose2D, pose_to: Pose2D) -> SentGoal:
        """Let a robot carry something from one pose to another."""
        return self._send(
            robot_id, TaskKind.TRANSPORT, pose_from=self._stamped(pose_from), pose_to=self._stamped(pose_to)
        )

    def follow_path(self, robot_id: int, goal: FollowPath.Goal) -> SentGoal:
        """Let a robot follow a path; the goal's task_id is given anew."""
        fields = {name: getattr(goal, name) for name in goal.get_fields_and_field_types() if name != "task_id"}
        return self._send(robot_id, TaskKind.FOLLOW_PATH, **fields)

    def reach(self, robot_id: int, kind: TaskKind) -> None:
        """Wait until a robot takes tasks of a kind.

        Raises
        ------
        NoServerError
            Nobody serves the action.
        """
        self._action(robot_id, kind)

    def configure_tracker(
        self, robot_id: int, law: str = "", gains: Mapping[str, float] | None = None, timeout_s: float = DISCOVERY_S
    ) -> ConfigureTracker.Response:
        """Choose and tune a robot's control law, see ConfigureTracker.srv; without anything to change ask for it.

        Raises
        ------
        NoServerError
            No server of the robot answers.
        """
        gains = gains or {}
        request = ConfigureTracker.Request(law=law, names=list(gains), values=list(gains.values()))
        return self._call(ConfigureTracker, f"/factory/robot_{robot_id}/x/configure_tracker", request, timeout_s)

    def cancel_all(self, robot_id: int, timeout_s: float = DISCOVERY_S) -> int:
        """Cancel whatever a robot performs, whoever asked for it; return how many goals are being canceled.

        Raises
        ------
        NoServerError
            No server of the robot answers.
        """
        found = (self._cancel_through(robot_id, kind, timeout_s) for kind in TaskKind)
        futures = [future for future in found if future is not None]
        if not self.spin_until(lambda: all(future.done() for future in futures), timeout_s):
            raise NoServerError(f"robot {robot_id} does not answer a cancel request within {timeout_s:g} s")
        return sum(len(future.result().goals_canceling) for future in futures)

    def trigger(self, name: str, timeout_s: float = DISCOVERY_S) -> str | None:
        """Call a std_srvs/Trigger service; return its message, or None where nobody serves it."""
        try:
            return str(self._call(Trigger, name, Trigger.Request(), timeout_s).message)
        except NoServerError:
            return None

    def _call(self, service_type: Any, name: str, request: Any, timeout_s: float) -> Any:
        """Return what a service answers that may be asked twice; raise NoServerError where none is, or answers.

        An answer is lost that is given before the server has found the reader of it.
        """
        client = self.node.create_client(service_type, name)
        try:
            if not client.wait_for_service(timeout_sec=timeout_s):
                raise NoServerError(f"nobody serves {name}; is the driver running?")
            for _ in range(_ATTEMPTS):
                future = client.call_async(request)
                if self.spin_until(future.done, timeout_s / _ATTEMPTS):
                    return future.result()
            raise NoServerError(f"{name} does not answer within {timeout_s:g} s")
        finally:
            self.node.destroy_client(client)

    def _stamped(self, pose: Pose2D) -> PoseStamped:
        return pose_to_ros(pose, self.node.get_clock().now().nanoseconds, self.frame)

    def _send(self, robot_id: int, kind: TaskKind, **fields: Any) -> SentGoal:
        task_id = f"{kind.value.removeprefix('task_')}-{uuid.uuid4().hex[:8]}"
        client = self._action(robot_id, kind)
        sent = SentGoal(robot_id, kind, task_id)
        sent.send(client, _ACTION_TYPES[kind].Goal(task_id=task_id, **fields))
        return sent

    def _action(self, robot_id: int, kind: TaskKind, timeout_s: float = DISCOVERY_S) -> ActionClient:
        key, name = (robot_id, kind), action_name(robot_id, kind)
        if key not in self._actions:
            self._actions[key] = ActionClient(self.node, _ACTION_TYPES[kind], name)
        if not self._actions[key].wait_for_server(timeout_sec=timeout_s):
            raise NoServerError(f"nobody serves {name}; is the driver running?")
        return self._actions[key]

    def _cancel_through(self, robot_id: int, kind: TaskKind, timeout_s: float) -> Future | None:
        """Ask one action server to cancel every goal: a request with neither an id nor a stamp.

        None where the action is not the customer's, and the server is not ours.
        """
        name, is_optional = action_name(robot_id, kind), kind in OURS
        client = self.node.create_client(CancelGoal, f"{name}/_action/cancel_goal")
        if client.wait_for_service(timeout_sec=_OURS_S if is_optional else timeout_s):
            return client.call_async(CancelGoal.Request())
        if is_optional:
            return None
        raise NoServerError(f"nobody serves {name}; is the driver running?")
