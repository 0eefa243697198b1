"""Topics with the rest of the true state: robots' sensors and counters, and bodies on the floor."""

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from visualization_msgs.msg import MarkerArray

from simulator.firmware.body import BUTTONS, Body
from simulator.numbers.periodic_event import PeriodicEvent
from simulator.physics.objects import ObjectConfig
from simulator.ros.markers import world_markers
from simulator.simulation.simulation import Simulation
from simulator.world.config import robot_name

ROBOTS_HZ = 10.0
MARKERS_HZ = 10.0


class StateTopics:
    """Publishes /simulator/robots while it has subscribers, and /simulator/markers whenever objects change."""

    def __init__(self, simulation: Simulation, node: Node) -> None:
        self._simulation = simulation
        self._robots = node.create_publisher(DiagnosticArray, "/simulator/robots", QoSProfile(depth=1))
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._markers = node.create_publisher(MarkerArray, "/simulator/markers", latched)
        self._robot_times = PeriodicEvent(ROBOTS_HZ)
        self._marker_times = PeriodicEvent(MARKERS_HZ)
        self._shown: tuple[list[ObjectConfig], list[list[float]]] | None = None
        self.publish_markers()

    def publish(self, stamp: Time) -> None:
        """Publish what is due at the simulation's time."""
        time_s = self._simulation.time_s
        if self._robot_times.is_due(time_s) and self._robots.get_subscription_count():
            self._robots.publish(robot_states(self._simulation, stamp))
        if self._marker_times.is_due(time_s):
            self.publish_markers()

    def publish_markers(self) -> None:
        """Publish the bodies on the floor if they have changed."""
        world = self._simulation.world
        present = list(world.bodies.objects), world.poses.object_poses.tolist()
        if present != self._shown:
            self._shown = present
            self._markers.publish(world_markers(self._simulation))


def robot_states(simulation: Simulation, stamp: Time) -> DiagnosticArray:
    """Return each robot's state and the sensor values that its firmware has read; nothing is sampled again."""
    message = DiagnosticArray()
    message.header.stamp = stamp
    world = simulation.world
    for index, robot in enumerate(simulation.robots):
        values = {
            "collisions": str(world.collisions.counts[index]),
            "distance_m": f"{world.motion.distances_m[index]:.4f}",
            "charge": f"{world.batteries.charge[index]:.4f}",
            **_sensed(robot.body),
        }
        level = DiagnosticStatus.ERROR if robot.fault else DiagnosticStatus.OK
        status = DiagnosticStatus(level=level, name=robot_name(robot.node_id), message=robot.fault)
        status.values = [KeyValue(key=key, value=value) for key, value in values.items()]
        message.status.append(status)
    return message


def _sensed(body: Body) -> dict[str, str]:
    pressed = [name for name, is_touched in zip(BUTTONS, body.buttons, strict=True) if is_touched]
    return {
        "proximity_raw": _words(body.proximity_raw),
        "ground_raw": _words(body.ground_raw),
        "acceleration_raw": _words(body.acceleration_raw),
        "speeds_raw": _words(body.speeds_raw),
        "battery_raw": _words(body.battery_raw),
        "temperature_raw": str(body.temperature_raw),
        "loudness_raw": str(body.loudness_raw),
        "buttons": " ".join(pressed),
        "is_on": "yes" if body.is_on else "no",
    }


def _words(words: tuple[int, ...]) -> str:
    return " ".join(map(str, words))
