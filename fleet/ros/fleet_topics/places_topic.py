"""The topic /fleet/places: the stations of fleet.yaml, and the robots at them."""

from typing import Final

from rclpy.node import Node
from thymio_fleet_interfaces.msg import Places

from fleet.interface.names import PLACES_TOPIC
from fleet.interface.quality import PLACES_QOS
from fleet.interface.station_messages import places_to_ros
from fleet.service.fleet_service import FleetService
from fleet.service.place_watch import place_reports
from thymio_base.instant import Instant

_PERIOD_NS: Final = 500_000_000  # between two looks


class PlacesTopic:
    """Publishes the places of one driver whenever they change, at most twice a second.

    Parameters
    ----------
    service : knows the robots
    host : the driver's host
    node : owns the publisher
    """

    def __init__(self, service: FleetService, host: str, node: Node) -> None:
        self._service = service
        self._host = host
        self._frame = service.config.frame
        self._looked_ns: int | None = None
        self._published: object = None
        self._publisher = node.create_publisher(Places, PLACES_TOPIC, PLACES_QOS)

    def step(self, now: Instant) -> None:
        """Publish the places if they have changed, at most twice a second."""
        if self._looked_ns is not None and now.core_ns - self._looked_ns < _PERIOD_NS:
            return
        self._looked_ns = now.core_ns
        reports = place_reports(self._service, now.core_ns)
        if reports != self._published:
            self._published = reports
            self._publisher.publish(places_to_ros(reports, self._host, now.to_ros(now.core_ns), self._frame))
