"""Creates robots' tasks, with the duration of each alone on the floor."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Protocol

from numpy.random import Generator

from bench.traffic.floor_plan import FloorPlan
from bench.traffic.scenario import Avoidance, Demand, Scenario
from bench.traffic.traffic_lab import traffic_lab
from fleet.geometry import Pose2D
from fleet.settings.config import FleetConfig
from fleet.tasks.legs import STANDING
from fleet.tasks.task import TaskRequest, follow_path, go_to
from thymio_base.parts import finished

_FROM_EDGE_M = 0.2
_APART_M = 0.3  # between random goals, and from stationary robots
_TRIES = 2000
_LAPS = 2


class OccupiedFloor(Protocol):
    """Robots on a floor: a `Lab`, or `SharedHosts`."""

    @property
    def config(self) -> FleetConfig:
        """The limits of all robots."""

    @property
    def robot_ids(self) -> Sequence[int]:
        """All robots."""

    def truth(self, robot_id: int) -> Pose2D:
        """Return a robot's true pose."""


@dataclass(frozen=True, slots=True)
class TimedTask:
    """A robot's task, and its duration without other robots on the floor."""

    robot_id: int
    request: TaskRequest
    alone_s: float


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task that has not ended, and its start."""

    timed_task: TimedTask
    started_s: float


class Workload:
    """Creates the tasks of one run.

    Parameters
    ----------
    floor : the floor with the robots
    scenario, plan : describe the tasks
    random : chooses goals
    alone_s : durations of the floor plan's tasks alone, if it has walls
    """

    def __init__(
        self, floor: OccupiedFloor, scenario: Scenario, plan: FloorPlan, random: Generator, alone_s: Mapping[int, float]
    ) -> None:
        self._floor = floor
        self._scenario = scenario
        self._plan = plan
        self._random = random
        self._alone_s = alone_s
        self._goals: dict[int, Pose2D] = {}
        self._numbers = count(1)

    def first(self, robot_id: int) -> TimedTask | None:
        """Return a robot's first task, None without a task."""
        match self._scenario.work:
            case Demand.SWAP:
                return self._timed_task(robot_id, go_to(self._task_id(robot_id), self._plan.goals[robot_id - 1]))
            case Demand.PATHS:
                lap, limits = self._plan.laps[robot_id - 1], self._floor.config.following
                return self._timed_task(robot_id, follow_path(self._task_id(robot_id), lap, limits, laps=_LAPS))
            case Demand.RANDOM:
                return self.following(robot_id)
        return None

    def following(self, robot_id: int) -> TimedTask | None:
        """Return a robot's next task, None if there is none."""
        if self._scenario.work is not Demand.RANDOM:
            return None
        self._goals[robot_id] = self._free_goal(robot_id)
        return self._timed_task(robot_id, go_to(self._task_id(robot_id), self._goals[robot_id]))

    def forget(self, robot_id: int) -> None:
        """Note that a robot no longer drives to its goal."""
        self._goals.pop(robot_id, None)

    def _task_id(self, robot_id: int) -> str:
        return f"{next(self._numbers)} of robot {robot_id}"

    def _timed_task(self, robot_id: int, request: TaskRequest) -> TimedTask:
        leg, config = request.legs[0], self._floor.config
        assert not isinstance(leg, STANDING)
        alone_s = self._alone_s.get(robot_id)
        if alone_s is None:
            plan = finished(leg.planning(self._floor.truth(robot_id), math.inf, config.motion))
            alone_s = plan.duration_s + config.tasks.settle_s
        return TimedTask(robot_id, request, alone_s)

    def _free_goal(self, robot_id: int) -> Pose2D:
        """Return a random place away from other robots' goals, and from robots without a goal."""
        taken = [
            self._goals.get(other_id) or self._floor.truth(other_id)
            for other_id in self._floor.robot_ids
            if other_id != robot_id
        ]
        for _ in range(_TRIES):
            goal = self._random_place()
            if all(goal.distance_to(place) > _APART_M for place in taken):
                return goal
        raise RuntimeError("there is no room for another goal")

    def _random_place(self) -> Pose2D:
        x_m = self._random.uniform(_FROM_EDGE_M, self._plan.width_m - _FROM_EDGE_M)
        y_m = self._random.uniform(_FROM_EDGE_M, self._plan.height_m - _FROM_EDGE_M)
        return Pose2D(x_m, y_m, self._random.uniform(-3.0, 3.0))


def driven_alone_s(scenario: Scenario, plan: FloorPlan, seed: int) -> dict[int, float]:
    """Return each robot's travel time to its goal on a floor with walls, when the fleet drives it alone."""
    if not plan.walls:
        return {}
    return {
        robot_id: _drive_alone_s(scenario, replace(plan, starts=(start,), goals=(goal,)), seed)
        for robot_id, (start, goal) in enumerate(zip(plan.starts, plan.goals, strict=True), 1)
    }


def _drive_alone_s(scenario: Scenario, plan: FloorPlan, seed: int) -> float:
    lab = traffic_lab(scenario, Avoidance.TRAFFIC, plan, seed)
    lab.start()
    started_ns = lab.now_ns
    rejection = lab.service.assign(1, go_to("alone", plan.goals[0]), started_ns)
    assert rejection is None, rejection
    outcome = lab.run_until_ended("alone")
    assert outcome.reason is None, outcome
    return (lab.now_ns - started_ns) * 1e-9
