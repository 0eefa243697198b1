"""Causes a scenario's faults: robots die, are pushed or slip, and motion capture has outages."""

import math
from itertools import cycle

from numpy.random import Generator

from bench.traffic.scenario import Scenario
from experiments.lab.lab import Lab
from experiments.scenarios.file.experiment import Fault, FaultKind
from experiments.scenarios.run.faults import Faults
from fleet.geometry import Pose2D

_OUTAGE_EVERY_S, _OUTAGE_S = 8.0, 1.0
_SLOW_S, _SLOW = 10.0, 0.5  # one robot after the other rolls this share of its reported travel
_PUSH_EVERY_S, _PUSH_M, _PUSH_RAD = 5.0, 0.04, 0.4
_FREE_M = 0.2  # robots are not pushed nearer to others, so that a push itself causes no contact
_EDGE_M = 0.1
_TRIES = 20


class Mishaps:
    """The faults of one run.

    Parameters
    ----------
    lab : the lab with the robots
    scenario : gives the number of deaths, and whether it is hard
    random : chooses robots and instants

    Attributes
    ----------
    dead : the dead robots
    pushes : number of pushes
    """

    def __init__(self, lab: Lab, scenario: Scenario, random: Generator) -> None:
        self.dead: set[int] = set()
        self.pushes = 0
        self._lab = lab
        self._random = random
        self._next_push_s = _PUSH_EVERY_S
        self._last_push_s = scenario.duration_s if scenario.is_hard else 0.0
        chosen = random.permutation(lab.robot_ids).tolist()[: scenario.dying]
        self._dying = {robot_id: random.uniform(0.0, 0.8 * scenario.duration_s) for robot_id in chosen}
        self._faults = Faults(lab, self._disturbances(scenario.duration_s) if scenario.is_hard else [])

    def advance(self, time_s: float) -> None:
        """Cause the faults that are due."""
        self._faults.advance(time_s)
        for robot_id, at_s in self._dying.items():
            if time_s >= at_s and robot_id not in self.dead:
                self._lab.cut_off(robot_id)
                self.dead.add(robot_id)
        if self._next_push_s <= min(time_s, self._last_push_s):
            self._next_push_s += _PUSH_EVERY_S
            self._push(time_s)

    def _disturbances(self, duration_s: float) -> list[Fault]:
        outages = [
            Fault(FaultKind.HIDE, number * _OUTAGE_EVERY_S, _OUTAGE_S)
            for number in range(1, math.ceil(duration_s / _OUTAGE_EVERY_S))
        ]
        numbers = range(math.ceil(duration_s / _SLOW_S))
        slow = [
            Fault(FaultKind.SLIP, number * _SLOW_S, _SLOW_S, robot_id, left=_SLOW, right=_SLOW)
            for number, robot_id in zip(numbers, cycle(self._lab.robot_ids), strict=False)
        ]
        return [*outages, *slow]

    def _push(self, time_s: float) -> None:
        """Push a robot, if there is room."""
        for _ in range(_TRIES):
            robot_id = int(self._random.choice(self._lab.robot_ids))
            x_m, y_m = self._random.uniform(-_PUSH_M, _PUSH_M, 2).tolist()
            push = Pose2D(x_m, y_m, self._random.uniform(-_PUSH_RAD, _PUSH_RAD))
            if math.hypot(x_m, y_m) <= _PUSH_M and self._has_room(robot_id, self._lab.truth(robot_id).compose(push)):
                Faults(self._lab, [Fault(FaultKind.PUSH, time_s, robot_id=robot_id, pose=push)]).advance(time_s)
                self.pushes += 1
                return

    def _has_room(self, robot_id: int, place: Pose2D) -> bool:
        arena = self._lab.config.arena
        others = (self._lab.truth(other_id) for other_id in self._lab.robot_ids if other_id != robot_id)
        return (arena is None or arena.contains(place, _EDGE_M)) and all(
            place.distance_to(other) >= _FREE_M for other in others
        )
