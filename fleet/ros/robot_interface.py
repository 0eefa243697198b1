"""The ROS entities of one robot under /factory/robot_<ID>/; they pass requests on and decide nothing."""

from dataclasses import replace
from typing import Any

from rclpy.node import Node
from ricaip_interfaces.srv import AssignedTask
from thymio_fleet_interfaces.msg import RobotTask
from thymio_fleet_interfaces.srv import ConfigureTracker

from fleet.errors import ConfigError
from fleet.geometry import Pose2D
from fleet.interface.names import task_topic
from fleet.interface.quality import TASK_QOS
from fleet.interface.task_messages import task_to_ros
from fleet.interface.work_messages import work_from_goal
from fleet.ros.edge.client_presence import Presence
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.robot_topics import RobotTopics
from fleet.ros.route_interface import RouteInterface
from fleet.ros.task_actions import TaskActions
from fleet.settings.config import FleetConfig, RobotConfig
from fleet.settings.tracker_settings import changed_tracker, tracker_values
from fleet.tasks.task import TaskRequest
from fleet.tasks.task_kind import TaskKind
from fleet.work.path_wish import prepared_in_parts
from fleet.work.route_legs import prepared_route
from fleet.work.task_of_work import task_of_work
from fleet.work.work import Work
from thymio_base.parts import Parts


class TrackerInterface:
    """Serves `x/configure_tracker` of one robot.

    Parameters
    ----------
    edge : has the robot's control law
    robot : the robot to serve
    node : owns the service
    """

    def __init__(self, edge: Edge, robot: RobotConfig, node: Node) -> None:
        self._edge = edge
        self._robot = robot
        name = f"/factory/{robot.name}/x/configure_tracker"
        edge.answers.create_service(node, ConfigureTracker, name, self._on_request)

    def _on_request(
        self, request: ConfigureTracker.Request, response: ConfigureTracker.Response
    ) -> ConfigureTracker.Response:
        """Change law and gains, all or none; return those then in force."""
        try:
            self._configure(request)
            response.success = True
        except ConfigError as error:
            self._edge.logger.warning(f"{self._robot.name}: control law not changed: {error}")
            response.message = str(error)
        tracker = self._edge.service.robot(self._robot.id).tracker
        values = tracker_values(tracker)
        response.law, response.names, response.values = tracker.law.value, list(values), list(values.values())
        return response

    def _configure(self, request: ConfigureTracker.Request) -> None:
        if len(request.names) != len(request.values):
            raise ConfigError(f"{len(request.names)} names and {len(request.values)} values; each name has one value")
        before = self._edge.service.robot(self._robot.id).tracker
        after = changed_tracker(before, request.law, list(zip(request.names, request.values, strict=True)))
        if after == before:
            return
        self._edge.service.robot(self._robot.id).configure_tracker(after, self._edge.clock().core_ns)
        changes = dict(tracker_values(after).items() - tracker_values(before).items())
        self._edge.logger.info(f"{self._robot.name}: control law {after.law.value}, changed gains {changes}")


class TaskTopic:
    """Publishes the task that a robot performs whenever it changes.

    Parameters
    ----------
    edge : knows the robot
    config : the robot
    node : owns the publisher
    """

    def __init__(self, edge: Edge, config: RobotConfig, node: Node) -> None:
        self._robot = edge.service.robot(config.id)
        self._frame = edge.service.config.frame
        self._clock = edge.clock
        self._published: object = None
        self._publisher = node.create_publisher(RobotTask, task_topic(config.id), TASK_QOS)

    def publish(self, clients: tuple[str, ...]) -> None:
        """Publish the task, if it or the nodes that could cancel it have changed."""
        version = self._robot.task_version, clients
        if version == self._published:
            return
        self._published = version
        report, now = self._robot.task_report(), self._clock()
        self._publisher.publish(task_to_ros(replace(report, clients=clients), now.to_ros(now.core_ns), self._frame))


class RobotInterface:
    """Serves one robot's goals and its control law, once `create` has created the entities for it.

    Parameters
    ----------
    edge : accepts the tasks
    robot : the robot to serve
    topics : the robot's topics; their node also gets the other entities
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
        """Publish the robot's task, if it has changed."""
        self._task_topic.publish(self.tasks.clients(presence))

    @property
    def robot_id(self) -> int:
        """The ID of the robot that is served."""
        return self._robot.id

    def _read(self, kind: TaskKind, goal: Any) -> Parts[Work]:
        """Read the work of a goal; a long path takes several parts and is cached."""
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
