"""Stations: places with a name, to and from which robots carry things; the section `stations` of fleet.yaml."""

from dataclasses import dataclass
from enum import Enum

from fleet.geometry import Pose2D


class StationRole(Enum):
    """What happens at a station; the value is that of the file."""

    LOAD = "load"  # robots are loaded
    UNLOAD = "unload"  # robots are unloaded
    CHARGE = "charge"  # robots charge
    PARK = "park"  # robots wait


@dataclass(frozen=True, slots=True)
class StationConfig:
    """One station; `pose` is that of a robot there, in the fleet's frame."""

    name: str
    pose: Pose2D
    role: StationRole
