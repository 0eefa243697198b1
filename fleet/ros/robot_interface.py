"""The ROS entities of one robot under /factory/robot_<ID>/; they pass requests on and decide nothing."""

from collections.abc import Callable
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger
from ricaip_interfaces.srv import AssignedTask

from fleet.interface.work_messages import work_from_goal
from fleet.ros.client_presence import Presence
from fleet.ros.robot_topics import RobotTopics
from fleet.ros.task_actions import TaskActions
from fleet.ros.task_topic import TaskTopic
from fleet.ros.tracker_interface import TrackerInterface
from fleet.service.fleet_service import FleetService
from fleet.service.request_queue import Requests
from fleet.settings.config import FleetConfig, RobotConfig
from fleet.tasks.task import TaskRequest
from fleet.tasks.task_kind import TaskKind
from fleet.work.path_wish import path_in_parts
from fleet.work.task_of_work import task_of_work
from fleet.work.work import Work
from thymio_base.instant import Instant
from thymio_base.parts import Parts
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
            service,
            robot,
            node,
            clock,
            logger,
            read=self._read,
            task=self._task,
            requests=requests,
            answers=answers,
        )

    def publish_task(self, presence: Presence) -> None:
        """Publish what the robot performs, if that has changed."""
        self._task_topic.publish(self.tasks.clients(presence))

    @property
    def robot_id(self) -> int:
        """The ID of the robot that is served."""
        return self._robot.id

    def _read(self, kind: TaskKind, goal: Any) -> Parts[Work]:
        """Read the work of a goal; a long path takes several parts, and is kept then."""
        work = work_from_goal(kind, goal, self._config.frame)
        if work.path is not None:
            yield from path_in_parts(work.path)
        return work

    def _task(self, task_id: str, work: Work) -> TaskRequest:
        """Return the task by which the robot does some work."""
        estimate = self._service.robot(self._robot.id).telemetry.estimate
        pose = None if estimate is None else estimate.pose
        return task_of_work(work, task_id, self._config, home=self._robot.home, pose=pose)

    def _on_assigned_task(self, _: AssignedTask.Request, response: AssignedTask.Response) -> AssignedTask.Response:
        response.id = self._service.robot(self._robot.id).task_id
        return response
