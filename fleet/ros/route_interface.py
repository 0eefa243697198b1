"""The services that extend the path or the route that a robot drives."""

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.task import Future
from thymio_fleet_interfaces.srv import ExtendPath, ExtendRoute

from fleet.errors import GoalRejectedError
from fleet.interface.names import extend_path_service, extend_route_service
from fleet.interface.work_messages import extension_from_ros, update_from_ros
from fleet.reason import Explanation
from fleet.ros.edge.driver_edge import Edge
from fleet.settings.config import RobotConfig
from fleet.tasks import explanations
from thymio_base.logs.audit_log import AuditEvent
from thymio_base.parts import Parts, WorkInParts


class RouteInterface:
    """Serves `x/extend_path` and `x/extend_route` of one robot; their requests take turns with the robot's goals.

    Parameters
    ----------
    edge : decides on requests
    robot : the robot to serve
    node : owns the services
    """

    def __init__(self, edge: Edge, robot: RobotConfig, node: Node) -> None:
        self._edge = edge
        self._robot = robot
        path = _Extending(edge, robot, "path", ExtendPath, self._extend_path)
        edge.answers.create_service(node, ExtendPath, extend_path_service(robot.id), path.on_request)
        route = _Extending(edge, robot, "route", ExtendRoute, self._extend_route)
        edge.answers.create_service(node, ExtendRoute, extend_route_service(robot.id), route.on_request)

    def _extend_path(self, request: ExtendPath.Request) -> Parts[tuple[str, Any]]:
        update, service = update_from_ros(request), self._edge.service
        yield from service.extending(self._robot.id, request.task_id, update)
        waypoints = service.robot(self._robot.id).followed(request.task_id).waypoint_count
        answer = ExtendPath.Response(accepted=True, waypoints=waypoints)
        return f"{waypoints} waypoints, {request.laps} more laps", answer

    def _extend_route(self, request: ExtendRoute.Request) -> Parts[tuple[str, Any]]:
        extension = extension_from_ros(request)
        legs = yield from self._edge.service.extending_route(self._robot.id, request.task_id, extension)
        return f"{legs} legs", ExtendRoute.Response(accepted=True, legs=legs)


class _Extending:
    """One of the services.

    Parameters
    ----------
    edge, robot : those of the interface
    what : word for what is extended
    service_type : the service's type
    extend : extends in parts; returns the text for the audit log, and the answer
    """

    def __init__(
        self,
        edge: Edge,
        robot: RobotConfig,
        what: str,
        service_type: Any,
        extend: Callable[[Any], Parts[tuple[str, Any]]],
    ) -> None:
        self._type = service_type
        self._edge = edge
        self._robot = robot
        self._what = what
        self._extend = extend

    def on_request(self, request: Any, _: Any) -> Any:
        """Answer a request later; refuse it if too many wait."""
        future = Future()
        work = WorkInParts(self._answering(request, future))
        if not self._edge.requests.put(self._robot.id, work.do_part):
            return self._refused(request, explanations.too_many_goals(self._edge.requests.limit))
        return future

    def _answering(self, request: Any, future: Future) -> Parts[None]:
        """Extend in parts, and answer in the last one."""
        try:
            text, answer = yield from self._extend(request)
        except GoalRejectedError as error:
            future.set_result(self._refused(request, error.explanation))
        except Exception as error:
            failure = explanations.internal(self._edge.fence.note(f"extend a {self._what}", error, request))
            future.set_result(self._refused(request, failure))
        else:
            self._edge.logger.info(f"{self._robot.name}: {self._what} of task {request.task_id!r} extended")
            self._note(AuditEvent.ORDERED, request, text=text)
            future.set_result(answer)

    def _refused(self, request: Any, why: Explanation) -> Any:
        self._edge.logger.warning(f"{self._robot.name}: {self._what} of task {request.task_id!r} not extended: {why}")
        self._note(AuditEvent.REFUSED, request, reason=why.reason.value, text=why.detail)
        return self._type.Response(reason=why.reason.value, detail=why.detail)

    def _note(self, event: AuditEvent, request: Any, **facts: object) -> None:
        self._edge.note(event, f"extend a {self._what}", "", robot=self._robot.id, task=request.task_id, **facts)
