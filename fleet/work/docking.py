"""Docking: the legs that drive a robot onto a charger, with further tries until it is charged."""

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.pieces import Line
from fleet.settings.config import FleetConfig
from fleet.tasks import explanations
from fleet.tasks.legs import ChargeLeg, DriveLeg, FollowLeg, Leg
from fleet.work.objections import objection_to_poses


def docking_legs(charger: Pose2D, config: FleetConfig) -> tuple[Leg, ...]:
    """Return the legs that drive a robot onto a charger.

    It drives to a point on the charger's axis, then slowly and straight into the charger, and waits to be charged; if
    it is not, it backs off and tries again. It drives in forward if there is room behind the charger, otherwise
    backward.

    Raises
    ------
    GoalRejectedError
        There is no room on either side.
    """
    settings = config.docking
    way_in, way_out = _ways(charger, config)
    legs: list[Leg] = [DriveLeg(way_in.path.start)]
    for spare in reversed(range(settings.tries)):
        legs += [way_in, ChargeLeg(settings.confirm_s, 3 * spare, settings.tries), way_out]
    return tuple(legs[:-1])


def docking_exit(charger: Pose2D, config: FleetConfig) -> FollowLeg:
    """Return the leg by which a robot leaves a charger after `docking_legs`; it raises the same errors."""
    return _ways(charger, config)[1]


def _ways(charger: Pose2D, config: FleetConfig) -> tuple[FollowLeg, FollowLeg]:
    """Return the straight ways into a charger and out of it."""
    settings = config.docking
    limits = config.following.at_speed(min(settings.speed_mps, config.following.speed_mps))
    approach, is_backward = _approach(charger, config)
    way_in = FollowLeg(Path([Line(approach, settings.approach_m, is_backward)]), limits)
    return way_in, FollowLeg(Path([Line(way_in.goal, settings.approach_m, not is_backward)]), limits)


def _approach(charger: Pose2D, config: FleetConfig) -> tuple[Pose2D, bool]:
    """Return the start of the drive into a charger, and whether the drive leads backward."""
    approach_m = config.docking.approach_m
    for is_backward in (False, True):
        approach = charger.along_arc(approach_m if is_backward else -approach_m, 0.0)
        if objection_to_poses([approach], config) is None:
            return approach, is_backward
    why = explanations.no_approach(charger, approach_m)
    raise GoalRejectedError(why.reason, why.detail)
