"""The settings of traffic, and the distances derived from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fleet.control.tracker_config import ActuationConfig
from fleet.trajectories.limits import Limits

_UNSURE_M = 0.005  # error of two estimated poses, together
_TRACKING_M = 0.003  # deviation of two robots from their ways, together


class IdleRobots(Enum):
    """Behaviour of a robot without a task in the only way of another robot."""

    STAY = "stay"  # it does not move
    GIVE_WAY = "give_way"  # it steps aside, and comes back


@dataclass(frozen=True, slots=True)
class TrafficConfig:
    """Settings of the robots' traffic on the floor; see `Traffic`."""

    enabled: bool
    radius_m: float
    lattice_m: float
    budget_steps: int
    blocked_s: float
    idle: IdleRobots
    detects_obstacles: bool

    @property
    def right_of_way_m(self) -> float:
        """The distance that two axles always keep."""
        return 2.0 * self.radius_m + _UNSURE_M

    @property
    def wall_m(self) -> float:
        """The distance that ways keep between an axle and walls."""
        return self.radius_m + _UNSURE_M

    def apart_m(self, limits: Limits, actuation: ActuationConfig, period_s: float) -> float:
        """Return the distance that ways keep between two axles.

        It is the right of way plus the stopping distance at full speed, so that a robot on its way gets what it wants.
        """
        reach_m = limits.speed_mps * (actuation.latency_s + actuation.lag_s + period_s)
        return self.right_of_way_m + reach_m + _TRACKING_M


def build_traffic_config(values: Mapping[str, Any]) -> TrafficConfig:
    """Return the section `traffic`."""
    return TrafficConfig(**{**values, "idle": IdleRobots(values["idle"])})
