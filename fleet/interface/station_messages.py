"""Converts places to messages and back: pure functions, `x_to_ros` and `x_from_ros`."""

from collections.abc import Sequence

from thymio_fleet_interfaces.msg import Place, Places

from fleet.geometry import Pose2D
from fleet.robots.place_report import PlaceReport
from fleet.settings.station_config import StationConfig, StationRole
from thymio_base.ros.stamps import time_to_ros
from thymio_base.texts.bounds import is_pose


def places_to_ros(reports: Sequence[PlaceReport], host: str, stamp_ns: int, frame: str) -> Places:
    """Return the places of a fleet as a message."""
    message = Places(host=host, places=[_place_to_ros(report) for report in reports])
    message.header.stamp = time_to_ros(stamp_ns)
    message.header.frame_id = frame
    return message


def places_from_ros(message: Places) -> list[PlaceReport]:
    """Return a message as places, without those that are far away, have an unknown role or no position."""
    roles = {role.value for role in StationRole}
    return [
        PlaceReport(
            StationConfig(place.name, Pose2D(place.x_m, place.y_m, place.heading_rad), StationRole(place.role)),
            tuple(place.robots),
            tuple(place.coming),
        )
        for place in message.places
        if place.role in roles and is_pose(place.x_m, place.y_m, place.heading_rad)
    ]


def _place_to_ros(report: PlaceReport) -> Place:
    station, pose = report.station, report.station.pose
    return Place(
        name=station.name,
        role=station.role.value,
        x_m=pose.x_m,
        y_m=pose.y_m,
        heading_rad=pose.heading_rad,
        robots=list(report.robot_ids),
        coming=list(report.coming_ids),
    )
