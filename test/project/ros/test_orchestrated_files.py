"""The node configurations in config/orchestrated/ are those of config/fleet.yaml as it is now."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fleet.ros.orchestrated.node_config import driver_config, player_config, robot_outputs, simulator_config
from fleet.settings.config import load_config
from fleet.tasks.task_kind import TaskKind
from simulator.conductor.callback_schedule import CallbackSchedule
from simulator.conductor.launch_file import load_stack, schema

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "config/orchestrated"
CONFIG = load_config(ROOT / "config/fleet.yaml")
GENERATED = {
    "multi_thymio_driver": driver_config(CONFIG, robot_outputs(CONFIG)),
    "task_player": player_config([robot.id for robot in CONFIG.robots], list(TaskKind)),
    "thymio_simulator": simulator_config(),
}


def read(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", GENERATED)
def test_file_is_fresh(name: str) -> None:
    assert read(name) == GENERATED[name], "write it again with `thymio-fleet node-config`: docs/orchestrator.md"


@pytest.mark.parametrize("name", GENERATED)
def test_file_fits_the_schema(name: str) -> None:
    jsonschema.validate(read(name), schema("node_config"))


def test_stack_can_be_scheduled() -> None:
    stack = load_stack(FOLDER / "launch.json", lambda package: FOLDER / package)
    CallbackSchedule(stack)
    assert [node.name for node in stack] == ["/thymio_simulator", "/task_player", "/multi_thymio_driver"]
