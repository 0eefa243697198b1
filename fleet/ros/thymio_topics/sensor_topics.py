"""The sensor topics of one robot; they publish when an event arrives, and only then."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from sensor_msgs.msg import BatteryState, Imu, JointState, Joy, LaserScan, Range, Temperature
from std_msgs.msg import Bool, Empty, Float32, Header, Int8
from thymio_msgs.msg import Comm

from aseba_link.errors import MessageError
from aseba_link.thymio import sensor_events as sensors
from aseba_link.thymio.events import Event, battery_volts, require_size
from fleet.ros.thymio_topics.odometry_messages import frame_name, joint_states_to_ros, odometry_to_ros
from fleet.ros.thymio_topics.sensor_messages import (
    battery_to_ros,
    comm_to_ros,
    ground_to_ros,
    header_to_ros,
    imu_to_ros,
    joy_to_ros,
    laser_to_ros,
    range_to_ros,
    remote_to_ros,
    temperature_to_ros,
)
from fleet.service.fleet_service import FleetService
from fleet.settings.config import RobotConfig
from thymio_base.parts import Parts

SENSOR_QOS = QoSProfile(depth=10)  # reliable: bursts of button and tap events must arrive

_Words = Sequence[int]
_Handler = Callable[[_Words, int], None]  # receives an event's words, and its stamp on the ROS clock

_EVENTS = frozenset(Event)


@dataclass(frozen=True, slots=True)
class SensorTopic:
    """A topic fed by one event: its switch in `driver.publish`, and the conversion of the event's words."""

    switch: str
    event: Event
    type: Any
    name: str
    to_ros: Callable[[_Words, Header], Any]


def _tap_to_ros(args: _Words) -> Empty:
    require_size(Event.TAP, args)
    return Empty()


def _button_topic(name: str, event: Event) -> SensorTopic:
    return SensorTopic(
        "buttons", event, Bool, f"buttons/{name}", lambda args, _: Bool(data=sensors.decode_button(event, args))
    )


SENSOR_TOPICS = (
    SensorTopic(
        "imu",
        Event.ACCELEROMETER,
        Imu,
        "imu",
        lambda args, header: imu_to_ros(sensors.decode_acceleration(args), header),
    ),
    SensorTopic(
        "joy", Event.BUTTONS, Joy, "buttons", lambda args, header: joy_to_ros(sensors.decode_buttons(args), header)
    ),
    _button_topic("backward", Event.BUTTON_BACKWARD),
    _button_topic("left", Event.BUTTON_LEFT),
    _button_topic("center", Event.BUTTON_CENTER),
    _button_topic("forward", Event.BUTTON_FORWARD),
    _button_topic("right", Event.BUTTON_RIGHT),
    SensorTopic("tap", Event.TAP, Empty, "tap", lambda args, _: _tap_to_ros(args)),
    SensorTopic(
        "temperature",
        Event.TEMPERATURE,
        Temperature,
        "temperature",
        lambda args, header: temperature_to_ros(sensors.decode_temperature(args), header),
    ),
    SensorTopic("sound", Event.SOUND, Float32, "sound", lambda args, _: Float32(data=sensors.decode_sound(args))),
    SensorTopic("remote", Event.REMOTE, Int8, "remote", lambda args, _: remote_to_ros(sensors.decode_remote(args))),
    SensorTopic("comm", Event.COMM, Comm, "comm/rx", lambda args, _: comm_to_ros(sensors.decode_comm(args))),
)


