"""How the drivers of a fleet hear each other on ROS: the topic /fleet/drivers."""

import time
from collections.abc import Callable, Collection
from dataclasses import replace

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from thymio_fleet_interfaces.msg import Driver

from fleet.claims import Announcement, ClaimChange, Claims, DriverId
from fleet.standstill import Standstill

DRIVERS_TOPIC = "/fleet/drivers"
# every driver is a writer of its own, whose latest word a late joiner gets from each of them
DRIVERS_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
HEARD_QOS = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_CHECK_S = 0.1
_WORD_S = 1.0


class ClaimsInterface:
    """Tells the other drivers what ours claims, and ours what they do; on steady time, however simulated time passes.

    Parameters
    ----------
    node : the driver's
    claims : what it claims
    reporting : returns the robots that report though we gave them no script
    on_change : does what follows of a change
    on_standstill : is told whether the fleet is stopped, when that changes
    """

    def __init__(
        self,
        node: Node,
        claims: Claims,
        reporting: Callable[[], Collection[int]],
        on_change: Callable[[ClaimChange], None],
        on_standstill: Callable[[bool], None],
    ) -> None:
        claims.driver = replace(claims.driver, node=node.get_fully_qualified_name())  # which users may have remapped
        self._claims = claims
        self._reporting = reporting
        self._on_change = on_change
        self._on_standstill = on_standstill
        self._said_s = 0.0
        self._publisher = node.create_publisher(Driver, DRIVERS_TOPIC, DRIVERS_QOS)
        node.create_subscription(Driver, DRIVERS_TOPIC, self._on_driver, HEARD_QOS)
        node.create_timer(_CHECK_S, self._check, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._say()

    def stop(self) -> None:
        """Stop the robots of all drivers, ours at once."""
        self._claims.stop()
        self._on_standstill(True)
        self._say()

    def resume(self) -> None:
        """Let the robots of all drivers go on, ours at once."""
        self._claims.resume()
        self._on_standstill(False)
        self._say()

    def leave(self) -> None:
        """Tell the others that our robots are free."""
        self._publisher.publish(announcement_to_ros(self._claims.farewell))

    def _check(self) -> None:
        reporting = self._reporting() if self._claims.is_new else ()
        changes = self._claims.advance(time.monotonic_ns(), time.time_ns(), reporting)
        if changes:
            self._say()
        for change in changes:
            self._on_change(change)  # with many robots this takes seconds
            self._say_if_due()
        self._say_if_due()

    def _say_if_due(self) -> None:
        if time.monotonic() - self._said_s >= _WORD_S:
            self._say()

    def _say(self) -> None:
        self._said_s = time.monotonic()
        self._publisher.publish(announcement_to_ros(self._claims.announcement))

    def _on_driver(self, message: Driver) -> None:
        was_stopped = self._claims.standstill.is_stopped
        self._claims.hear(announcement_from_ros(message))
        if self._claims.standstill.is_stopped != was_stopped:
            self._on_standstill(not was_stopped)
            self._say()


def announcement_to_ros(said: Announcement) -> Driver:
    """Return an announcement as a message."""
    return Driver(
        host=said.driver.host,
        node=said.driver.node,
        token=said.driver.token,
        begun_ns=said.begun_ns,
        serves=list(said.serves),
        since_ns=list(said.serves.values()),
        waits_for=list(said.waits_for),
        stoppers=list(said.standstill.stops),
        stops=list(said.standstill.stops.values()),
        resumed=[said.standstill.resumed.get(token, 0) for token in said.standstill.stops],
    )


def announcement_from_ros(message: Driver) -> Announcement:
    """Return what a message announces; robots without a time, in a message that is none of ours, are left out."""
    serves = dict(zip(message.serves, message.since_ns, strict=False))
    driver = DriverId(message.host, message.node, message.token)
    standstill = Standstill(
        dict(zip(message.stoppers, message.stops, strict=False)),
        dict(zip(message.stoppers, message.resumed, strict=False)),
    )
    return Announcement(driver, message.begun_ns, serves, tuple(message.waits_for), standstill)
