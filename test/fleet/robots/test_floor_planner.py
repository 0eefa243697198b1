"""Robots among others wait for the plans of long paths."""

import math
from pathlib import Path

import pytest

from fleet.floor.obstacles import Obstacles
from fleet.geometry import Pose2D
from fleet.paths.shapes import eight
from fleet.robots.floor_planner import FloorPlanner
from fleet.routing.roadmap import Roadmap
from fleet.settings.config import ArenaConfig, FleetConfig
from fleet.tasks.legs import FollowLeg
from fleet.traffic.traffic import Traffic
from harness.fleets import ONE_ROBOT, read
from harness.timed_ways import APART_M

HERE = Pose2D(1.0, 1.0, 0.0)
TICK_NS = 50_000_000
STEPS = 850
TICKS_MAX = 400


class Floor:
    """A floor with one robot that follows a path, tick by tick."""

    def __init__(self, config: FleetConfig) -> None:
        self.traffic = Traffic(Roadmap(ArenaConfig(0.1, 0.1, 3.9, 3.9), Obstacles(), 0.085, 0.1), APART_M, STEPS)
        self.planner = FloorPlanner(self.traffic, 1, config.motion)
        self.leg = FollowLeg(eight(0.8).moved(HERE).repeated(100), config.following, 100)
        self.least = 0
        self._tick = 0

    def tick(self, pose: Pose2D = HERE, *, plans: bool = True) -> bool:
        """Do a tick; return whether the robot has a way."""
        self._tick += 1
        self.traffic.start_tick(self._tick * TICK_NS * 1e-9)
        self.traffic.note_pose(1, pose)
        self.traffic.advance(TICK_NS * 1e-9)
        planned = self.planner.plan(self.leg, pose, math.inf, self._tick * TICK_NS) if plans else None
        self.least = min(self.least, self.traffic.budget.left)
        return planned is not None

    def drive(self, seconds: float) -> None:
        """Let the robot drive exactly on its way."""
        for _ in range(round(seconds * 1e9 / TICK_NS)):
            clock = self.traffic.clock(1)
            self.tick(HERE if clock is None else clock.place((self._tick + 1) * TICK_NS * 1e-9), plans=False)

    def ticks_until_planned(self) -> int:
        """Return in how many ticks the robot gets its way."""
        return next(tick for tick in range(1, TICKS_MAX) if self.tick())


@pytest.fixture
def floor(tmp_path: Path) -> Floor:
    return Floor(read(tmp_path, ONE_ROBOT))


def test_a_long_path_gets_its_way_after_several_ticks_of_bounded_work(floor: Floor) -> None:
    assert floor.ticks_until_planned() > 3
    assert floor.least > -STEPS // 4
    assert not floor.planner.is_planning
    assert floor.traffic.clock(1) is not None


def test_the_robot_is_stationary_while_planning(floor: Floor) -> None:
    assert not floor.tick()
    assert floor.planner.is_planning
    assert floor.traffic.clock(1) is None
    assert floor.traffic.whereabouts(1)[0].distance_to(HERE) < 1e-9


def test_the_time_alone_is_known_once_that_way_is_planned(floor: Floor) -> None:
    floor.tick()
    assert floor.planner.alone_s is None
    while floor.planner.alone_s is None:
        floor.tick()
    assert floor.planner.alone_s > 100.0 * eight(0.8).length_m / floor.leg.limits.speed_mps


def test_nothing_is_left_of_a_plan_that_is_given_up(floor: Floor) -> None:
    floor.tick()
    floor.planner.give_up()
    assert not floor.planner.is_planning
    for _ in range(50):
        floor.tick(plans=False)
    assert floor.traffic.clock(1) is None
    assert not floor.traffic.is_planning(1)
    assert floor.traffic.budget.left == STEPS


def test_a_robot_that_was_moved_meanwhile_gets_a_way_from_where_it_is(floor: Floor) -> None:
    there = Pose2D(1.3, 1.1, 0.0)
    for _ in range(2):
        floor.tick()
    for _ in range(TICKS_MAX):
        if floor.tick(there):
            break
    clock = floor.traffic.clock(1)
    assert clock is not None
    assert clock.way.trajectory.path.start.distance_to(there) < 1e-9


def test_a_long_way_grows_in_bounded_ticks_and_forgets_its_past(floor: Floor) -> None:
    floor.ticks_until_planned()
    clock = floor.traffic.clock(1)
    assert clock is not None
    known_s, floor.least = clock.way.known_s, 0
    floor.drive(50.0)
    assert clock.way.known_s > known_s + 25.0
    assert clock.way.motions[0].start_s > clock.way.start_s + 10.0
    assert floor.least > -STEPS // 4
