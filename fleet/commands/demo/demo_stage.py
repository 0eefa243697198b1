"""Where a demonstration takes place: the files of its fleet and its world, and the errands of its robots."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from fleet.commands.demo.cell_errands import cell_errands
from fleet.commands.demo.errands import Errand
from fleet.commands.demo.factory_errands import FACTORY_ROBOTS, factory_errands
from fleet.commands.demo.generated_fleet import write_files, write_yaml
from fleet.settings.config import load_config
from thymio_base.ros.private_domain import reserve_free_port
from thymio_base.shipped_files import shipped_file

_EXAMPLES = "examples/worlds"
_DWELL_S = 1.0  # at the stations of the factory


@dataclass(frozen=True, slots=True)
class DemoStage:
    """The files of a demonstration, and what its robots are to do.

    Parameters
    ----------
    config, world : the files of driver and simulator
    errands : in the order in which places serve them
    """

    config: Path
    world: Path
    errands: Sequence[Errand]


def prepare_stage(folder: Path, robot_count: int) -> DemoStage:
    """Write the files of a demonstration: in the factory, or on a larger floor if there are more robots."""
    is_factory = robot_count <= FACTORY_ROBOTS
    config, world = _write_factory(folder, robot_count) if is_factory else write_files(folder, robot_count)
    homes = {robot.id: robot.home for robot in load_config(config).robots}
    return DemoStage(config, world, factory_errands(homes) if is_factory else cell_errands(homes))


def _write_factory(folder: Path, robot_count: int) -> tuple[Path, Path]:
    """Write the files of the example, with a free port and as many of its robots; return their paths."""
    port = reserve_free_port()
    fleet, world = _example("factory_fleet.yaml"), _example("factory.yaml")
    fleet["link"] = {"targets": [f"tcp:host=127.0.0.1;port={port}"]}
    fleet["tasks"] = {"dwell_s": _DWELL_S}
    world["network"] = {"address": "127.0.0.1", "port": port}
    for document in (fleet, world):
        document["robots"] = document["robots"][:robot_count]
    return write_yaml(folder / "fleet.yaml", fleet), write_yaml(folder / "world.yaml", world)


def _example(name: str) -> dict[str, Any]:
    values: dict[str, Any] = yaml.safe_load(shipped_file(name, _EXAMPLES).read_text(encoding="utf-8"))
    return values
