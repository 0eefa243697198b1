"""The roadmap of a fleet's floor."""

import math
from typing import Final

from fleet.routing.roadmap import Roadmap
from fleet.settings.config import ArenaConfig, FleetConfig

_SPAN_M: Final = 1.0  # around homes, on a floor without an arena
_PLACES: Final = 20_000  # at most in the lattice, which is coarser on a larger floor


def roadmap_of(config: FleetConfig) -> Roadmap:
    """Return the roadmap of the arena, or of the floor around all homes."""
    wall_m = config.traffic.wall_m
    bounds = _around_homes(config) if config.arena is None else config.arena.shrunk(wall_m)
    area_m2 = (bounds.x_max_m - bounds.x_min_m) * (bounds.y_max_m - bounds.y_min_m)
    spacing_m = max(config.traffic.lattice_m, math.sqrt(area_m2 / _PLACES))
    return Roadmap(bounds, config.floor.obstacles, wall_m, spacing_m)


def _around_homes(config: FleetConfig) -> ArenaConfig:
    """Return the floor around all homes and initial poses."""
    xs_m = [place.x_m for robot in config.robots for place in (robot.home, robot.initial_pose)]
    ys_m = [place.y_m for robot in config.robots for place in (robot.home, robot.initial_pose)]
    return ArenaConfig(
        math.floor(min(xs_m)) - _SPAN_M,
        math.floor(min(ys_m)) - _SPAN_M,
        math.ceil(max(xs_m)) + _SPAN_M,
        math.ceil(max(ys_m)) + _SPAN_M,
    )
