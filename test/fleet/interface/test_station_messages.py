"""Places survive their message; nonsense in one is left out."""

import math

from fleet.geometry import Pose2D
from fleet.interface.station_messages import places_from_ros, places_to_ros
from fleet.robots.place_report import PlaceReport
from fleet.settings.station_config import StationConfig, StationRole

PRESS = StationConfig("press", Pose2D(0.5, 1.6, 1.5), StationRole.LOAD)
DOCK = StationConfig("dock", Pose2D(0.2, 0.2, 0.0), StationRole.CHARGE)
REPORTS = [PlaceReport(PRESS, (3,), (1, 2)), PlaceReport(DOCK)]


def test_places_survive_their_message() -> None:
    message = places_to_ros(REPORTS, "bench", 5_000_000_001, "map")
    assert (message.host, message.header.frame_id, message.header.stamp.sec) == ("bench", "map", 5)
    assert places_from_ros(message) == REPORTS


def test_places_with_unknown_roles_or_without_coordinates_are_left_out() -> None:
    message = places_to_ros([*REPORTS, *REPORTS], "bench", 0, "map")
    message.places[0].role = "oven"
    message.places[1].x_m = math.nan
    assert places_from_ros(message) == REPORTS
