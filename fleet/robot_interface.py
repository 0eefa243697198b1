"""The ROS entities of one robot under /factory/robot_<ID>/; they pass on, and decide nothing."""

from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from ricaip_interfaces.srv import AssignedTask

from aseba_link.instant import Instant
from fleet import tasks
from fleet.config import FleetConfig, RobotConfig
from fleet.conversions import pose_from_ros, pose_to_ros, status_to_ros, time_from_ros
from fleet.errors import GoalRejectedError
from fleet.estimator import Localization
from fleet.service import FleetService
from fleet.status import TaskOutcome
from fleet.tasks import TaskRequest, TaskState

POSE_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)
STATUS_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class _DeferringActionServer(ActionServer):  # type: ignore[misc]  # rclpy counts as not annotated
    """An action server that executes a goal only once its end is known.

    The event executor runs a coroutine that awaits something over and over, which takes a whole core. So `execute` of
    a goal handle only makes the goal executing here; `notify_execute` with the callback then ends it.
    """

    def notify_execute(self, goal_handle: ServerGoalHandle, execute_callback: Callable[..., Any] | None) -> None:
        """Schedule the callback that ends a goal, if there is one."""
        if execute_callback is not None:
            super().notify_execute(goal_handle, execute_callback)


class RobotInterface:
    """Serves one robot: pose, status, assigned_task and the three task actions.

    The entities have a node of their own, which `node` is for the executor: each action server has a timer, and rcl
    warns of every further one on the clock of the same node.

    Parameters
    ----------
    service : takes the tasks
    robot : which one
    clock : tells the time
    logger : the driver's
    """

    def __init__(
        self, service: FleetService, robot: RobotConfig, clock: Callable[[], Instant], logger: RcutilsLogger
    ) -> None:
        self._service = service
        self._config: FleetConfig = service.config
        self._robot = robot
        self._clock = clock
        self._logger = logger
        node = Node(robot.name, namespace="/factory", start_parameter_services=False, enable_rosout=False)
        self.node = node
        self._open_goals: dict[str, ServerGoalHandle] = {}
        self._end_states: dict[str, TaskState] = {}
        self._published_ns = 0
        prefix = f"/factory/{robot.name}"
        self._pose_publisher = node.create_publisher(PoseStamped, f"{prefix}/pose", POSE_QOS)
        self._status_publisher = node.create_publisher(DiagnosticStatus, f"{prefix}/status", STATUS_QOS)
        node.create_service(AssignedTask, f"{prefix}/assigned_task", self._on_assigned_task)
        if robot.pose_topic:
            node.create_subscription(PoseStamped, robot.pose_topic, self._on_pose, qos_profile_sensor_data)
        self._actions = {
            TaskGoTo: self._create_action(TaskGoTo, f"{prefix}/task_go_to", self._go_to),
            TaskGoHome: self._create_action(TaskGoHome, f"{prefix}/task_go_home", self._go_home),
            TaskTransport: self._create_action(TaskTransport, f"{prefix}/task_transport", self._transport),
        }

    @property
    def has_open_goals(self) -> bool:
        """Whether a goal was accepted whose end its action server was not told yet."""
        return bool(self._open_goals)

    def finish(self, outcome: TaskOutcome) -> None:
        """Tell the action server how a task ended."""
        self._logger.info(f"{self._robot.name}: task {outcome.task_id!r} {outcome}")
        handle = self._open_goals.get(outcome.task_id)
        if handle is None:  # the client was gone before it could be told of its acceptance
            return
        self._end_states[outcome.task_id] = outcome.state
        self._actions[_action_type(handle)].notify_execute(handle, self._end)

    def publish_pose(self) -> None:
        """Publish the latest estimate, unless it was published before or the pose is lost."""
        now = self._clock()
        estimate = self._service.estimate(self._robot.id)
        is_lost = self._service.localization(self._robot.id, now.core_ns) is Localization.LOST
        if estimate is None or is_lost or estimate.stamp_ns <= self._published_ns:
            return
        self._published_ns = estimate.stamp_ns
        self._pose_publisher.publish(pose_to_ros(estimate.pose, now.to_ros(estimate.stamp_ns), self._config.frame))

    def publish_status(self) -> None:
        """Publish the robot's status, and an empty feedback for its running goal as a sign of life."""
        status = self._service.status(self._robot.id, self._clock().core_ns)
        self._status_publisher.publish(status_to_ros(status))
        for handle in self._open_goals.values():
            handle.publish_feedback(_action_type(handle).Feedback())

    def diagnostic(self) -> DiagnosticStatus:
        """Return the robot's status as a message."""
        return status_to_ros(self._service.status(self._robot.id, self._clock().core_ns))

    def destroy(self) -> None:
        """Leave the graph."""
        for server in self._actions.values():
            server.destroy()
        self.node.destroy_node()

    def _create_action(
        self, action_type: Any, name: str, to_request: Callable[[Any], TaskRequest]
    ) -> _DeferringActionServer:
        return _DeferringActionServer(
            self.node,
            action_type,
            name,
            execute_callback=self._end,
            goal_callback=lambda goal: self._on_goal(goal, to_request),
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            result_timeout=int(self._config.tasks.result_timeout_s),
        )

    def _go_to(self, goal: TaskGoTo.Goal) -> TaskRequest:
        return tasks.go_to(goal.task_id, pose_from_ros(goal.goal_pose, self._config.frame))

    def _go_home(self, goal: TaskGoHome.Goal) -> TaskRequest:
        return tasks.go_home(goal.task_id, self._robot.home)

    def _transport(self, goal: TaskTransport.Goal) -> TaskRequest:
        pose_from = pose_from_ros(goal.pose_from, self._config.frame)
        pose_to = pose_from_ros(goal.pose_to, self._config.frame)
        return tasks.transport(goal.task_id, pose_from, pose_to, self._config.tasks.dwell_s)

    def _on_goal(self, goal: Any, to_request: Callable[[Any], TaskRequest]) -> GoalResponse:
        """Accept a goal that becomes a task, from now on; reject it with a reason otherwise."""
        try:
            reason = self._service.assign(self._robot.id, to_request(goal), self._clock().core_ns)
            text = "" if reason is None else reason.value
        except GoalRejectedError as error:
            self._service.note_rejection(self._robot.id, error.reason)
            text = str(error)
        if text:
            self._logger.warning(f"{self._robot.name}: goal {goal.task_id!r} rejected: {text}")
            return GoalResponse.REJECT
        self._logger.info(f"{self._robot.name}: task {goal.task_id!r} accepted")
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle: ServerGoalHandle) -> None:
        self._open_goals[handle.request.task_id] = handle
        handle.execute()

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        is_assigned = self._service.cancel(self._robot.id, handle.request.task_id, self._clock().core_ns)
        return CancelResponse.ACCEPT if is_assigned else CancelResponse.REJECT

    def _end(self, handle: ServerGoalHandle) -> Any:
        """Give a goal the end of its task, and return its result."""
        del self._open_goals[handle.request.task_id]
        state = self._end_states.pop(handle.request.task_id)
        if state is TaskState.SUCCEEDED:
            handle.succeed()
        elif state is TaskState.CANCELED:
            handle.canceled()
        else:
            handle.abort()
        return _action_type(handle).Result(success=state is TaskState.SUCCEEDED)

    def _on_assigned_task(self, _: AssignedTask.Request, response: AssignedTask.Response) -> AssignedTask.Response:
        response.id = self._service.task_id(self._robot.id)
        return response

    def _on_pose(self, message: PoseStamped) -> None:
        now = self._clock()
        try:
            pose = pose_from_ros(message, self._config.frame)
        except GoalRejectedError as error:
            self._logger.warning(f"{self._robot.name}: {self._robot.pose_topic}: {error}", throttle_duration_sec=5.0)
            return
        stamp_ns = now.to_core(time_from_ros(message.header.stamp))
        if not self._service.on_measured_pose(self._robot.id, pose, stamp_ns, now.core_ns):
            self._logger.warning(
                f"{self._robot.name}: {self._robot.pose_topic}: pose not used, its stamp is "
                f"{(now.core_ns - stamp_ns) * 1e-9:.3f} s old or it is an outlier",
                throttle_duration_sec=5.0,
            )


_ACTION_TYPES = (TaskGoTo, TaskGoHome, TaskTransport)


def _action_type(handle: ServerGoalHandle) -> Any:
    return next(action for action in _ACTION_TYPES if isinstance(handle.request, action.Goal))
