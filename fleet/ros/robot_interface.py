"""The ROS entities of one robot under /factory/robot_<ID>/; they pass requests on and decide nothing."""

from typing import Any

from ricaip_interfaces.srv import AssignedTask

from fleet.geometry import Pose2D
from fleet.interface.work_messages import work_from_goal
from fleet.ros.edge.client_presence import Presence
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.robot_topics import RobotTopics
from fleet.ros.route_interface import RouteInterface
from fleet.ros.task_actions import TaskActions
from fleet.ros.task_topic import TaskTopic
from fleet.ros.tracker_interface import TrackerInterface
from fleet.settings.config import FleetConfig, RobotConfig
from fleet.tasks.task import TaskRequest
from fleet.tasks.task_kind import TaskKind
from fleet.work.path_wish import prepared_in_parts
from fleet.work.route_legs import prepared_route
from fleet.work.task_of_work import task_of_work
from fleet.work.work import Work
from thymio_base.parts import Parts


class RobotInterface:
    """Serves one robot, once `create` has created the entities beside its topics: assigned_task, law and task actions.

    Parameters
    ----------
    edge : accepts the tasks
    robot : the robot to serve
    topics : of the robot; their node also gets the other entities
    """

    def __init__(self, edge: Edge, robot: RobotConfig, topics: RobotTopics) -> None:
        self._service = edge.service
        self._config: FleetConfig = edge.service.config
        self._robot = robot
        self.topics = topics
        self._edge = edge
        self.tasks = TaskActions(edge, robot, topics.node, read=self._read, task=self._task)

    def create(self) -> Parts[None]:
        """Create the entities; each takes the middleware about half a millisecond, and a part has at most five."""
        node, name = self.topics.node, f"/factory/{self._robot.name}/assigned_task"
        self._edge.answers.create_service(node, AssignedTask, name, self._on_assigned_task)
        self._tracker = TrackerInterface(self._edge, self._robot, node)
        RouteInterface(self._edge, self._robot, node)
        self._task_topic = TaskTopic(self._edge, self._robot, node)
        yield
        yield from self.tasks.create()

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
            yield from prepared_in_parts(work.path, self._config.following, self._config.corner_m)
        if work.route:
            yield from prepared_route(work.route, self._config, self._pose)
        return work

    def _task(self, task_id: str, work: Work) -> TaskRequest:
        """Return the task by which the robot does some work."""
        return task_of_work(work, task_id, self._config, home=self._robot.home, pose=self._pose)

    @property
    def _pose(self) -> Pose2D | None:
        estimate = self._service.robot(self._robot.id).telemetry.estimate
        return None if estimate is None else estimate.pose

    def _on_assigned_task(self, _: AssignedTask.Request, response: AssignedTask.Response) -> AssignedTask.Response:
        response.id = self._service.robot(self._robot.id).task_id
        return response