class SensorTopics:
    """Publishes one robot's sensor values.

    Parameters
    ----------
    service : knows the robot's odometry and battery, and holds the configuration of the topics
    robot : the robot to serve
    node : gets the publishers, once `create` has created them
    """

    def __init__(self, service: FleetService, robot: RobotConfig, node: Node) -> None:
        self.dropped = 0
        self._service = service
        self._config = service.config.driver
        self._robot = robot
        self._calibrations = robot.calibration.proximity_calibrations
        self._node = node
        self._reported_ns = 0  # the stamp of the latest odometry, on the core's clock
        self._handlers: dict[int, _Handler] = {}

    def create(self) -> Parts[None]:
        """Create the publishers, a few in each part."""
        publish = self._config.publish
        self._proximity = self._publishers("proximity", sensors.PROXIMITY_POSES) if publish.proximity else {}
        yield
        self._ground = self._publishers("ground", sensors.GROUND_POSES) if publish.ground else {}
        self._laser = self._publisher(LaserScan, "proximity/laser") if publish.laser else None
        self._odom = self._publisher(Odometry, "odom") if publish.odom else None
        self._joint_states = self._publisher(JointState, "joint_states") if publish.joint_states else None
        self._battery = self._publisher(BatteryState, "battery") if publish.battery else None
        self._handlers |= {Event.PROXIMITY: self._on_proximity, Event.GROUND: self._on_ground}
        for topic in SENSOR_TOPICS:
            if getattr(publish, topic.switch):
                yield
                self._handlers[topic.event] = self._handler(topic)

    def on_event(self, rank: int, args: _Words, stamp_ns: int) -> None:
        """Publish the content of an event; an event that does not match the script is dropped and counted.

        `stamp_ns` is on the ROS clock.
        """
        handler = self._handlers.get(rank)
        if handler is None:
            self.dropped += rank not in _EVENTS
            return
        try:
            handler(args, stamp_ns)
        except MessageError:
            self.dropped += 1

    def on_battery(self, vbat_raw: _Words, stamp_ns: int, now_ns: int) -> None:
        """Publish the battery's state; `stamp_ns` is on the ROS clock, `now_ns` on the core's."""
        if self._battery is not None:
            percent = self._service.status(self._robot.id, now_ns).battery_percent
            self._battery.publish(battery_to_ros(battery_volts(vbat_raw), percent, self._header("base_link", stamp_ns)))

    def publish_odometry(self, to_ros: Callable[[int], int]) -> None:
        """Publish the odometry if it is new; `to_ros` converts a stamp to the ROS clock."""
        odometry = self._service.robot(self._robot.id).telemetry.odometry
        if odometry is None or odometry.stamp_ns <= self._reported_ns:
            return
        self._reported_ns = odometry.stamp_ns
        stamp_ns = to_ros(odometry.stamp_ns)
        if self._odom is not None:
            child = frame_name(self._robot.name, "base_link")
            header = self._header("odom", stamp_ns)
            self._odom.publish(odometry_to_ros(odometry, header, child, self._robot.wheels.axle_length_m))
        if self._joint_states is not None:
            header = header_to_ros(stamp_ns, "")  # joint states have no frame
            self._joint_states.publish(joint_states_to_ros(odometry, self._robot.name, header))

    def _on_proximity(self, args: _Words, stamp_ns: int) -> None:
        calibrations = self._calibrations
        ranges_m = sensors.decode_proximity(args, calibrations)
        measured = zip(self._proximity.items(), ranges_m, calibrations, strict=False)  # none, or all seven
        for (name, publisher), range_m, calibration in measured:
            header = self._header(f"proximity_{name}_link", stamp_ns)
            publisher.publish(range_to_ros(range_m, calibration, header))
        if self._laser is not None:
            header = self._header("laser_link", stamp_ns)
            scan_s = 1.0 / self._config.rates.proximity_hz
            self._laser.publish(laser_to_ros(ranges_m, args, calibrations, scan_s, header))

    def _on_ground(self, args: _Words, stamp_ns: int) -> None:
        ground = sensors.decode_ground(args)
        for (name, publisher), reflected in zip(self._ground.items(), (ground.left, ground.right), strict=False):
            header = self._header(f"ground_{name}_link", stamp_ns)
            publisher.publish(ground_to_ros(sensors.floor_range_m(reflected), header))

    def _handler(self, topic: SensorTopic) -> _Handler:
        publisher = self._publisher(topic.type, topic.name)
        return lambda args, stamp_ns: publisher.publish(topic.to_ros(args, self._header("base_link", stamp_ns)))

    def _header(self, frame: str, stamp_ns: int) -> Header:
        return header_to_ros(stamp_ns, frame_name(self._robot.name, frame))

    def _publishers(self, group: str, names: dict[str, sensors.SensorPose]) -> dict[str, Publisher]:
        return {name: self._publisher(Range, f"{group}/{name}") for name in names}

    def _publisher(self, message_type: Any, name: str) -> Publisher:
        return self._node.create_publisher(message_type, f"/factory/{self._robot.name}/{name}", SENSOR_QOS)
