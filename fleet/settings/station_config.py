"""Stations: named places to and from which robots carry things; the section `stations` of fleet.yaml."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fleet.geometry import Pose2D


class StationRole(Enum):
    """What happens at a station; the value is that of the file."""

    LOAD = "load"  # robots are loaded
    UNLOAD = "unload"  # robots are unloaded
    CHARGE = "charge"  # robots charge
    PARK = "park"  # robots wait


@dataclass(frozen=True, slots=True)
class StationConfig:
    """One station; `pose` is the pose of a robot there, in the fleet's frame."""

    name: str
    pose: Pose2D
    role: StationRole


@dataclass(frozen=True, slots=True)
class DashboardConfig:
    """Permissions on the dashboard."""

    viewers_may_stop: bool


def build_stations(values: Sequence[Mapping[str, Any]]) -> tuple[StationConfig, ...]:
    """Return the stations of a valid section."""
    return tuple(StationConfig(one["name"], pose_of(one["pose"]), StationRole(one["role"])) for one in values)


def pose_of(values: Mapping[str, Any]) -> Pose2D:
    """Return a pose of a settings file."""
    return Pose2D(values["x_m"], values["y_m"], values.get("heading_rad", 0.0))
