"""A client of stations: one subscription answers all questions, and drivers that are gone are forgotten."""

import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from rclpy.publisher import Publisher
from thymio_fleet_interfaces.msg import Places

from fleet.client.graph_client import GraphClient
from fleet.client.place_client import PlaceClient
from fleet.errors import FleetError
from fleet.geometry import Pose2D
from fleet.interface.names import PLACES_TOPIC
from fleet.interface.quality import PLACES_QOS
from fleet.interface.station_messages import places_to_ros
from fleet.robots.place_report import PlaceReport
from fleet.settings.station_config import StationConfig, StationRole

DEADLINE_S = 60.0


@pytest.fixture
def graph() -> Iterator[GraphClient]:
    with closing(GraphClient()) as graph:
        yield graph


def driver(graph: GraphClient, host: str, station: StationConfig, robot_id: int) -> Publisher:
    """Publish the places of a driver."""
    publisher = graph.node.create_publisher(Places, PLACES_TOPIC, PLACES_QOS)
    publisher.publish(places_to_ros([PlaceReport(station, (robot_id,))], host, 0, "map"))
    return publisher


def found(places: PlaceClient) -> dict[str, tuple[int, ...]]:
    return {place.station.name: place.robot_ids for place in places.find()}


def test_stations_are_found_by_one_subscription_and_drivers_that_are_gone_are_forgotten(graph: GraphClient) -> None:
    press = StationConfig("press", Pose2D(1.0, 1.0, 0.5), StationRole.LOAD)
    oven = StationConfig("oven", Pose2D(2.0, 1.0, 0.5), StationRole.UNLOAD)
    with closing(GraphClient()) as drivers:
        first, second = driver(drivers, "a", press, 1), driver(drivers, "b", press, 2)
        driver(drivers, "c", oven, 3)
        places = PlaceClient(graph)
        deadline_s = time.monotonic() + DEADLINE_S
        while found(places) != {"press": (1, 2), "oven": (3,)}:
            assert time.monotonic() < deadline_s
        assert [places.pose(name).x_m for name in ("press", "oven", "press")] == [1.0, 2.0, 1.0]
        assert graph.node.count_subscribers(PLACES_TOPIC) == 1
        with pytest.raises(FleetError, match="there is no station 'pres'; did you mean 'press'"):
            places.pose("pres")
        drivers.node.destroy_publisher(first)
        drivers.node.destroy_publisher(second)
        while found(places) != {"oven": (3,)}:
            assert time.monotonic() < deadline_s
