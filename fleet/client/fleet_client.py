"""A client of the customer's interface: sends tasks, cancels them, and reads what robots publish.

It uses only the interface, so it works with any server; this project's server adds progress to the status.
"""

import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import rclpy
from action_msgs.srv import CancelGoal
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.client import Client
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from std_srvs.srv import Trigger
from thymio_fleet_interfaces.action import FollowPath
from thymio_fleet_interfaces.msg import Driver
from thymio_fleet_interfaces.srv import ConfigureTracker

from fleet.client.action_client import TaskActionClient
from fleet.client.latest_messages import FAST_QOS, LatestMessages
from fleet.client.robot_report import RobotReport
from fleet.client.sent_goal import PATIENCE, GoalState, Patience, SentGoal
from fleet.errors import GoalRejectedError, NoServerError
from fleet.geometry import Pose2D
from fleet.hosts.claims import Announcement, DriverId
from fleet.interface.announcements import announcement_from_ros
from fleet.interface.conversions import measured_pose_from_ros, pose_from_ros, pose_to_ros
from fleet.interface.names import DRIVERS_TOPIC, OURS, action_name
from fleet.interface.quality import DRIVERS_READER_QOS
from fleet.robots.robot_status import Level
from fleet.settings.config import RobotConfig
from fleet.settings.motion_capture import MotionCaptureConfig
from fleet.tasks.task import TaskKind
from thymio_base.ros.executors import spin_once
from thymio_base.ros.interrupt import interrupted_afterwards

DISCOVERY_S = 5.0  # Fast DDS announces itself every 3 s where its first announcements were lost
_SILENT_S = 5.0  # drivers announce themselves once a second
_OURS_S = 0.5  # actions that are not the customer's are found together with those that are, or do not exist
ANSWER_S = 1.5  # after which a service request is repeated
_SLICE_S = 0.05  # longest wait for an event between two checks of the time
_POLL_S = 0.01  # between two checks of the graph for a server that is just being found
_PENDING_S = 1.0  # longest run of pending callbacks between two checks of the time
_SETTLE_S = 30.0  # a process may stand for seconds on a machine with much other work
_ADAPT_S = 0.5  # between two checks of the publishers and their QoS
_REASON_S = 2.5  # status, which has the reason why a goal did not succeed, is published once a second

_STATUS_TOPIC = re.compile(r"^/factory/robot_([1-9][0-9]*)/status$")
_LEVELS = {bytes([level.value]): level for level in Level}
_ACTION_TYPES: dict[TaskKind, Any] = {
    TaskKind.GO_TO: TaskGoTo,
    TaskKind.GO_HOME: TaskGoHome,
    TaskKind.TRANSPORT: TaskTransport,
    TaskKind.FOLLOW_PATH: FollowPath,
}


