"""Finds a host's drivers without ROS: by sockets in a folder for each ROS domain."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from fleet.hosts.claims import DriverId
from thymio_base.logs.folders import memory_folder
from thymio_base.texts.json_text import read_json

STOP_ENDING = ".stop"  # of sockets to which any datagram is a request to stop
FLEET_ENDING = ".fleet"  # of sockets to which any datagram is a request for what the driver knows


@dataclass(frozen=True, slots=True)
class LocalDriver:
    """A driver of this host that has stopped the robots that it serves."""

    driver: DriverId
    robot_ids: tuple[int, ...]


def domain_folder(domain_id: int) -> Path:
    """Return the folder for records and sockets of this user's drivers in a ROS domain."""
    base = Path(os.environ.get("XDG_RUNTIME_DIR") or memory_folder())
    return base / f"thymio_fleet-{os.getuid()}" / f"domain_{domain_id}"


def answer_from(stopped: LocalDriver) -> bytes:
    """Return the answer of a driver that has stopped its robots."""
    driver = stopped.driver
    values = {"driver": [driver.host, driver.node, driver.token], "robots": stopped.robot_ids}
    return json.dumps(values).encode()


def driver_from(answer: bytes) -> LocalDriver | None:
    """Return the driver that sent an answer; None if the answer is not one of ours."""
    try:
        values = read_json(answer)
        return LocalDriver(DriverId(*map(str, values["driver"])), tuple(map(int, values["robots"])))
    except (ValueError, TypeError, KeyError):
        return None
