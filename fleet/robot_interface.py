"""The ROS entities of one robot under /factory/robot_<ID>/; they pass on, and decide nothing."""

from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from ricaip_interfaces.srv import AssignedTask
from thymio_fleet_interfaces.action import FollowPath

from aseba_link.instant import Instant
from aseba_link.stamped_poses import pose_writer
from fleet import tasks
from fleet.config import FleetConfig, RobotConfig
from fleet.conversions import chassis_to_ros, pose_from_ros, status_to_ros
from fleet.errors import GoalRejectedError, PathError
from fleet.localization import Localization
from fleet.path_messages import feedback_to_ros, path_from_ros, result_to_ros
from fleet.paths.path import Path
from fleet.paths.path_file import PathFile
from fleet.paths.placement import Placement, placed
from fleet.reason import Reason
from fleet.service import FleetService
from fleet.task_actions import TaskActions, TaskMessages
from fleet.tasks import TaskKind, TaskRequest, TaskState
from fleet.tracker_interface import TrackerInterface

# readers acknowledge when the history is full; a deeper one would hold up poses for longer after one that was lost
POSE_QOS = QoSProfile(depth=3, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)
STATUS_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)

_NEW_NS = 1_500_000_000  # statuses come once a second, or a tick later


class RobotInterface:
    """Serves one robot: pose, status, assigned_task, its control law and the task actions.

    Parameters
    ----------
    service : takes the tasks
    robot : which one
    node : has the entities
    clock : tells the time
    logger : the driver's
    """

    def __init__(
        self,
        service: FleetService,
        robot: RobotConfig,
        node: Node,
        clock: Callable[[], Instant],
        logger: RcutilsLogger,
    ) -> None:
        self._service = service
        self._config: FleetConfig = service.config
        self._robot = robot
        self._clock = clock
        self._logger = logger
        self.node = node
        self._published_ns = 0
        self._told: DiagnosticStatus | None = None  # the last status, and when it was that
        self._told_ns = 0
        prefix = f"/factory/{robot.name}"
        self._write_pose = pose_writer(self._config.frame)
        self.pose_publisher = node.create_publisher(PoseStamped, f"{prefix}/pose", POSE_QOS)
        self._status_publisher = node.create_publisher(DiagnosticStatus, f"{prefix}/status", STATUS_QOS)
        node.create_service(AssignedTask, f"{prefix}/assigned_task", self._on_assigned_task)
        self._tracker = TrackerInterface(service, robot, node, clock, logger)
        self.tasks = TaskActions(service, robot, node, clock, logger, messages=self._task_messages())

    @property
    def robot_id(self) -> int:
        """Whose interface it is."""
        return self._robot.id

    def publish_pose(self, now: Instant) -> None:
        """Publish the latest estimate, unless it was published before or the pose is lost."""
        estimate = self._service.estimate(self._robot.id)
        is_lost = self._service.localization(self._robot.id, now.core_ns) is Localization.LOST
        if estimate is None or is_lost or estimate.stamp_ns <= self._published_ns:
            return
        self._published_ns = estimate.stamp_ns
        pose, stamp_ns = estimate.pose, now.to_ros(estimate.stamp_ns)
        self.pose_publisher.publish(self._write_pose(pose.x_m, pose.y_m, pose.heading_rad, stamp_ns))

    def publish_status(self, now: Instant) -> None:
        """Publish the robot's status."""
        self._told, self._told_ns = self._status(now), now.core_ns
        self._status_publisher.publish(self._told)

    def diagnostic(self) -> DiagnosticStatus:
        """Return the robot's status as a message, as it was published if that is new, and what its wheels taught."""
        now = self._clock()
        told = self._told
        if told is None or now.core_ns - self._told_ns > _NEW_NS:
            told = self._status(now)
        chassis, gain_stds = self._service.chassis(self._robot.id), self._service.gain_stds(self._robot.id)
        learned = chassis_to_ros(chassis, gain_stds, self._config.actuation.learns_latency)
        return DiagnosticStatus(level=told.level, message=told.message, values=[*told.values, *learned])

    def _status(self, now: Instant) -> DiagnosticStatus:
        return status_to_ros(self._service.status(self._robot.id, now.core_ns))

    def destroy(self) -> None:
        """Leave the graph."""
        self.tasks.destroy()
        self.node.destroy_node()

    def _task_messages(self) -> dict[TaskKind, TaskMessages]:
        return {
            TaskKind.GO_TO: _customers(TaskGoTo, self._go_to),
            TaskKind.GO_HOME: _customers(TaskGoHome, self._go_home),
            TaskKind.TRANSPORT: _customers(TaskTransport, self._transport),
            TaskKind.FOLLOW_PATH: TaskMessages(
                FollowPath, self._follow_path, result_to_ros, lambda status: feedback_to_ros(status())
            ),
        }

    def _go_to(self, goal: TaskGoTo.Goal) -> TaskRequest:
        return tasks.go_to(goal.task_id, pose_from_ros(goal.goal_pose, self._config.frame))

    def _go_home(self, goal: TaskGoHome.Goal) -> TaskRequest:
        return tasks.go_home(goal.task_id, self._robot.home)

    def _transport(self, goal: TaskTransport.Goal) -> TaskRequest:
        pose_from = pose_from_ros(goal.pose_from, self._config.frame)
        pose_to = pose_from_ros(goal.pose_to, self._config.frame)
        return tasks.transport(goal.task_id, pose_from, pose_to, self._config.tasks.dwell_s)

    def _follow_path(self, goal: FollowPath.Goal) -> TaskRequest:
        asked = path_from_ros(goal, self._config.frame)
        lap = self._placed(asked)
        try:
            return tasks.follow_path(goal.task_id, lap, self._config.following, asked.speed_mps, asked.laps)
        except PathError as error:
            raise GoalRejectedError(Reason.BAD_SPEED, str(error)) from error

    def _placed(self, asked: PathFile) -> Path:
        """Return one lap in the fleet's frame, for the robot where it is."""
        if asked.placement is Placement.MAP:
            return asked.lap
        estimate = self._service.estimate(self._robot.id)
        if estimate is None:
            raise GoalRejectedError(Reason.POSE_LOST, f"the path is relative to the robot's {asked.placement.value}")
        return placed(asked.lap, asked.placement, estimate.pose)

    def _on_assigned_task(self, _: AssignedTask.Request, response: AssignedTask.Response) -> AssignedTask.Response:
        response.id = self._service.task_id(self._robot.id)
        return response


def _customers(action_type: Any, request: Callable[[Any], TaskRequest]) -> TaskMessages:
    """Return the messages of an action of the customer's interface: they tell success, and no more."""
    return TaskMessages(
        action_type,
        request,
        result=lambda outcome, _: action_type.Result(success=outcome.state is TaskState.SUCCEEDED),
        feedback=lambda _: action_type.Feedback(),
    )
