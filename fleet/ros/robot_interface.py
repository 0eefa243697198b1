"""The ROS entities of one robot under /factory/robot_<ID>/; they pass requests on and decide nothing."""

from collections.abc import Callable
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from ricaip_interfaces.srv import AssignedTask
from thymio_fleet_interfaces.action import FollowPath

from fleet.interface.conversions import pose_from_ros
from fleet.interface.path_messages import feedback_to_ros, path_from_ros, result_to_ros
from fleet.ros.client_presence import Presence
from fleet.ros.robot_topics import RobotTopics
from fleet.ros.task_actions import Requests, TaskActions, TaskMessages
from fleet.ros.task_topic import TaskTopic
from fleet.ros.tracker_interface import TrackerInterface
from fleet.service.fleet_service import FleetService
from fleet.settings.config import FleetConfig, RobotConfig
from fleet.tasks import task
from fleet.tasks.task import TaskRequest, TaskState
from fleet.tasks.task_kind import TaskKind
from fleet.work.path_wish import follow_task
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers


class RobotInterface:
    """Serves one robot: assigned_task, its control law and the task actions, beside its topics.

    Parameters
    ----------
    service : accepts the tasks
    robot : the robot to serve
    topics : of the robot; their node also gets the other entities
    clock : returns the current time
    logger : the driver's
    requests : goals that wait to be decided
    answers : sends the answers of the services
    """

    def __init__(
        self,
        service: FleetService,
        robot: RobotConfig,
        topics: RobotTopics,
        clock: Callable[[], Instant],
        logger: RcutilsLogger,
        *,
        requests: Requests,
        answers: Answers,
    ) -> None:
        self._service = service
        self._config: FleetConfig = service.config
        self._robot = robot
        self.topics = topics
        node = topics.node
        answers.create_service(node, AssignedTask, f"/factory/{robot.name}/assigned_task", self._on_assigned_task)
        self._tracker = TrackerInterface(service, robot, node, clock, logger, answers=answers)
        self._task_topic = TaskTopic(service, robot, node, clock)
        self.tasks = TaskActions(
            service, robot, node, clock, logger, messages=self._task_messages(), requests=requests, answers=answers
        )

    def publish_task(self, presence: Presence) -> None:
        """Publish what the robot performs, if that has changed."""
        self._task_topic.publish(self.tasks.clients(presence))

    @property
    def robot_id(self) -> int:
        """The ID of the robot that is served."""
        return self._robot.id

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
        return task.go_to(goal.task_id, pose_from_ros(goal.goal_pose, self._config.frame))

    def _go_home(self, goal: TaskGoHome.Goal) -> TaskRequest:
        return task.go_home(goal.task_id, self._robot.home)

    def _transport(self, goal: TaskTransport.Goal) -> TaskRequest:
        pose_from = pose_from_ros(goal.pose_from, self._config.frame)
        pose_to = pose_from_ros(goal.pose_to, self._config.frame)
        return task.transport(goal.task_id, pose_from, pose_to, self._config.tasks.dwell_s)

    def _follow_path(self, goal: FollowPath.Goal) -> TaskRequest:
        estimate = self._service.robot(self._robot.id).telemetry.estimate
        pose = None if estimate is None else estimate.pose
        return follow_task(goal.task_id, path_from_ros(goal, self._config.frame), self._config.following, pose)

    def _on_assigned_task(self, _: AssignedTask.Request, response: AssignedTask.Response) -> AssignedTask.Response:
        response.id = self._service.robot(self._robot.id).task_id
        return response


def _customers(action_type: Any, request: Callable[[Any], TaskRequest]) -> TaskMessages:
    """Return the messages of an action of the customer's interface: they report success and nothing more."""
    return TaskMessages(
        action_type,
        request,
        result=lambda outcome, _: action_type.Result(success=outcome.state is TaskState.SUCCEEDED),
        feedback=lambda _: action_type.Feedback(),
    )
