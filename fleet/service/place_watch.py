"""The robots at the stations of fleet.yaml, and those on the way there."""

from typing import Final

from fleet.geometry import Pose2D
from fleet.robots.place_report import PlaceReport
from fleet.robots.robot import Robot
from fleet.service.fleet_service import FleetService
from fleet.settings.station_config import StationConfig

_SAME_M: Final = 0.02  # a leg that ends this close to a station leads there


def place_reports(service: FleetService, now_ns: int) -> list[PlaceReport]:
    """Return a report on each station, in configuration order; lost robots count at their last known poses."""
    ready = service.readiness(now_ns)
    poses = {one.robot_id: one.pose for one in ready if one.pose is not None}
    goals = {one.robot_id: _goals(service.robot(one.robot_id)) for one in ready if one.task_id}
    return [_report(station, poses, goals, service.config.apart_m) for station in service.config.stations]


def _report(
    station: StationConfig, poses: dict[int, Pose2D], goals: dict[int, list[Pose2D]], apart_m: float
) -> PlaceReport:
    there = tuple(robot_id for robot_id, pose in poses.items() if pose.distance_to(station.pose) < apart_m)
    coming = tuple(
        robot_id
        for robot_id, places in goals.items()
        if robot_id not in there and any(place.distance_to(station.pose) < _SAME_M for place in places)
    )
    return PlaceReport(station, there, coming)


def _goals(robot: Robot) -> list[Pose2D]:
    """Return the ends of a robot's current and later legs."""
    report = robot.task_report()
    return [leg.pose for leg in report.legs[report.leg :] if leg.pose is not None]
