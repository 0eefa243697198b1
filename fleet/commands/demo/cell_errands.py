"""Errands of any number of robots with homes in square cells: transports between places on the edges of their cells."""

import math
import random
from collections.abc import Mapping

from fleet.commands.demo.errands import Errand
from fleet.commands.demo.generated_fleet import CELL_M
from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind

_REACH_M = 0.2  # of the first place from home
_NEAR_M = 1.6 * CELL_M  # from home to the places of a transport
_APART_M = 0.9 * CELL_M  # between them, at least


def cell_errands(homes: Mapping[int, Pose2D]) -> list[Errand]:
    """Return three errands for each robot: a place in its own cell, a transport through neighbouring ones, its home."""
    places = _edges(list(homes.values()))
    first = [Errand(robot_id, TaskKind.GO_TO, (_own_place(robot_id, home),)) for robot_id, home in homes.items()]
    further = [
        errand
        for robot_id, home in homes.items()
        for errand in (_transport(robot_id, home, places), Errand(robot_id, TaskKind.GO_HOME, (home,)))
    ]
    return [*first, *further]


def _own_place(robot_id: int, home: Pose2D) -> Pose2D:
    chance = random.Random(robot_id)
    angle = chance.uniform(0.0, math.tau)
    return home.compose(Pose2D(_REACH_M * math.cos(angle), _REACH_M * math.sin(angle), chance.uniform(-3.0, 3.0)))


def _transport(robot_id: int, home: Pose2D, places: list[Pose2D]) -> Errand:
    """Return a transport between two places that are near a robot's home and apart from each other."""
    chance = random.Random(2000 + robot_id)
    near = [place for place in places if place.distance_to(home) < _NEAR_M]
    start = chance.choice(near)
    end = chance.choice([place for place in near if place.distance_to(start) > _APART_M])
    return Errand(robot_id, TaskKind.TRANSPORT, (_turned(start, chance), _turned(end, chance)))


def _turned(place: Pose2D, chance: random.Random) -> Pose2D:
    return Pose2D(place.x_m, place.y_m, chance.uniform(-3.0, 3.0))


def _edges(homes: list[Pose2D]) -> list[Pose2D]:
    """Return the middles between homes that are neighbours."""
    return [
        Pose2D(0.5 * (one.x_m + other.x_m), 0.5 * (one.y_m + other.y_m), 0.0)
        for index, one in enumerate(homes)
        for other in homes[:index]
        if one.distance_to(other) < 1.1 * CELL_M
    ]
