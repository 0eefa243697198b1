"""Measures what traffic costs in each tick: python -m bench.traffic_cost [--robots N] [--minutes M] [--seed S].

Robots that drive exactly on time share an open floor with 0.45 m^2 for each. All ask for a way at the same time; later,
each asks for the next way on arrival. Only traffic and right of way are run, in counted time: a
seed always gives the same ways, only CPU times vary. Prints one row as JSON:

at_once_ms_...       CPU time of traffic in one tick, until all robots that asked at the same time have a way
at_once_s            until the last of them starts on its way
later_ms_...         CPU time of traffic in one tick, later
way_s_...            from a robot's request until it starts on its way, later; planned_way_s_... without direct ways
right_of_way_ms_...  CPU time of right of way in one tick, all the time
asked, planned       ways requested later, and those of them that were not direct
blocked              robots that had had no way for 10 s at the end
"""

import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.random import Generator

from bench.instruments.printed_rows import options_of, print_rows
from experiments.lab.lab import uncollected
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.robots.floor_planner import FloorPlanner
from fleet.routing.fleet_roadmap import roadmap_of
from fleet.settings.config import FleetConfig, load_config
from fleet.tasks.legs import DriveLeg
from fleet.traffic.right_of_way import RightOfWay
from fleet.traffic.sweep import Stopping
from fleet.traffic.traffic import Traffic
from fleet.trajectories.trajectory import Reference

_AREA_M2 = 0.45  # for each robot, as 20 robots on 3 m by 3 m
_FROM_EDGE_M = 0.2
_APART_M = 0.3  # between goals, and from stationary robots
_TRIES = 2000
_LONG_S = 10.0
_AT_ONCE_S = 120.0  # after this time, robots that asked at the same time are given up


@dataclass(frozen=True, slots=True)
class CostRow:
    """The cost of traffic; see the module."""

    robots: int
    seed: int
    at_once_ms_p50: float
    at_once_ms_p99: float
    at_once_ms_max: float
    at_once_s: float
    later_ms_p50: float
    later_ms_p99: float
    later_ms_max: float
    way_s_p50: float
    way_s_p95: float
    planned_way_s_p50: float
    planned_way_s_p95: float
    right_of_way_ms_p50: float
    right_of_way_ms_p99: float
    asked: int
    planned: int
    blocked: int


class _Driver:
    """A robot that drives exactly on time."""

    def __init__(self, robot_id: int, pose: Pose2D, traffic: Traffic, config: FleetConfig) -> None:
        self.robot_id = robot_id
        self.goal = pose
        self.motion = Reference(pose, STILL)
        self.asked_s = math.inf
        self.is_asking = False
        self._planner = FloorPlanner(traffic, robot_id, config.motion)
        self._traffic = traffic

    def drive(self, now_s: float) -> None:
        """Drive on; with a way, to the place given by its clock."""
        clock = self._traffic.clock(self.robot_id)
        if clock is None:
            self.motion = Reference(self.motion.pose, STILL)
            return
        self.motion = clock.way.trajectory.sample(clock.time_s(now_s))
        if clock.time_s(now_s) >= clock.way.trajectory.duration_s:
            self._planner.give_up()
            self.goal = self.motion.pose

    def go_to(self, goal: Pose2D) -> None:
        """Ask for ways to a goal from now on."""
        self.goal, self.asked_s, self.is_asking = goal, math.inf, True

    def ask(self, now_s: float) -> float | None:
        """Ask for a way, or for another way; return its start after the first request [s], None without a way."""
        if self._traffic.is_obsolete(self.robot_id):
            self._planner.give_up()
            self.go_to(self.goal)
        if not self.is_asking:
            return None
        self.asked_s = min(self.asked_s, now_s)
        planned = self._planner.plan(DriveLeg(self.goal), self.motion.pose, math.inf, round(now_s * 1e9))
        if planned is None:
            return None
        self.is_asking = False
        return round(planned.start_ns * 1e-9 - self.asked_s, 6)


