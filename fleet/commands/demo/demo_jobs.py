"""The jobs of a demonstration: transports between named stations, for any robot.

In the factory goods cross the floor in both directions; some ways lead through the door. On a larger floor the stations
are on the edges of the robots' cells, and each transport leads through neighbouring cells.
"""

import math
import random
from collections.abc import Mapping, Sequence

from fleet.commands.demo.generated_fleet import CELL_M
from fleet.dispatch.records.job import Job
from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work

FACTORY_ROBOTS = 8
_FACTORY = (
    ("shelf_1", "store"),
    ("buffer_4", "shelf_1"),
    ("shelf_3", "oven"),
    ("buffer_1", "shelf_3"),
    ("shelf_2", "press"),
    ("buffer_3", "shelf_2"),
    ("shelf_4", "packing"),
    ("buffer_2", "shelf_4"),
    ("press", "buffer_1"),
    ("packing", "buffer_4"),
    ("oven", "buffer_2"),
    ("store", "buffer_3"),
)
_NEAR_M = 1.6 * CELL_M  # from home to the stations of a transport
_APART_M = 0.9 * CELL_M  # between them, at least


def factory_jobs(stations: Mapping[str, Pose2D], robot_count: int) -> list[Job]:
    """Return three transports for every two robots of the factory."""
    count = math.ceil(len(_FACTORY) * robot_count / FACTORY_ROBOTS)
    return [_transport(number, stations, *names) for number, names in enumerate(_FACTORY[:count], 1)]


def cell_jobs(stations: Mapping[str, Pose2D], homes: Sequence[Pose2D]) -> list[Job]:
    """Return one transport for each home, between stations that are near the home but apart from each other."""
    chance = random.Random(2000)
    jobs: list[Job] = []
    for number, home in enumerate(homes, 1):
        near = [name for name, place in stations.items() if place.distance_to(home) < _NEAR_M]
        start = chance.choice(near)
        end = chance.choice([name for name in near if stations[name].distance_to(stations[start]) > _APART_M])
        jobs.append(_transport(number, stations, start, end))
    return jobs


def _transport(number: int, stations: Mapping[str, Pose2D], start: str, end: str) -> Job:
    places = tuple(Place(stations[name], name) for name in (start, end))
    return Job(f"demo-{number:02}", Work(TaskKind.TRANSPORT, places))
