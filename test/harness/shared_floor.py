"""A lab whose robots stand at given poses on one floor, and what keeps them apart."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from types import MappingProxyType

from experiments.lab.lab import Lab
from fleet.geometry import Pose2D
from fleet.robots.robot_status import TaskOutcome
from fleet.tasks.task import go_to
from harness.fleets import read
from simulator.world.config import load_world

Wall = tuple[float, float, float, float]


class SharedFloor:
    """A square floor with robots 1, 2, ...

    Parameters
    ----------
    folder : for the configuration files
    starts : where the robots stand
    side_m : of the floor
    walls : in the world, and known to the fleet
    settings : further lines of fleet.yaml
    arena_m : side of the fleet's arena, if it is smaller than the floor
    priorities : of robots, 5 without
    unknown : objects of the world that the fleet does not know of
    sensors : the simulated response of proximity sensors

    Attributes
    ----------
    lab : the fleet and its world
    least_m : the least distance between two axles so far
    """

    def __init__(
        self,
        folder: Path,
        starts: Sequence[Pose2D],
        side_m: float,
        walls: Sequence[Wall] = (),
        settings: str = "",
        priorities: Mapping[int, int] = MappingProxyType({}),
        arena_m: float | None = None,
        unknown: Sequence[str] = (),
        sensors: str = "enki",
    ) -> None:
        known_m = side_m if arena_m is None else arena_m
        arena = f"arena: {{x_min_m: 0, y_min_m: 0, x_max_m: {known_m}, y_max_m: {known_m}}}"
        known = f"floor: {{walls: [{_walls(walls)}]}}"
        robots = "\n".join(
            f"- {{id: {number}, node_id: {number}, pose_topic: /robot_{number}, home: {_pose(start)},"
            f" priority: {priorities.get(number, 5)}}}"
            for number, start in enumerate(starts, 1)
        )
        config = read(folder, f"{arena}\n{known}\n{settings}\nrobots:\n{robots}\n")
        places = "\n".join(
            f"- {{node_id: {number}, {_pose(start).strip('{}')}}}" for number, start in enumerate(starts, 1)
        )
        world = folder / "world.yaml"
        floor = f"arena: {{width_m: {side_m}, height_m: {side_m}}}\nwalls: [{_walls(walls)}]"
        objects = f"objects: [{', '.join(unknown)}]\nproximity: {{response: {sensors}}}"
        world.write_text(f"{floor}\n{objects}\nrobots:\n{places}\n", encoding="utf-8")
        self.lab = Lab(config, load_world(world))
        self.lab.start()
        self.least_m = self._distance_m()

    def send(self, goals: dict[int, Pose2D]) -> None:
        """Send robots to goals; the tasks' ids are "to 1" and so on."""
        for robot_id, goal in goals.items():
            assert self.lab.service.assign(robot_id, go_to(f"to {robot_id}", goal), self.lab.now_ns) is None

    def run(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(20 * seconds)):
            self.lab.run(0.05)
            self.least_m = min(self.least_m, self._distance_m())

    def run_until_ended(self, count: int, timeout_s: float = 120.0) -> list[TaskOutcome]:
        """Let time pass until that many tasks have ended; return how they ended."""
        start_ns = self.lab.now_ns
        while len(self.lab.outcomes) < count:
            assert (self.lab.now_ns - start_ns) * 1e-9 < timeout_s, self.words
            self.run(0.05)
        return list(self.lab.outcomes)

    @property
    def words(self) -> str:
        """What all robots do."""
        statuses = [self.lab.status(robot_id) for robot_id in self.lab.robot_ids]
        return "\n".join(f"{status.robot_id} {status.state} {status.traffic}" for status in statuses)

    def _distance_m(self) -> float:
        places = [self.lab.truth(robot_id) for robot_id in self.lab.robot_ids]
        return min((one.distance_to(other) for one, other in combinations(places, 2)), default=float("inf"))


def _pose(pose: Pose2D) -> str:
    return f"{{x_m: {pose.x_m:.5f}, y_m: {pose.y_m:.5f}, heading_rad: {pose.heading_rad:.5f}}}"


def _walls(walls: Sequence[Wall]) -> str:
    return ", ".join(f"{{x1_m: {x1}, y1_m: {y1}, x2_m: {x2}, y2_m: {y2}}}" for x1, y1, x2, y2 in walls)
