"""Bounds of plausible poses: a pose too far away is rejected, and one outside of the arena causes a warning."""

import math
from typing import Final

from fleet.geometry import Pose2D
from fleet.settings.config import ArenaConfig
from thymio_base.texts.bounds import FARTHEST_M

OUTSIDE_M: Final = 0.1  # poses farther outside of the arena than this are used with a warning
_MILLIMETRES_M: Final = 10.0  # no real robot is this far outside
_MILLIMETRE_M: Final = 0.001


def away_m(pose: Pose2D, arena: ArenaConfig | None) -> float:
    """Return how far a pose is outside of the arena, or from the origin without one; infinite if not finite."""
    if not (math.isfinite(pose.x_m) and math.isfinite(pose.y_m) and math.isfinite(pose.heading_rad)):
        return math.inf
    if arena is None:
        return math.sqrt(pose.x_m * pose.x_m + pose.y_m * pose.y_m)
    x_m = max(arena.x_min_m - pose.x_m, pose.x_m - arena.x_max_m)
    y_m = max(arena.y_min_m - pose.y_m, pose.y_m - arena.y_max_m)
    x_m, y_m = max(0.0, x_m), max(0.0, y_m)
    return math.sqrt(x_m * x_m + y_m * y_m)


def unit_advice(pose: Pose2D, arena: ArenaConfig | None) -> str:
    """Return what to check in the configuration of motion capture for a measured pose outside of the arena."""
    scaled = Pose2D(_MILLIMETRE_M * pose.x_m, _MILLIMETRE_M * pose.y_m, pose.heading_rad)
    if away_m(pose, arena) > _MILLIMETRES_M >= away_m(scaled, arena):
        return "are these millimetres? check motion_capture.unit_m"
    return "check motion_capture.unit_m and origin"


def too_far_text(pose: Pose2D, arena: ArenaConfig | None) -> str:
    """Return why a measured pose is too far away."""
    where = "from the origin" if arena is None else "outside of the arena"
    place = f"({pose.x_m:.4g}, {pose.y_m:.4g})"
    return f"TOO_FAR: {place} is more than {FARTHEST_M:g} m {where}, {unit_advice(pose, arena)}"
