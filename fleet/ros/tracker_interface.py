"""The service that chooses and tunes one robot's control law while it drives."""

from rclpy.node import Node
from thymio_fleet_interfaces.srv import ConfigureTracker

from fleet.errors import ConfigError
from fleet.ros.edge.driver_edge import Edge
from fleet.settings.config import RobotConfig
from fleet.settings.tracker_settings import changed_tracker, tracker_values


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
        """Change law and gains, all or nothing; return what is then in force."""
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
