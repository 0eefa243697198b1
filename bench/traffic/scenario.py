"""Scenarios of the traffic benchmark."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from numpy.random import Generator

from bench.traffic.floor_plan import FloorPlan

_FIRST_ID, _FIRST_PRIORITY, _PRIORITY = 1, 9, 5


class Avoidance(Enum):
    """What keeps robots apart; the value is the name in results."""

    TRAFFIC = "traffic"  # the fleet as shipped
    NONE = "none"  # the fleet with `traffic: {enabled: false}`
    NAVGROUND = "navground"  # navground's HL; see `NavgroundDrive`


class Demand(Enum):
    """The task of the robots."""

    SWAP = "swap"  # each drives to its goal on the floor plan, once
    RANDOM = "random"  # each drives to one random goal after another
    PATHS = "paths"  # each follows its path on the floor plan
    TWISTS = "twists"  # each is teleoperated at random


@dataclass(frozen=True, slots=True)
class Scenario:
    """A floor, the robots' tasks, and the faults.

    Parameters
    ----------
    name : name in results; options select scenarios by the start of their names
    plan : draws the floor
    work : the robots' tasks
    duration_s : how long new work starts; robots then have some more time to finish it
    world : other keys of the simulated world
    traffic, actuation : sections of the fleet's configuration
    dying : number of robots whose links break for ever, at random instants
    has_first : whether robot 1 has priority 9, and only its tasks are counted
    is_hard : whether motion capture has outages, wheels slip at half speed, and robots are pushed
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
