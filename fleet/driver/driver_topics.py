"""The driver topics of one robot, as ros-thymio has them: sensors out, commands in."""

from collections.abc import Callable

from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from std_srvs.srv import Empty

from aseba_link.event import LinkEvent, NodeReady, UserEvent, VariablesRead
from aseba_link.instant import Instant
from fleet.config import RobotConfig
from fleet.driver.command_topics import CommandTopics
from fleet.driver.sensor_topics import SensorTopics
from fleet.service import BATTERY_VARIABLE, FleetService


class DriverTopics:
    """Serves one robot's driver topics, on the robot's own node; it has no timer, the tick drives it.

    Parameters
    ----------
    service : knows and drives the robot
    robot : which one
    node : gets the entities
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
        self._robot = robot
        self._node = node
        self._is_announced = False
        self._sensors = SensorTopics(service, robot, node)
        self._commands = CommandTopics(service, robot, node, lambda: clock().core_ns, logger)

    @property
    def dropped(self) -> int:
        """Number of events so far that were not what the script sends."""
        return self._sensors.dropped

    def on_event(self, event: LinkEvent, now: Instant) -> None:
        """Take in what the link told of this robot."""
        match event:
            case UserEvent(_, rank, args, stamp_ns):
                self._sensors.on_event(rank, args, now.to_ros(stamp_ns))
            case VariablesRead(_, name, values, stamp_ns) if name == BATTERY_VARIABLE:
                self._sensors.on_battery(values, now.to_ros(stamp_ns), now.core_ns)
            case NodeReady() if not self._is_announced:
                self._is_announced = True
                self._node.create_service(Empty, f"/factory/{self._robot.name}/is_ready", lambda _, response: response)

    def step(self, now: Instant) -> None:
        """Do what is due: publish new odometry, send commands that wait."""
        self._sensors.publish_odometry(now.to_ros)
        self._commands.step(now.core_ns)
