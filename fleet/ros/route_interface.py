"""The service that extends the path that one robot follows."""

from typing import Any

from rclpy.node import Node
from rclpy.task import Future
from thymio_fleet_interfaces.srv import ExtendPath

from fleet.errors import GoalRejectedError
from fleet.interface.names import extend_path_service
from fleet.interface.work_messages import update_from_ros
from fleet.reason import Explanation
from fleet.ros.edge.driver_edge import Edge
from fleet.settings.config import RobotConfig
from fleet.tasks import explanations
from thymio_base.logs.audit_log import AuditEvent
from thymio_base.parts import Parts, WorkInParts


class RouteInterface:
    """Serves `x/extend_path` of one robot; its requests take turns with the robot's goals.

    Parameters
    ----------
    edge : decides
    robot : the robot to serve
    node : owns the service
    """

    def __init__(self, edge: Edge, robot: RobotConfig, node: Node) -> None:
        self._edge = edge
        self._robot = robot
        self._name = extend_path_service(robot.id)
        edge.answers.create_service(node, ExtendPath, self._name, self._on_request)

    def _on_request(self, request: ExtendPath.Request, _: ExtendPath.Response) -> Any:
        future = Future()
        work = WorkInParts(self._answering(request, future))
        if not self._edge.requests.put(self._robot.id, work.do_part):
            return self._refused(request, explanations.too_many_goals(self._edge.requests.limit))
        return future

    def _answering(self, request: ExtendPath.Request, future: Future) -> Parts[None]:
        """Extend the path in parts, and answer in the last one."""
        service, robot_id = self._edge.service, self._robot.id
        try:
            update = update_from_ros(request)
            yield from service.extending(robot_id, request.task_id, update)
            waypoints = service.robot(robot_id).followed(request.task_id).waypoint_count
        except GoalRejectedError as error:
            future.set_result(self._refused(request, error.explanation))
        except Exception as error:
            failure = explanations.internal(self._edge.fence.note(self._name, error, request))
            future.set_result(self._refused(request, failure))
        else:
            self._edge.logger.info(f"{self._robot.name}: path of task {request.task_id!r} extended")
            self._note(AuditEvent.ORDERED, request, text=f"{waypoints} waypoints, {request.laps} more laps")
            future.set_result(ExtendPath.Response(accepted=True, waypoints=waypoints))

    def _refused(self, request: ExtendPath.Request, why: Explanation) -> ExtendPath.Response:
        self._edge.logger.warning(f"{self._robot.name}: path of task {request.task_id!r} not extended: {why}")
        self._note(AuditEvent.REFUSED, request, reason=why.reason.value, text=why.detail)
        return ExtendPath.Response(reason=why.reason.value, detail=why.detail)

    def _note(self, event: AuditEvent, request: ExtendPath.Request, **facts: object) -> None:
        self._edge.note(event, "extend a path", "", robot=self._robot.id, task=request.task_id, **facts)