class FleetClient:
    """A client of all robots of a fleet, for one thread; nothing happens unless it spins.

    Parameters
    ----------
    frame : the frame of every pose
    patience : how long goals wait for answers of their servers
    """

    def __init__(self, frame: str = "map", patience: Patience = PATIENCE) -> None:
        self._context = rclpy.Context()
        self._context.init(initialize_logging=False)  # otherwise each command would leave a log file behind
        name = f"thymio_fleet_client_{uuid.uuid4().hex[:8]}"
        self.node = rclpy.create_node(name, context=self._context)
        self._reader = self._create_node(f"{name}_reader")
        self.frame = frame
        self._patience = patience
        self.statuses = LatestMessages[DiagnosticStatus](self._reader, DiagnosticStatus, lambda status: status)
        self.poses = LatestMessages[Pose2D](self._reader, PoseStamped, self._pose)
        self.truths = LatestMessages[Pose2D](self._reader, PoseStamped, self._pose)  # of simulated robots
        self.drivers: dict[str, tuple[float, Announcement]] = {}  # by token, with the time of reception [s]
        self._actions: dict[tuple[int, TaskKind], TaskActionClient] = {}
        self._open: list[SentGoal] = []
        self._unexplained: list[_Unexplained] = []
        self._watched: set[str] = set()
        self._adapted_s = 0.0
        self._executor = EventsExecutor(context=self._context)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self.node)
        self._executor.shutdown()
        self._reader.destroy_node()
        self.node.destroy_node()
        self._context.try_shutdown()

    def spin(self, duration_s: float) -> None:
        """Serve callbacks for a while."""
        self.spin_until(lambda: False, duration_s)

    def spin_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Serve callbacks until a condition holds; return whether it does."""
        return self._spin_until(condition, timeout_s, _SLICE_S)

    def settle(self) -> None:
        """Wait until the executor listens to every entity; answers that arrive before may never be announced."""
        with interrupted_afterwards():
            self._run_pending(_SETTLE_S)

    def _spin_until(self, condition: Callable[[], bool], timeout_s: float, slice_s: float) -> bool:
        deadline_s = time.monotonic() + timeout_s
        while not condition():
            remaining_s = deadline_s - time.monotonic()
            if remaining_s <= 0.0:
                return False
            with interrupted_afterwards():
                spin_once(self._executor, min(slice_s, remaining_s))
                self._run_pending()
            self._advance()
        return True

    def _run_pending(self, timeout_s: float = _PENDING_S) -> None:
        """Run the callbacks of all pending events: `spin_once` runs one, and on a busy machine there are many."""
        self._executor.spin_until_future_complete(self._executor.create_task(_nothing), timeout_s)

    def _advance(self) -> None:
        """Repeat requests that are due, and check how robots publish and why goals ended."""
        for action in self._actions.values():
            action.advance()
        ended = [goal for goal in self._open if goal.state.is_final]
        if ended:
            self._open = [goal for goal in self._open if not goal.state.is_final]
            self._unexplained += (_Unexplained(goal, self.statuses.count(goal.robot_id)) for goal in ended)
        self._unexplained = [one for one in self._unexplained if not self._explain(one)]
        if time.monotonic() - self._adapted_s > _ADAPT_S:
            self._adapted_s = time.monotonic()
            self.statuses.adapt()

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
        self.statuses.watch(robot_id, f"{prefix}/status")
        self.poses.watch(robot_id, f"{prefix}/pose", FAST_QOS)

    def watch_truth(self, node_id: int) -> None:
        """Follow a simulated robot's true pose in `truths` from now on."""
        self.truths.watch(node_id, f"/simulator/thymio_{node_id}/truth", FAST_QOS)

    def watch_drivers(self) -> None:
        """Follow the announcements of the drivers on all hosts in `drivers` from now on."""
        if DRIVERS_TOPIC not in self._watched:
            self._watched.add(DRIVERS_TOPIC)
            self.node.create_subscription(Driver, DRIVERS_TOPIC, self._on_driver, DRIVERS_READER_QOS)

    def driver(self, robot_id: int) -> DriverId | None:
        """Return the driver that serves a robot; None for a server that is not ours, or before any announcement."""
        serving = (
            announcement.driver for announcement in self._recent_announcements() if robot_id in announcement.serves
        )
        return next(serving, None)

    def waiting(self, robot_id: int) -> list[DriverId]:
        """Return the drivers that are configured to serve a robot and do not, because another one does."""
        return [
            announcement.driver for announcement in self._recent_announcements() if robot_id in announcement.waits_for
        ]

    def _recent_announcements(self) -> list[Announcement]:
        """Return recent announcements, the latest first; a driver that is cut off no longer announces itself."""
        oldest_s = time.monotonic() - _SILENT_S
        latest = sorted(self.drivers.values(), key=lambda received: -received[0])
        return [announcement for received_s, announcement in latest if received_s >= oldest_s]

    def _on_driver(self, message: Driver) -> None:
        announcement = announcement_from_ros(message)
        if announcement.serves or announcement.waits_for:
            self.drivers[announcement.driver.token] = time.monotonic(), announcement
        else:
            self.drivers.pop(announcement.driver.token, None)

    def watch_pose(self, topic: str, callback: Callable[[Pose2D], None]) -> None:
        """Call back with every pose in the plane on a PoseStamped topic."""
        self._watch_pose(topic, lambda message: pose_from_ros(message, message.header.frame_id), callback)

    def watch_measured_pose(
        self, robot: RobotConfig, capture: MotionCaptureConfig, callback: Callable[[Pose2D], None]
    ) -> None:
        """Call back with every pose of a robot's axle from motion capture."""
        self._watch_pose(
            robot.pose_topic, lambda message: measured_pose_from_ros(message, capture, robot.marker), callback
        )

    def _watch_pose(
        self, topic: str, convert: Callable[[PoseStamped], Pose2D], callback: Callable[[Pose2D], None]
    ) -> None:
        def on_message(message: PoseStamped) -> None:
            pose = self._converted(message, convert)
            if pose is not None:
                callback(pose)

        self.node.create_subscription(PoseStamped, topic, on_message, qos_profile_sensor_data)

    def _pose(self, message: PoseStamped) -> Pose2D | None:
        return self._converted(message, lambda stamped: pose_from_ros(stamped, stamped.header.frame_id))

    def _converted(self, message: PoseStamped, convert: Callable[[PoseStamped], Pose2D]) -> Pose2D | None:
        try:
            return convert(message)
        except GoalRejectedError as error:
            self.node.get_logger().warning(f"invalid pose: {error}", throttle_duration_sec=5.0)
            return None

    def value(self, robot_id: int, key: str) -> str:
        """Return a value of the robot's latest status, "" if there is none."""
        status = self.statuses.get(robot_id)
        return next((value.value for value in status.values if value.key == key), "") if status else ""

    def report(self, robot_id: int) -> RobotReport:
        """Return what is known about a watched robot."""
        status, driver = self.statuses.get(robot_id), self.driver(robot_id)
        pose, host = self.poses.get(robot_id), driver.host if driver else ""
        if status is None:
            return RobotReport(robot_id, pose=pose, host=host)
        return RobotReport(
            robot_id=robot_id,
            level=_LEVELS.get(status.level, Level.ERROR),
            message=status.message,
            values={value.key: value.value for value in status.values},
            pose=pose,
            age_s=self.statuses.age_s(robot_id),
            host=host,
        )

    def is_ready(self, robot_id: int) -> bool:
        """Whether a watched robot is connected, tracked and idle; a pose alone does not mean that it accepts tasks."""
        expected = {"state": "idle", "link": "connected", "localization": "tracked"}
        return all(self.value(robot_id, key) == value for key, value in expected.items())

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
        """Let a robot follow a path; the goal gets a new task_id."""
        fields = {name: getattr(goal, name) for name in goal.get_fields_and_field_types() if name != "task_id"}
        return self._send(robot_id, TaskKind.FOLLOW_PATH, **fields)

    def reach(self, robot_id: int, kind: TaskKind) -> None:
        """Wait until a robot accepts tasks of a kind.

        Raises
        ------
        NoServerError
            The action has no server.
        """
        self._action(robot_id, kind)

    def configure_tracker(
        self, robot_id: int, law: str = "", gains: Mapping[str, float] | None = None, timeout_s: float = DISCOVERY_S
    ) -> ConfigureTracker.Response:
        """Choose and tune a robot's control law, or only query it; see ConfigureTracker.srv.

        Raises
        ------
        NoServerError
            No server of the robot answers.
        """
        gains = gains or {}
        request = ConfigureTracker.Request(law=law, names=list(gains), values=list(gains.values()))
        return self.call(ConfigureTracker, f"/factory/robot_{robot_id}/x/configure_tracker", request, timeout_s)

    def cancel_all(self, robot_id: int, timeout_s: float = DISCOVERY_S) -> int:
        """Cancel all goals of a robot, whichever client sent them; return how many goals are being canceled.

        Raises
        ------
        NoServerError
            No server of the robot answers.
        """
        with self.visit() as node:
            clients = {kind: self._cancel_client(node, robot_id, kind) for kind in TaskKind}
            self.settle()
            available = [
                client for kind, client in clients.items() if self._is_available(client, timeout_s, kind in OURS)
            ]
            answers = self._call_all(available, CancelGoal.Request(), timeout_s)
        if answers is None:
            raise NoServerError(f"robot {robot_id} does not answer a cancel request within {timeout_s:g} s")
        return sum(len(answer.goals_canceling) for answer in answers)

    def fetch_result(self, goal: SentGoal, timeout_s: float = DISCOVERY_S) -> Any:
        """Request the result of a goal once more; return the action server's answer, with `status` and `result`.

        Raises
        ------
        NoServerError
            The server does not answer.
        """
        action = self._actions[goal.robot_id, goal.kind]
        deadline_s = time.monotonic() + timeout_s
        while (remaining_s := deadline_s - time.monotonic()) > 0.0:
            future = action.fetch_result(goal)
            if self.spin_until(future.done, min(ANSWER_S, remaining_s)):
                return future.result()
        raise NoServerError(f"{action.name} does not return the result of {goal.task_id} within {timeout_s:g} s")

    def reason(self, goal: SentGoal) -> str:
        """Return in words why an ended goal did not succeed, once its robot's status has had time to report it."""
        if goal.state is not GoalState.SUCCEEDED:
            self.watch(goal.robot_id)
        self._advance()
        self.spin_until(lambda: all(one.goal is not goal for one in self._unexplained), _REASON_S)
        return goal.reason

    def trigger(self, name: str, timeout_s: float = DISCOVERY_S) -> str | None:
        """Call a std_srvs/Trigger service; return its message, or None if it has no server."""
        try:
            return str(self.call(Trigger, name, Trigger.Request(), timeout_s).message)
        except NoServerError:
            return None

    def call(
        self,
        service_type: Any,
        name: str,
        request: Any,
        timeout_s: float = DISCOVERY_S,
        repeat_s: float = ANSWER_S,
    ) -> Any:
        """Return the answer of a service; the request is repeated every `repeat_s` until it is answered.

        Raises
        ------
        NoServerError
            The service has no server, or does not answer.
        """
        with self.visit() as node:
            client = node.create_client(service_type, name)
            self.settle()
            self._is_available(client, timeout_s)
            answers = self._call_all([client], request, timeout_s, repeat_s)
        if answers is None:
            raise NoServerError(f"{name} does not answer within {timeout_s:g} s")
        return answers[0]

    @contextmanager
    def visit(self) -> Iterator[Node]:
        """Yield a temporary node, which then leaves nothing on the graph.

        It is destroyed in two steps: events that are queued for it would run on entities that no longer exist.
        """
        node = self._create_node(f"{self.node.get_name()}_{uuid.uuid4().hex[:8]}")
        self._executor.add_node(node)
        try:
            yield node
        finally:
            self._executor.remove_node(node)
            self.settle()
            node.destroy_node()

    def _create_node(self, name: str) -> Node:
        """Return a node without default entities."""
        return rclpy.create_node(name, context=self._context, start_parameter_services=False, enable_rosout=False)

    def _is_available(self, client: Client, timeout_s: float, is_optional: bool = False) -> bool:
        """Wait for the server of a service; raise NoServerError if there is none, unless it is optional."""
        if self._spin_until(client.service_is_ready, _OURS_S if is_optional else timeout_s, _POLL_S):
            return True
        if is_optional:
            return False
        name = client.srv_name.removesuffix("/_action/cancel_goal")
        raise NoServerError(f"no server for {name}; is the driver running?")

    def _call_all(
        self, clients: Sequence[Client], request: Any, timeout_s: float, repeat_s: float = ANSWER_S
    ) -> list[Any] | None:
        """Return the answers of services, repeating unanswered requests; None if one does not answer."""
        calls = [_Call(client, request) for client in clients]
        deadline_s = time.monotonic() + timeout_s
        while (remaining_s := deadline_s - time.monotonic()) > 0.0:
            for call in calls:
                call.send()
            if self.spin_until(lambda: all(call.is_answered for call in calls), min(repeat_s, remaining_s)):
                return [call.answer for call in calls]
        return None

    def _stamped(self, pose: Pose2D) -> PoseStamped:
        return pose_to_ros(pose, self.node.get_clock().now().nanoseconds, self.frame)

    def _send(self, robot_id: int, kind: TaskKind, **fields: Any) -> SentGoal:
        task_id = f"{kind.value.removeprefix('task_')}-{uuid.uuid4().hex[:8]}"
        action = self._action(robot_id, kind)
        goal = SentGoal(robot_id, kind, task_id, action.name, self._patience)
        action.send(goal, _ACTION_TYPES[kind].Goal(task_id=task_id, **fields))
        self._open.append(goal)
        return goal

    def _action(self, robot_id: int, kind: TaskKind, timeout_s: float = DISCOVERY_S) -> TaskActionClient:
        """Return a ready client of a robot's action: it is listening, and its server is available."""
        key, name = (robot_id, kind), action_name(robot_id, kind)
        if key not in self._actions:
            self._actions[key] = TaskActionClient(self.node, _ACTION_TYPES[kind], name, time.monotonic)
            self.settle()
        if not self._spin_until(self._actions[key].is_ready, timeout_s, _POLL_S):
            raise NoServerError(f"no server for {name}; is the driver running?")
        return self._actions[key]

    def _cancel_client(self, node: Node, robot_id: int, kind: TaskKind) -> Client:
        """Return a client of the service that cancels the goals of an action."""
        return node.create_client(CancelGoal, f"{action_name(robot_id, kind)}/_action/cancel_goal")

    def _explain(self, ended: "_Unexplained") -> bool:
        """Read the reason for a goal's end from its robot's status; return whether that is done, or too late."""
        goal, robot_id = ended.goal, ended.goal.robot_id
        if goal.state is GoalState.SUCCEEDED or robot_id not in self.statuses:
            return goal.state is GoalState.SUCCEEDED or ended.is_old
        if goal.state is GoalState.REJECTED:
            is_new = self.statuses.count(robot_id) > ended.statuses
            reason = self.value(robot_id, "reason") if is_new else ""
        else:
            is_last = self.value(robot_id, "last_task") == goal.task_id
            reason = self.value(robot_id, "last_result").partition(":")[2] if is_last else ""
        if reason:
            goal.explain(reason)
        return bool(reason) or goal.state is GoalState.CANCELED or ended.is_old


class _Call:
    """A request to a service, which may be sent several times."""

    def __init__(self, client: Client, request: Any) -> None:
        self._client = client
        self._request = request
        self._answers: list[Any] = []

    @property
    def is_answered(self) -> bool:
        """Whether an answer has arrived."""
        return bool(self._answers)

    @property
    def answer(self) -> Any:
        """The first answer."""
        return self._answers[0]

    def send(self) -> None:
        """Send the request, unless there is an answer."""
        if not self._answers:
            self._client.call_async(self._request).add_done_callback(lambda done: self._answers.append(done.result()))


class _Unexplained:
    """An ended goal whose robot's status may still give the reason.

    Parameters
    ----------
    goal : the goal
    statuses : how many statuses of its robot had arrived by then
    """

    def __init__(self, goal: SentGoal, statuses: int) -> None:
        self.goal = goal
        self.statuses = statuses
        self._ended_s = time.monotonic()

    @property
    def is_old(self) -> bool:
        """Whether statuses may be about other goals by now."""
        return time.monotonic() - self._ended_s > _REASON_S


def _nothing() -> None:
    """Do nothing: once it has run, so has everything that was queued before."""
