"""What a scenario of the traffic benchmark is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from numpy.random import Generator

from bench.traffic.floor_plan import FloorPlan

_FIRST_ID, _FIRST_PRIORITY, _PRIORITY = 1, 9, 5


class Avoidance(Enum):
    """What keeps robots apart; the value is the name in results."""

    TRAFFIC = "traffic"  # the fleet, as it is shipped
    NONE = "none"  # the fleet with `traffic: {enabled: false}`
    NAVGROUND = "navground"  # navground's HL; see `NavgroundDrive`


class Demand(Enum):
    """What robots do."""

    SWAP = "swap"  # each drives to its goal on the floor plan, once
    RANDOM = "random"  # each drives to one random goal after another
    PATHS = "paths"  # each follows its path on the floor plan
    TWISTS = "twists"  # each is teleoperated at random


@dataclass(frozen=True, slots=True)
class Scenario:
    """A floor, what robots do on it, and what goes wrong.

    Parameters
    ----------
    name : in results; options select all scenarios whose names start like this
    plan : draws the floor
    work : what robots do
    duration_s : new work starts for this time; robots then have some more time to end it
    world : other keys of the simulated world
    traffic, actuation : of the fleet's configuration
    dying : robots whose links break for ever, at random instants
    has_first : robot 1 has priority 9, and its tasks alone are counted
    is_hard : motion capture has outages, wheels slip at half speed, robots are pushed
    """

    name: str
    plan: Callable[[Generator], FloorPlan]
    work: Demand
    duration_s: float = 0.0
    world: Mapping[str, Any] = field(default_factory=dict)
    traffic: Mapping[str, Any] = field(default_factory=dict)
    actuation: Mapping[str, Any] = field(default_factory=dict)
    dying: int = 0
    has_first: bool = False
    is_hard: bool = False

    def priority(self, robot_id: int) -> int:
        """Return the priority of a robot."""
        return _FIRST_PRIORITY if self.has_first and robot_id == _FIRST_ID else _PRIORITY

    def counts(self, robot_id: int) -> bool:
        """Whether the durations of a robot's tasks are counted."""
        return not self.has_first or robot_id == _FIRST_ID

    @property
    def has_goals(self) -> bool:
        """Whether robots drive to goals, rather than along paths or by hand."""
        return self.work in (Demand.SWAP, Demand.RANDOM)
