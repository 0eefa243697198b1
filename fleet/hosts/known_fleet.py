"""A driver's knowledge of its fleet, as reported to programs on its own host."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fleet.geometry import Pose2D
from fleet.hosts.claims import DriverId
from thymio_base.texts.json_text import read_json


@dataclass(frozen=True, slots=True)
class KnownRobot:
    """A robot as last published by its driver.

    Parameters
    ----------
    level : level of its status, as in diagnostic_msgs/DiagnosticStatus
    values : values of its status, by key
    pose : its pose; None if that is unknown or lost
    age_s : time since its status was published
    """

    robot_id: int
    level: int
    message: str
    values: Mapping[str, str]
    pose: Pose2D | None
    age_s: float


@dataclass(frozen=True, slots=True)
class KnownFleet:
    """The knowledge of one driver.

    Parameters
    ----------
    driver : its identity
    network : its discovery settings; a program with other settings may see another ROS graph
    is_settled : whether it has had time to discover everything, and has heard every driver on the graph
    serves, waits_for : robots, as in its announcement
    knows : the tokens of the other drivers that it knows
    foreign_ids : robots on the graph that none of these drivers announces
    robots : the robots that it serves and whose status it has published
    """

    driver: DriverId
    network: str
    is_settled: bool
    serves: Sequence[int]
    waits_for: Sequence[int]
    knows: Sequence[str]
    foreign_ids: Sequence[int]
    robots: Sequence[KnownRobot]


def known_fleet_to_bytes(fleet: KnownFleet) -> bytes:
    """Return a driver's knowledge as an answer."""
    driver = fleet.driver
    values = {
        "driver": [driver.host, driver.node, driver.token],
        "network": fleet.network,
        "is_settled": fleet.is_settled,
        "serves": fleet.serves,
        "waits_for": fleet.waits_for,
        "knows": fleet.knows,
        "foreign_ids": fleet.foreign_ids,
        "robots": [_robot_values(robot) for robot in fleet.robots],
    }
    return json.dumps(values).encode()


def known_fleet_from_bytes(answer: bytes) -> KnownFleet | None:
    """Return the knowledge in a driver's answer; None if the answer is not one of ours."""
    try:
        values = read_json(answer)
        return KnownFleet(
            DriverId(*map(str, values["driver"])),
            str(values["network"]),
            is_settled=values["is_settled"] is True,
            serves=tuple(map(int, values["serves"])),
            waits_for=tuple(map(int, values["waits_for"])),
            knows=tuple(map(str, values["knows"])),
            foreign_ids=tuple(map(int, values["foreign_ids"])),
            robots=tuple(map(_robot, values["robots"])),
        )
    except (ValueError, TypeError, KeyError):
        return None


def _robot_values(robot: KnownRobot) -> list[object]:
    pose = robot.pose
    place = None if pose is None else [pose.x_m, pose.y_m, pose.heading_rad]
    return [robot.robot_id, robot.level, robot.message, dict(robot.values), place, robot.age_s]


def _robot(values: Sequence[Any]) -> KnownRobot:
    robot_id, level, message, pairs, place, age_s = values
    pose = None if place is None else Pose2D(*map(float, place))
    return KnownRobot(int(robot_id), int(level), str(message), dict(pairs), pose, float(age_s))
