"""The declarations of driver, simulator and task player for an orchestrator, derived from fleet.yaml."""

from collections.abc import Sequence
from typing import Any, Final

from fleet.interface.names import (
    CHANGE_JOBS_SERVICE,
    DUTY_SERVICE,
    LIST_JOBS_SERVICE,
    PERFORM_ACTION,
    SUBMIT_JOBS_SERVICE,
    action_name,
)
from fleet.ros.thymio_topics.command_topics import command_names
from fleet.settings.config import FleetConfig
from fleet.tasks.task_kind import TaskKind

DRIVER: Final = "multi_thymio_driver"
SIMULATOR: Final = "thymio_simulator"
PLAYER: Final = "task_player"
TO_HOST: Final = "/aseba/to_host"
TO_ROBOTS: Final = "/aseba/to_robots"
TICK: Final = "tick"
BYTES: Final = "bytes of the link"
PLAY: Final = "send tasks"
PLAY_PERIOD_S: Final = 0.1
_GOAL_SERVICES: Final = ("send_goal", "cancel_goal")


def driver_config(config: FleetConfig, outputs: Sequence[str] = ()) -> dict[str, Any]:
    """Return the driver's configuration.

    Parameters
    ----------
    config
        the fleet's configuration
    outputs
        topics that other nodes or a recorder read beside the bytes to the robots, such as /factory/robot_1/pose: each
        declared output costs time in every tick
    """
    return {
        "name": DRIVER,
        "callbacks": [
            _timer(TICK, 1.0 / config.rates.control_hz, [TO_ROBOTS, *outputs]),
            _reader(BYTES, TO_HOST),
            *(_reader(f"pose of robot {robot.id}", robot.pose_topic) for robot in config.robots if robot.pose_topic),
            *(
                _reader(f"{name} of robot {robot.id}", f"{_prefix(robot.id)}/{name}")
                for robot in config.robots
                for name in command_names(config.driver.accept)
            ),
        ],
        "services": _services(config),
    }


def simulator_config() -> dict[str, Any]:
    """Return the configuration of the simulator: the data provider, whose next step needs the robots' commands."""
    return {
        "name": SIMULATOR,
        "callbacks": [{**_reader(BYTES, TO_ROBOTS), "changes_dataprovider_state": True}],
    }


def player_config(robot_ids: Sequence[int], kinds: Sequence[TaskKind]) -> dict[str, Any]:
    """Return the configuration of the task player: it sends goals, and reads from statuses how tasks end.

    Parameters
    ----------
    robot_ids
        the robots that get tasks
    kinds
        kinds of the tasks
    """
    goals = [f"{action_name(robot_id, kind)}/_action/send_goal" for robot_id in robot_ids for kind in kinds]
    return {
        "name": PLAYER,
        "callbacks": [
            {**_timer(PLAY, PLAY_PERIOD_S, []), "service_calls": goals},
            *(_reader(f"status of robot {robot_id}", f"{_prefix(robot_id)}/status") for robot_id in robot_ids),
        ],
    }


def robot_outputs(config: FleetConfig) -> list[str]:
    """Return the topics of all robots that a recorder may read."""
    return [f"{_prefix(robot.id)}/{name}" for robot in config.robots for name in ("pose", "status")]


def _services(config: FleetConfig) -> list[str]:
    of_robots = [
        service
        for robot in config.robots
        for service in (
            *(f"{action_name(robot.id, kind)}/_action/{name}" for kind in TaskKind for name in _GOAL_SERVICES),
            f"{_prefix(robot.id)}/assigned_task",
        )
    ]
    jobs = [
        *(f"{PERFORM_ACTION}/_action/{name}" for name in _GOAL_SERVICES),
        *(SUBMIT_JOBS_SERVICE, CHANGE_JOBS_SERVICE, LIST_JOBS_SERVICE, DUTY_SERVICE),
    ]
    return [*of_robots, "/fleet/stop", "/fleet/resume", *(jobs if config.dispatch.enabled else [])]


def _prefix(robot_id: int) -> str:
    return f"/factory/robot_{robot_id}"


def _timer(name: str, period_s: float, outputs: list[str]) -> dict[str, Any]:
    return {"name": name, "trigger": {"type": "timer", "period": round(period_s * 1e9)}, "outputs": outputs}


def _reader(name: str, topic: str) -> dict[str, Any]:
    return {"name": name, "trigger": {"type": "topic", "name": topic}, "outputs": []}
