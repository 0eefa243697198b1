"""Finds a fleet's robots in a world."""

from collections.abc import Mapping
from typing import Any

from fleet.settings.config import RobotConfig, plain_uuid
from simulator.world.config import WorldConfig


def simulated_index(robot: RobotConfig, world: WorldConfig) -> int | None:
    """Return the index of a fleet's robot in a world, or None."""
    for index, simulated in enumerate(world.robots):
        if robot.node_id == simulated.node_id or (robot.uuid and robot.uuid == simulated.uuid.hex()):
            return index
    return None


def is_same_robot(robot: Mapping[str, Any], simulated: Mapping[str, Any]) -> bool:
    """Return whether entries of `robots` in a fleet and in a world, checked or not, are the same robot.

    The UUID of a simulated robot is derived from its node id by default.
    """
    node_id, uuid = simulated.get("node_id"), plain_uuid(robot)
    if uuid:
        return uuid == (plain_uuid(simulated) or (f"{node_id:032x}" if isinstance(node_id, int) else ""))
    return node_id is not None and robot.get("node_id") == node_id