class _Floor:
    """All robots on one floor."""

    def __init__(self, robots: int, seed: int) -> None:
        self._side_m = math.sqrt(_AREA_M2 * robots)
        self._random = np.random.default_rng(seed)
        self._config = _config(self._side_m, _grid(robots, self._side_m, self._random))
        self._period_s = 1.0 / self._config.rates.control_hz
        self._traffic = Traffic(roadmap_of(self._config), self._config.apart_m, self._config.traffic.budget_steps)
        self._rights = RightOfWay(
            self._config.floor.obstacles, self._config.traffic.right_of_way_m, self._config.traffic.wall_m
        )
        self.drivers = [_Driver(robot.id, robot.home, self._traffic, self._config) for robot in self._config.robots]
        self.now_s = 0.0
        self.traffic_ms: list[float] = []
        self.right_of_way_ms: list[float] = []
        self.direct_s: list[float] = []
        self.planned_s: list[float] = []

    @property
    def is_asking(self) -> bool:
        """Whether any robot asks for a way."""
        return any(driver.is_asking for driver in self.drivers)

    def new_goals(self) -> None:
        """Give a new goal to each robot without one."""
        for driver in self.drivers:
            if not driver.is_asking and self._traffic.clock(driver.robot_id) is None:
                driver.go_to(self._free_goal(driver))

    def tick(self) -> None:
        """Perform one tick."""
        self.now_s += self._period_s
        for driver in self.drivers:
            driver.drive(self.now_s)
        started_ns = time.thread_time_ns()
        self._plan()
        planned_ns = time.thread_time_ns()
        self._grant()
        self.traffic_ms.append((planned_ns - started_ns) * 1e-6)
        self.right_of_way_ms.append((time.thread_time_ns() - planned_ns) * 1e-6)

    def _plan(self) -> None:
        self._traffic.start_tick(self.now_s)
        for driver in self.drivers:
            self._traffic.note_pose(driver.robot_id, driver.motion.pose)
        self._traffic.advance(self._period_s)
        for driver in self.drivers:
            after_s = driver.ask(self.now_s)
            if after_s is not None:
                (self.direct_s if after_s == 0.0 else self.planned_s).append(after_s)

    def _grant(self) -> None:
        lag_s, latency_s = self._config.actuation.lag_s, self._config.actuation.latency_s
        stoppings = {}
        for driver in self.drivers:
            pose, twist = driver.motion.pose, driver.motion.twist
            ahead = pose.along_arc(latency_s * twist.linear_mps, latency_s * twist.angular_radps)
            stoppings[driver.robot_id] = Stopping(pose, ahead, twist, lag_s, self._period_s)
        self._rights.start(stoppings, {})
        wanted: dict[int, Twist2D] = {driver.robot_id: driver.motion.twist for driver in self.drivers}
        for robot_id in self._traffic.by_priority(wanted):
            self._rights.grant(robot_id, wanted[robot_id])

    def _free_goal(self, asking: _Driver) -> Pose2D:
        """Return a random place that is not another robot's goal."""
        for _ in range(_TRIES):
            x_m, y_m = self._random.uniform(_FROM_EDGE_M, self._side_m - _FROM_EDGE_M, 2).tolist()
            goal = Pose2D(x_m, y_m, self._random.uniform(-3.0, 3.0))
            if all(goal.distance_to(other.goal) > _APART_M for other in self.drivers if other is not asking):
                return goal
        raise RuntimeError("there is no room for another goal")


def main() -> int:
    """Measure and print a row."""
    parser = options_of(__doc__)
    parser.add_argument("--robots", type=int, default=20, metavar="N", help="default 20")
    parser.add_argument("--minutes", type=float, default=1.0, help="simulated, after all have got a way; default 1")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    options = parser.parse_args()
    with uncollected():
        row = cost_row(options.robots, options.seed, 60.0 * options.minutes)
    print_rows([row], as_json=options.json)
    return 0


def cost_row(robots: int, seed: int, duration_s: float) -> CostRow:
    """Measure robots that ask all at once, and then one after the other for some time."""
    floor = _Floor(robots, seed)
    floor.tick()
    floor.traffic_ms.clear()
    floor.new_goals()
    while floor.is_asking and floor.now_s < _AT_ONCE_S:
        floor.tick()
    at_once_ms, at_once_s = floor.traffic_ms.copy(), [*floor.direct_s, *floor.planned_s]
    for one in (floor.traffic_ms, floor.direct_s, floor.planned_s):
        one.clear()
    end_s = floor.now_s + duration_s
    while floor.now_s < end_s:
        floor.new_goals()
        floor.tick()
    later_s = [*floor.direct_s, *floor.planned_s]
    return CostRow(
        robots=robots,
        seed=seed,
        at_once_ms_p50=_quantile(at_once_ms, 0.5),
        at_once_ms_p99=_quantile(at_once_ms, 0.99),
        at_once_ms_max=_quantile(at_once_ms, 1.0),
        at_once_s=round(max(at_once_s, default=math.inf), 3),
        later_ms_p50=_quantile(floor.traffic_ms, 0.5),
        later_ms_p99=_quantile(floor.traffic_ms, 0.99),
        later_ms_max=_quantile(floor.traffic_ms, 1.0),
        way_s_p50=_quantile(later_s, 0.5),
        way_s_p95=_quantile(later_s, 0.95),
        planned_way_s_p50=_quantile(floor.planned_s, 0.5),
        planned_way_s_p95=_quantile(floor.planned_s, 0.95),
        right_of_way_ms_p50=_quantile(floor.right_of_way_ms, 0.5),
        right_of_way_ms_p99=_quantile(floor.right_of_way_ms, 0.99),
        asked=len(later_s),
        planned=len(floor.planned_s),
        blocked=sum(driver.is_asking and driver.asked_s < end_s - _LONG_S for driver in floor.drivers),
    )


def _quantile(values: Sequence[float], share: float) -> float:
    return round(float(np.quantile(values, share)), 3) if values else 0.0


def _grid(robots: int, side_m: float, random: Generator) -> list[Pose2D]:
    """Return places on a grid, in random order, with random headings."""
    columns = math.ceil(math.sqrt(robots))
    spacing_m = (side_m - 2.0 * _FROM_EDGE_M) / max(1, columns - 1)
    places: list[tuple[float, float]] = [
        (_FROM_EDGE_M + spacing_m * x, _FROM_EDGE_M + spacing_m * y) for x, y in product(range(columns), repeat=2)
    ]
    chosen = random.permutation(len(places))[:robots].tolist()
    return [Pose2D(*places[int(index)], random.uniform(-3.0, 3.0)) for index in chosen]


def _config(side_m: float, places: Sequence[Pose2D]) -> FleetConfig:
    robots = [
        {"id": number, "node_id": number, "home": {"x_m": place.x_m, "y_m": place.y_m}}
        for number, place in enumerate(places, 1)
    ]
    arena = {"x_min_m": 0, "y_min_m": 0, "x_max_m": side_m, "y_max_m": side_m}
    return load_config(Path("fleet.yaml"), text=json.dumps({"arena": arena, "robots": robots}))


if __name__ == "__main__":
    sys.exit(main())
