"""Fleets of any number of simulated robots, each with a home in the middle of a square cell."""

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fleet.geometry import Pose2D
from thymio_base.ros.private_domain import reserve_free_port
from thymio_base.texts.yaml_text import write_yaml as yaml_of

CELL_M = 1.0
_MARGIN_M = 0.6  # from the wall to the first home


def columns_of(robot_count: int) -> int:
    """Return the number of homes in a row: the floor is about twice as wide as high."""
    return min(robot_count, math.ceil(math.sqrt(2.0 * robot_count)))


def home_of(index: int, robot_count: int) -> Pose2D:
    """Return the home of a robot, counted from 0: the cells are filled row by row."""
    columns = columns_of(robot_count)
    return Pose2D(_MARGIN_M + CELL_M * (index % columns), _MARGIN_M + CELL_M * (index // columns), 0.0)


def write_files(folder: Path, robot_count: int) -> tuple[Path, Path]:
    """Write the fleet file and the world file of simulated robots, each in its own cell; return their paths."""
    columns = columns_of(robot_count)
    rows = math.ceil(robot_count / columns)
    width_m, height_m = 2.0 * _MARGIN_M + CELL_M * (columns - 1), 2.0 * _MARGIN_M + CELL_M * (rows - 1)
    return write_fleet(folder, [home_of(index, robot_count) for index in range(robot_count)], width_m, height_m)


def write_fleet(folder: Path, places: Sequence[Pose2D], width_m: float, height_m: float) -> tuple[Path, Path]:
    """Write the fleet file and the world file of simulated robots at their homes; return their paths."""
    port = reserve_free_port()
    homes = dict(enumerate(places, start=1))
    fleet = {
        "arena": {"x_min_m": 0.0, "y_min_m": 0.0, "x_max_m": width_m, "y_max_m": height_m},
        "link": {"targets": [f"tcp:host=127.0.0.1;port={port}"]},
        "robots": [
            {
                "id": robot_id,
                "node_id": robot_id,
                "home": _as_dict(home),
                "pose_topic": f"/mocap/thymio_{robot_id}/pose",
            }
            for robot_id, home in homes.items()
        ],
    }
    world = {
        "network": {"address": "127.0.0.1", "port": port},
        "arena": {"width_m": width_m, "height_m": height_m},
        "robots": [
            {"node_id": robot_id, **_as_dict(home), **_wheel_gains(robot_id)} for robot_id, home in homes.items()
        ],
    }
    return write_yaml(folder / "fleet.yaml", fleet), write_yaml(folder / "world.yaml", world)


def write_yaml(path: Path, values: dict[str, Any]) -> Path:
    """Write a settings file; return its path."""
    path.write_text(yaml_of(values), encoding="utf-8")
    return path


def _wheel_gains(robot_id: int) -> dict[str, float]:
    """Return gains of wheels that differ by up to 4 %, like those of real robots."""
    chance = random.Random(1000 + robot_id)
    return {"left_wheel_gain": chance.uniform(0.98, 1.02), "right_wheel_gain": chance.uniform(0.98, 1.02)}


def _as_dict(pose: Pose2D) -> dict[str, float]:
    return {"x_m": pose.x_m, "y_m": pose.y_m, "heading_rad": pose.heading_rad}
