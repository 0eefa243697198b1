"""The ROS entities of one robot under /factory/robot_<ID>/; they pass on, and decide nothing."""

from collections.abc import Callable
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from ricaip_interfaces.srv import AssignedTask
from thymio_fleet_interfaces.action import FollowPath

from aseba_link.instant import Instant
from fleet import tasks
from fleet.config import FleetConfig, RobotConfig
from fleet.conversions import pose_from_ros
from fleet.errors import GoalRejectedError, PathError
from fleet.path_messages import feedback_to_ros, path_from_ros, result_to_ros
from fleet.paths.path import Path
from fleet.paths.path_file import PathFile
from fleet.paths.placement import Placement, placed
from fleet.reason import Reason
from fleet.robot_topics import RobotTopics
from fleet.service import FleetService
from fleet.task_actions import TaskActions, TaskMessages
from fleet.tasks import TaskKind, TaskRequest, TaskState
from fleet.tracker_interface import TrackerInterface


class RobotInterface:
    """Serves one robot: assigned_task, its control law and the task actions, beside its topics.

    Parameters
    ----------
    service : takes the tasks
    robot : which one
    topics : of the robot; its node gets the other entities
    clock : tells the time
    logger : the driver's
    """

    def __init__(
        self,
        service: FleetService,
        robot: RobotConfig,
        topics: RobotTopics,
        clock: Callable[[], Instant],
        logger: RcutilsLogger,
    ) -> None:
        self._service = service
        self._config: FleetConfig = service.config
        self._robot = robot
        self.topics = topics
        node = topics.node
        node.create_service(AssignedTask, f"/factory/{robot.name}/assigned_task", self._on_assigned_task)
        self._tracker = TrackerInterface(service, robot, node, clock, logger)
        self.tasks = TaskActions(service, robot, node, clock, logger, messages=self._task_messages())

    @property
    def robot_id(self) -> int:
        """Whose interface it is."""
        return self._robot.id

    def destroy(self) -> None:
        """Leave the graph."""
        self.tasks.destroy()
        self.topics.node.destroy_node()

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
