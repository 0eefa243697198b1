"""Writes what the driver and the simulator declare for an orchestrator, from the configuration of the fleet."""

from collections.abc import Sequence
from typing import Any, Final

from fleet.interface.names import action_name
from fleet.settings.config import FleetConfig
from fleet.tasks.task_kind import TaskKind

DRIVER: Final = "multi_thymio_driver"
SIMULATOR: Final = "thymio_simulator"
TO_HOST: Final = "/aseba/to_host"
TO_ROBOTS: Final = "/aseba/to_robots"
TICK: Final = "tick"
BYTES: Final = "bytes of the link"
_GOAL_SERVICES: Final = ("send_goal", "cancel_goal")


def driver_config(config: FleetConfig, outputs: Sequence[str] = ()) -> dict[str, Any]:
    """Return the driver's configuration.

    Parameters
    ----------
    config
        of the fleet
    outputs
        what other nodes, or a recorder, read beside the bytes to the robots, such as /factory/robot_1/pose: each
        declared output costs time in every tick
    """
    return {
        "name": DRIVER,
        "callbacks": [
            _timer(TICK, 1.0 / config.rates.control_hz, [TO_ROBOTS, *outputs]),
            _reader(BYTES, TO_HOST),
            *(_reader(f"pose of robot {robot.id}", robot.pose_topic) for robot in config.robots if robot.pose_topic),
            *(
                _reader(f"cmd_vel of robot {robot.id}", f"{_prefix(robot.id)}/cmd_vel")
                for robot in config.robots
                if config.driver.accept.cmd_vel
            ),
        ],
        "services": _services(config),
    }


def simulator_config() -> dict[str, Any]:
    """Return the configuration of the simulator, the data provider, whose next step needs the robots' commands."""
    return {
        "name": SIMULATOR,
        "callbacks": [{**_reader(BYTES, TO_ROBOTS), "changes_dataprovider_state": True}],
    }


def robot_outputs(config: FleetConfig) -> list[str]:
    """Return the topics of all robots that a recorder may read."""
    return [f"{_prefix(robot.id)}/{name}" for robot in config.robots for name in ("pose", "status")]


def _services(config: FleetConfig) -> list[str]:
    kinds = [TaskKind.GO_TO, TaskKind.GO_HOME, TaskKind.TRANSPORT, TaskKind.FOLLOW_PATH]
    of_robots = [
        service
        for robot in config.robots
        for service in (
            *(f"{action_name(robot.id, kind)}/_action/{name}" for kind in kinds for name in _GOAL_SERVICES),
            f"{_prefix(robot.id)}/assigned_task",
        )
    ]
    return [*of_robots, "/fleet/stop", "/fleet/resume"]


def _prefix(robot_id: int) -> str:
    return f"/factory/robot_{robot_id}"


def _timer(name: str, period_s: float, outputs: list[str]) -> dict[str, Any]:
    return {"name": name, "trigger": {"type": "timer", "period": round(period_s * 1e9)}, "outputs": outputs}


def _reader(name: str, topic: str) -> dict[str, Any]:
    return {"name": name, "trigger": {"type": "topic", "name": topic}, "outputs": []}
