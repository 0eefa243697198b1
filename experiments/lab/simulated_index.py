"""Finds a fleet's robots in a world."""

from fleet.settings.config import RobotConfig
from simulator.world.config import WorldConfig


def simulated_index(robot: RobotConfig, world: WorldConfig) -> int | None:
    """Return the index of a fleet's robot in a world, or None."""
    for index, simulated in enumerate(world.robots):
        if robot.node_id == simulated.node_id or (robot.uuid and robot.uuid == simulated.uuid.hex()):
            return index
    return None
