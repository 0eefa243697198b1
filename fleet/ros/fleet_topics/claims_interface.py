"""Exchanges announcements between the drivers of a fleet on the topic /fleet/drivers."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from thymio_fleet_interfaces.msg import Driver

from fleet.hosts.claims import ClaimChange, Claims
from fleet.interface.announcements import announcement_from_ros, announcement_to_ros
from fleet.interface.names import DRIVERS_TOPIC
from fleet.interface.quality import DRIVERS_QOS, DRIVERS_READER_QOS

_CHECK_S = 0.1
_ANNOUNCE_PERIOD_S = 1.0


class ClaimsInterface:
    """Publishes our driver's claims and receives those of other drivers, in steady time even if time is simulated.

    Parameters
    ----------
    node : the driver's node
    claims : the driver's claims
    reporting : returns the robots that report although this driver loaded no script on them
    tasks : returns the ids of the tasks that our robots perform
    on_change : handles a change
    on_announce : called whenever our claims are announced: once a second, and when they change
    on_stop_change : called with whether the fleet is stopped, when that changes
    """

    def __init__(
        self,
        node: Node,
        claims: Claims,
        reporting: Callable[[], Collection[int]],
        *,
        tasks: Callable[[], Sequence[str]],
        on_change: Callable[[ClaimChange], None],
        on_announce: Callable[[], None],
        on_stop_change: Callable[[bool], None],
    ) -> None:
        claims.driver = replace(claims.driver, node=node.get_fully_qualified_name())  # users may have remapped it
        self._claims = claims
        self._reporting = reporting
        self._tasks = tasks
        self._on_change = on_change
        self._on_announce = on_announce
        self._on_stop_change = on_stop_change
        self._announced_s = 0.0
        self._logger = node.get_logger()
        self._namesakes: set[str] = set()  # tokens of drivers with our name that were logged
        self._publisher = node.create_publisher(Driver, DRIVERS_TOPIC, DRIVERS_QOS)
        node.create_subscription(Driver, DRIVERS_TOPIC, self._on_driver, DRIVERS_READER_QOS)
        node.create_timer(_CHECK_S, self._check, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._announce()

    def stop(self) -> None:
        """Stop the robots of all drivers, ours at once."""
        self._claims.stop()
        self._on_stop_change(True)
        self._announce()

    def resume(self) -> None:
        """Resume the robots of all drivers, ours at once."""
        self._claims.resume()
        self._on_stop_change(False)
        self._announce()

    def leave(self) -> None:
        """Announce that our robots are free."""
        self._publisher.publish(announcement_to_ros(self._claims.withdrawal))

    def _check(self) -> None:
        reporting = self._reporting() if self._claims.is_new else ()
        changes = self._claims.advance(time.monotonic_ns(), time.time_ns(), reporting)
        if changes:
            self._announce()
        for change in changes:
            self._on_change(change)  # with many robots this takes seconds
            self._announce_if_due()
        if self._claims.others and self._claims.tasks != self._tasks():
            self._publish()
        self._announce_if_due()

    def _announce_if_due(self) -> None:
        if time.monotonic() - self._announced_s >= _ANNOUNCE_PERIOD_S:
            self._announce()

    def _announce(self) -> None:
        self._announced_s = time.monotonic()
        self._publish()
        self._on_announce()

    def _publish(self) -> None:
        self._claims.tasks = self._tasks()
        self._publisher.publish(announcement_to_ros(self._claims.announcement))

    def _on_driver(self, message: Driver) -> None:
        was_stopped = self._claims.stop_state.is_stopped
        self._claims.receive(announcement_from_ros(message))
        self._warn_of_namesakes()
        if self._claims.stop_state.is_stopped != was_stopped:
            self._on_stop_change(not was_stopped)
            self._announce()

    def _warn_of_namesakes(self) -> None:
        """Log which drivers nobody could tell from this one in /diagnostics."""
        ours = self._claims.driver
        for other in self._claims.others:
            driver = other.driver
            if (driver.host, driver.node) == (ours.host, ours.node) and driver.token not in self._namesakes:
                self._namesakes.add(driver.token)
                self._logger.warning(
                    f"another driver is {driver}, too: tools merge the diagnostics of both; "
                    "give each a name of its own, `hosts: {name: ...}` in its fleet.yaml"
                )
