"""The driver topics of one robot, like those of ros-thymio: sensors out, commands in."""

from rclpy.node import Node
from std_srvs.srv import Empty

from aseba_link.host.link_events import LinkEvent, NodeReady, UserEvent, VariablesRead
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.thymio_topics.command_topics import CommandTopics
from fleet.ros.thymio_topics.sensor_topics import SensorTopics
from fleet.service.robot_nodes import BATTERY_VARIABLE
from fleet.settings.config import RobotConfig
from thymio_base.instant import Instant
from thymio_base.parts import Parts


class DriverTopics:
    """Serves one robot's driver topics, on the robot's own node; it has no timer, the tick drives it.

    Parameters
    ----------
    edge : knows and drives the robot
    robot : the robot to serve
    node : gets the entities, once `create` has created them
    """

    def __init__(self, edge: Edge, robot: RobotConfig, node: Node) -> None:
        self._robot = robot
        self._node = node
        self._is_announced = False
        self._answers = edge.answers
        self._sensors = SensorTopics(edge.service, robot, node)
        self._commands = CommandTopics(edge, robot, node)

    def create(self) -> Parts[None]:
        """Create the entities, a few in each part."""
        yield from self._sensors.create()
        yield from self._commands.create()

    @property
    def dropped(self) -> int:
        """Number of events so far that did not match the script."""
        return self._sensors.dropped

    def on_event(self, event: LinkEvent, now: Instant) -> None:
        """Handle an event of this robot from the link."""
        match event:
            case UserEvent(_, rank, args, stamp_ns):
                self._sensors.on_event(rank, args, now.to_ros(stamp_ns))
            case VariablesRead(_, name, values, stamp_ns) if name == BATTERY_VARIABLE:
                self._sensors.on_battery(values, now.to_ros(stamp_ns), now.core_ns)
            case NodeReady() if not self._is_announced:
                self._is_announced = True
                name = f"/factory/{self._robot.name}/is_ready"
                self._answers.create_service(self._node, Empty, name, lambda _, response: response)

    def step(self, now: Instant) -> None:
        """Publish new odometry, receive commands, and send waiting ones."""
        self._sensors.publish_odometry(now.to_ros)
        self._commands.step(now.core_ns)
