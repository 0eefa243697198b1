"""The setting of a demonstration: files of its fleet and world, and its jobs."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from fleet.commands.demo.demo_jobs import FACTORY_ROBOTS, cell_jobs, factory_jobs
from fleet.commands.demo.generated_fleet import CELL_M, write_files, write_yaml
from fleet.dispatch.records.job import Job
from fleet.geometry import Pose2D
from fleet.settings.config import load_config
from thymio_base.ros.private_domain import reserve_free_port
from thymio_base.settings_file import load_text
from thymio_base.shipped_files import shipped_file
from thymio_base.texts.yaml_text import yaml_values

_EXAMPLES = "examples/worlds"
_DWELL_S = 1.0  # at the stations of the factory
_JOBS = {"enabled": True, "book": "memory", "finishing": "home"}


@dataclass(frozen=True, slots=True)
class DemoStage:
    """The files of a demonstration, and its jobs.

    Parameters
    ----------
    config, world : the files of driver and simulator
    homes : homes of its robots
    stations : stations of its jobs
    jobs : the jobs to perform
    """

    config: Path
    world: Path
    homes: Mapping[int, Pose2D]
    stations: Mapping[str, Pose2D]
    jobs: Sequence[Job]


def prepare_stage(folder: Path, robot_count: int) -> DemoStage:
    """Write the files of a demonstration: in the factory or, for more robots, on a larger floor."""
    is_factory = robot_count <= FACTORY_ROBOTS
    config, world = _write_factory(folder, robot_count) if is_factory else _write_cells(folder, robot_count)
    fleet = load_config(config)
    homes = {robot.id: robot.home for robot in fleet.robots}
    stations = {station.name: station.pose for station in fleet.stations}
    jobs = factory_jobs(stations, robot_count) if is_factory else cell_jobs(stations, list(homes.values()))
    return DemoStage(config, world, homes, _named_in(jobs), jobs)


def _named_in(jobs: Sequence[Job]) -> dict[str, Pose2D]:
    return {place.name: place.pose for job in jobs for place in job.work.places}


def _write_factory(folder: Path, robot_count: int) -> tuple[Path, Path]:
    """Write the example's files, with a free port and the first `robot_count` robots; return their paths."""
    port = reserve_free_port()
    fleet, world = _example("factory_fleet.yaml"), _example("factory.yaml")
    fleet["link"] = {"targets": [f"tcp:host=127.0.0.1;port={port}"]}
    fleet["tasks"] = {"dwell_s": _DWELL_S}
    fleet["dispatch"] = _JOBS
    world["network"] = {"address": "127.0.0.1", "port": port}
    for document in (fleet, world):
        document["robots"] = document["robots"][:robot_count]
    for robot in world["robots"]:
        robot.pop("charge", None)  # all are charged, so that all take part
    return write_yaml(folder / "fleet.yaml", fleet), write_yaml(folder / "world.yaml", world)


def _write_cells(folder: Path, robot_count: int) -> tuple[Path, Path]:
    """Write the files of a floor with a cell for each robot, and a station between any two neighbours."""
    config, world = write_files(folder, robot_count)
    fleet: dict[str, Any] = yaml_values(load_text(config))
    homes = {robot.id: robot.home for robot in load_config(config).robots}
    chance = random.Random(robot_count)
    fleet["dispatch"] = _JOBS
    fleet["stations"] = [
        {
            "name": f"{one_id}-{other_id}",
            "pose": {
                "x_m": 0.5 * (one.x_m + other.x_m),
                "y_m": 0.5 * (one.y_m + other.y_m),
                "heading_rad": round(chance.uniform(-3.0, 3.0), 3),
            },
            "role": "load",
        }
        for (one_id, one), (other_id, other) in combinations(homes.items(), 2)
        if one.distance_to(other) < 1.1 * CELL_M
    ]
    return write_yaml(config, fleet), world


def _example(name: str) -> dict[str, Any]:
    values: dict[str, Any] = yaml_values(load_text(shipped_file(name, _EXAMPLES)))
    return values
