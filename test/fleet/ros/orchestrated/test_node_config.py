"""What is declared for an orchestrator follows from the configuration of the fleet, and the conductor can run it."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fleet.ros.orchestrated.node_config import driver_config, robot_outputs, simulator_config
from fleet.settings.config import FleetConfig
from harness.fleets import read
from simulator.conductor.callback_schedule import CallbackSchedule
from simulator.conductor.launch_file import node_model, schema


def fleet(folder: Path, count: int, settings: str = "") -> FleetConfig:
    robots = "\n".join(
        f"- {{id: {number}, node_id: {number}, pose_topic: /mocap/thymio_{number}/pose,"
        f" home: {{x_m: {0.5 * number}, y_m: 0.5}}}}"
        for number in range(1, count + 1)
    )
    return read(folder, f"{settings}\nrobots:\n{robots}\n")


def triggers(config: dict[str, Any]) -> list[Any]:
    return [callback["trigger"] for callback in config["callbacks"]]


@pytest.mark.parametrize("count", [1, 2, 8, 20])
@pytest.mark.parametrize("settings", ["", "driver: {accept: {cmd_vel: true}}", "rates: {control_hz: 10, pose_hz: 5}"])
def test_declarations_are_valid_and_can_be_scheduled(tmp_path: Path, count: int, settings: str) -> None:
    config = fleet(tmp_path, count, settings)
    declared = [driver_config(config, robot_outputs(config)), simulator_config()]
    for one in declared:
        jsonschema.validate(one, schema("node_config"))
    CallbackSchedule([node_model(f"/{one['name']}", one, {}) for one in declared])


def test_tick_is_the_only_timer(tmp_path: Path) -> None:
    timers = [one for one in triggers(driver_config(fleet(tmp_path, 3))) if one["type"] == "timer"]
    assert timers == [{"type": "timer", "period": 50_000_000}]


def test_each_pose_topic_triggers_a_callback_of_its_own(tmp_path: Path) -> None:
    topics = [one["name"] for one in triggers(driver_config(fleet(tmp_path, 2))) if one["type"] == "topic"]
    assert topics == ["/aseba/to_host", "/mocap/thymio_1/pose", "/mocap/thymio_2/pose"]


def test_without_recorder_the_wire_is_the_only_output(tmp_path: Path) -> None:
    (tick, *others) = driver_config(fleet(tmp_path, 2))["callbacks"]
    assert tick["outputs"] == ["/aseba/to_robots"]
    assert all(callback["outputs"] == [] for callback in others)


def test_goals_and_cancels_of_all_robots_are_services(tmp_path: Path) -> None:
    services = driver_config(fleet(tmp_path, 2))["services"]
    assert "/factory/robot_2/task_transport/_action/send_goal" in services
    assert "/factory/robot_1/x/follow_path/_action/cancel_goal" in services
    assert {"/factory/robot_1/assigned_task", "/fleet/stop", "/fleet/resume"} <= set(services)
    assert len(services) == 2 * 13 + 2
