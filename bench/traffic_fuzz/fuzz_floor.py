"""The floor of a fuzz run: robots in rows, a few walls, and settings that vary with the seed."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.random import Generator

from experiments.checks.places import place_advice
from experiments.lab.lab import Lab
from experiments.scenarios.file.experiment import StartSpread
from experiments.scenarios.file.variation import varied
from fleet.geometry import Pose2D
from fleet.hosts.claims import DriverId
from fleet.settings.config import FleetConfig, load_config
from fleet.traffic.neighbourhood import Neighbourhood
from simulator.world.config import WorldConfig, load_world

ROW_M = 0.5  # between the robots' homes
_SPREAD = StartSpread(position_m=0.005, heading_rad=0.03, wheel_gain=0.015)
_BLOCKED_S = 15.0
_TRIES = 1000
_WALLS = 2
_DETECTS = 0.25  # share of runs in which robots detect obstacles


class FuzzFloor:
    """A floor with its robots, and checks for free places.

    Parameters
    ----------
    robots : number of robots
    seed : seed of the world's noise
    random : chooses settings and walls

    Attributes
    ----------
    lab : the fleet and its world
    side_m : side of the square floor
    homes : homes by robot id; a robot at its home cuts nobody off
    neighbourhood : the robots of other drivers
    """

    def __init__(self, robots: int, seed: int, random: Generator) -> None:
        columns = math.ceil(math.sqrt(robots)) + 1
        self.side_m = ROW_M * columns
        places = [
            Pose2D(ROW_M * (0.5 + index % columns), ROW_M * (0.5 + index // columns), random.uniform(-3.0, 3.0))
            for index in sorted(random.permutation(columns * columns)[:robots].tolist())
        ]
        self.homes = dict(enumerate(places, 1))
        self._random = random
        settings = _settings(list(self.homes), random)
        walls: list[dict[str, float]] = []
        fleet = self._fleet(walls, settings)
        while not walls or any(place_advice(fleet)):
            walls = [_wall(columns, random) for _ in range(_WALLS)]
            fleet = self._fleet(walls, settings)
        self._obstacles = fleet.floor.obstacles
        self.lab = Lab(fleet, varied(self._world(walls), _SPREAD, seed, 1))
        neighbourhood = self.lab.service.join(DriverId("bench", "/multi_thymio_driver", "fuzz"))
        if neighbourhood is None:
            raise ValueError("without traffic there are no neighbours")
        self.neighbourhood: Neighbourhood = neighbourhood

    def place(self, from_walls_m: float, from_robots_m: float, without: int | None = None) -> Pose2D | None:
        """Return a random pose away from walls, edges and all robots except `without`; None if none is found."""
        others = [self.lab.truth(robot_id) for robot_id in self.lab.robot_ids if robot_id != without]
        for _ in range(_TRIES):
            x_m, y_m = self._random.uniform(from_walls_m, self.side_m - from_walls_m, 2).tolist()
            pose = Pose2D(x_m, y_m, self._random.uniform(-math.pi, math.pi))
            if self.has_room(pose, from_walls_m) and all(pose.distance_to(one) >= from_robots_m for one in others):
                return pose
        return None

    def has_room(self, place: Pose2D, margin_m: float) -> bool:
        """Whether a place keeps a margin from walls and edges."""
        edge_m = min(place.x_m, place.y_m, self.side_m - place.x_m, self.side_m - place.y_m)
        return min(edge_m, self._obstacles.clearance_m(place.x_m, place.y_m)) >= margin_m

    def _fleet(self, walls: list[dict[str, float]], settings: "_Settings") -> FleetConfig:
        robots = [
            {
                "id": number,
                "node_id": number,
                "pose_topic": f"/pose_{number}",
                "home": _pose(home),
                "priority": settings.priorities[number],
            }
            for number, home in self.homes.items()
        ]
        arena = {"x_min_m": 0, "y_min_m": 0, "x_max_m": self.side_m, "y_max_m": self.side_m}
        values = {"arena": arena, "floor": {"walls": walls}, "traffic": settings.traffic, "robots": robots}
        return load_config(Path("fleet.yaml"), text=json.dumps(values))

    def _world(self, walls: list[dict[str, float]]) -> WorldConfig:
        robots = [{"node_id": number, **_pose(home)} for number, home in self.homes.items()]
        arena = {"width_m": self.side_m, "height_m": self.side_m}
        return load_world(Path("world.yaml"), text=json.dumps({"arena": arena, "walls": walls, "robots": robots}))


@dataclass(frozen=True, slots=True)
class _Settings:
    """The settings in fleet.yaml that vary."""

    priorities: dict[int, int]
    traffic: dict[str, Any]


def _settings(robot_ids: Sequence[int], random: Generator) -> _Settings:
    traffic = {
        "blocked_s": _BLOCKED_S,
        "idle": str(random.choice(["stay", "give_way"])),
        "detects_obstacles": bool(random.random() < _DETECTS),
    }
    return _Settings({robot_id: int(random.integers(10)) for robot_id in robot_ids}, traffic)


def _wall(columns: int, random: Generator) -> dict[str, float]:
    """Return a wall between two rows or columns of homes, with room at both ends."""
    between_m = ROW_M * int(random.integers(1, columns))
    first_m = ROW_M * (0.5 + int(random.integers(columns - 1)))
    last_m = first_m + ROW_M
    if random.random() < 0.5:
        return {"x1_m": first_m, "y1_m": between_m, "x2_m": last_m, "y2_m": between_m}
    return {"x1_m": between_m, "y1_m": first_m, "x2_m": between_m, "y2_m": last_m}


def _pose(pose: Pose2D) -> dict[str, float]:
    return {"x_m": pose.x_m, "y_m": pose.y_m, "heading_rad": pose.heading_rad}
