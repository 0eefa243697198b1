import math
from itertools import combinations

import numpy as np
import pytest

from fleet.floor.obstacles import Obstacles
from fleet.geometry import Pose2D
from fleet.paths.shapes import circle
from fleet.routing.journey import Journey
from fleet.routing.roadmap import Roadmap
from fleet.settings.config import ArenaConfig
from fleet.timetable.motion import standing
from fleet.timetable.step_budget import StepBudget
from fleet.timetable.timetable import Timetable
from fleet.timetable.way import Way, is_clear
from fleet.traffic.planning import Planning
from fleet.traffic.priorities import Priorities
from harness.timed_ways import APART_M, LIMITS, eastward, journey, least_distance_m, northward, straight_way

PERIOD_S = 0.05
PERIODS_OF_LEAD = 2
ROADMAP = Roadmap(ArenaConfig(0.1, 0.1, 2.9, 1.9), Obstacles(), 0.085, 0.1)
SWAPPING = {1: (eastward(0.5, 1.0), eastward(2.5, 1.0)), 2: (eastward(2.5, 1.0), eastward(0.5, 1.0))}


class Floor:
    """Robots that stand until they get a way."""

    def __init__(self, steps: int, roadmap: Roadmap = ROADMAP) -> None:
        self.timetable = Timetable()
        self.budget = StepBudget(steps)
        self.priorities = Priorities()
        self.planning = Planning(roadmap, self.timetable, APART_M, self.priorities, self.budget)
        self.now_s = 100.0
        self.least_left = steps
        self.poses: dict[int, Pose2D] = {}
        self.on_way: list[int] = []

    def ask(self, journeys: dict[int, tuple[Pose2D, Pose2D]]) -> None:
        for robot_id, (start, _) in journeys.items():
            self.poses[robot_id] = start
            self.timetable.enter(robot_id, [standing(start, 0.0, math.inf)])
        for robot_id, (start, goal) in journeys.items():
            self.planning.ask(robot_id, journey(start, goal, backward=True))

    def tick(self) -> dict[int, Way]:
        self.now_s += PERIOD_S
        self.budget.refill()
        ways = self.planning.advance(self.now_s, self.poses, self.on_way)
        self.least_left = min(self.least_left, self.budget.left)
        return ways

    def enter(self, ways: dict[int, Way]) -> None:
        """Let robots drive their ways."""
        for robot_id, way in ways.items():
            self.timetable.enter(robot_id, [standing(way.trajectory.path.start, 0.0, way.start_s), *way.motions])

    def is_concluded_within(self, ticks: int) -> bool:
        """Whether a robot gets its way, or is blocked, within some ticks."""
        return any(self.tick() or self.planning.blocked_since_s for _ in range(ticks))

    def ways(self) -> dict[int, Way]:
        """Return the ways once they are ready."""
        for _ in range(4000):
            found = self.tick()
            if found:
                return found
        raise TimeoutError("no way was found")


@pytest.mark.parametrize("steps", [20, 100_000])
def test_ways_start_when_they_are_found(steps: int) -> None:
    floor = Floor(steps)
    floor.ask(SWAPPING)
    ways = floor.ways()
    assert [way.start_s for way in ways.values()] == [floor.now_s] * 2
    assert least_distance_m(ways[1], ways[2]) > APART_M - 0.004


def test_ways_do_not_depend_on_how_many_ticks_they_take() -> None:
    found = []
    for steps in (20, 100_000):
        floor = Floor(steps)
        floor.ask(SWAPPING)
        found.append([way.trajectory.duration_s for way in floor.ways().values()])
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_a_tick_does_hardly_more_steps_than_it_may() -> None:
    floor = Floor(50)
    floor.ask(SWAPPING)
    floor.ways()
    assert floor.least_left > -50


def test_way_that_would_meet_a_robot_at_once_starts_as_planned() -> None:
    floor = Floor(100_000)
    other = straight_way(northward(1.5, 0.3), northward(1.5, 1.7), floor.now_s + PERIOD_S - 1.0)
    floor.timetable.enter(9, other.motions)
    floor.ask({1: (eastward(1.2, 1.0), eastward(2.5, 1.0))})
    way = floor.ways()[1]
    assert way.start_s > floor.now_s
    assert least_distance_m(Way(way.trajectory, way.start_s - 100.0), other.later(-100.0)) > APART_M - 0.004


@pytest.mark.parametrize("seed", range(10))
def test_way_along_a_path_among_others_is_ready_at_once(seed: int) -> None:
    random = np.random.default_rng(seed)
    floor = Floor(100_000)
    floor.now_s += random.uniform()
    for number in range(6):
        x_m, start_s = random.uniform(0.3, 2.7), random.uniform(98.0, 110.0)
        floor.timetable.enter(10 + number, straight_way(northward(x_m, -0.5), northward(x_m, 2.9), start_s).motions)
    path = circle(1.2).moved(eastward(1.5, 0.8))
    floor.poses[1] = path.start
    floor.planning.ask(1, Journey(path.start, path.end, LIMITS, False, path))
    assert floor.is_concluded_within(PERIODS_OF_LEAD)


def test_late_way_does_not_lead_through_a_robot_whose_own_way_is_taken() -> None:
    floor = Floor(5)
    first, goal = eastward(1.5, 1.0), eastward(2.6, 1.0)
    floor.ask({2: (first, goal), 1: (eastward(1.2, 1.0), eastward(2.2, 1.0))})
    assert not floor.tick()
    floor.timetable.enter(9, [standing(goal, 0.0, math.inf)])  # it has come there since
    floor.now_s += 10.0
    way = floor.ways()[1]
    assert is_clear(way, 0.0, [standing(first, 0.0, math.inf)], APART_M - 0.002, StepBudget(0))


def on_the_way_of_another(first_x_m: float) -> Floor:
    """Return a floor on which robot 1 asks for a short way to a place that robot 9 will pass, and others do not."""
    floor = Floor(100_000)
    passing = straight_way(eastward(first_x_m, 1.0), eastward(2.7, 1.0), floor.now_s)
    floor.timetable.enter(9, passing.motions)
    floor.on_way = [9]
    floor.ask({1: (northward(2.0, 0.5), northward(2.0, 1.0))})
    return floor


def test_robot_does_not_wait_long_for_one_that_can_drive_around_it() -> None:
    floor = on_the_way_of_another(0.3)
    way = floor.ways()[1]
    assert floor.planning.displaced(1) == [9]
    assert way.trajectory.duration_s < 5.0


def test_robot_waits_where_that_is_not_much_longer() -> None:
    floor = on_the_way_of_another(1.4)
    way = floor.ways()[1]
    assert floor.planning.displaced(1) == []
    assert way.trajectory.duration_s > 5.0


@pytest.mark.parametrize("reason", ["higher priority", "taken from us", "patience"])
def test_robot_waits_long_for_one_that_need_not_yield(reason: str) -> None:
    floor = on_the_way_of_another(0.3)
    if reason == "higher priority":
        floor.priorities.set(9, 6)
    elif reason == "taken from us":
        floor.priorities.note_taken(9, 1)
    else:
        for other_id in (2, 3):
            floor.priorities.note_taken(other_id, 9)
    way = floor.ways()[1]
    assert floor.planning.displaced(1) == []
    assert way.trajectory.duration_s > 10.0


def with_a_blocked_robot() -> Floor:
    """Return a floor on which robot 1 has just found that robot 9 stands at its goal."""
    floor = Floor(100_000)
    floor.timetable.enter(9, [standing(eastward(1.5, 0.5), 0.0, math.inf)])
    floor.ask({1: (eastward(0.5, 0.5), eastward(1.5, 0.5))})
    assert floor.is_concluded_within(PERIODS_OF_LEAD)
    assert list(floor.planning.blocked_since_s) == [1]
    return floor


def test_request_does_not_wait_for_the_replanning_of_blocked_robots() -> None:
    floor = with_a_blocked_robot()
    floor.ask({2: (eastward(0.5, 1.5), eastward(2.5, 1.5))})
    assert list(floor.tick()) == [2]


def test_robot_with_the_goal_of_a_blocked_robot_arrives_second() -> None:
    floor = with_a_blocked_robot()
    floor.timetable.remove(9)
    floor.ask({2: (eastward(2.5, 0.5), eastward(1.5, 0.5))})
    assert list(floor.ways()) == [1]


def test_robot_that_finds_no_way_past_a_blocked_one_is_planned_with_it_at_once() -> None:
    floor = with_a_blocked_robot()
    floor.timetable.enter(9, straight_way(eastward(1.5, 0.5), eastward(2.7, 0.5), floor.now_s).motions)
    floor.ask({2: (eastward(0.5, 1.5), eastward(0.6, 0.5))})  # robot 1 stands there
    assert [sorted(floor.tick()) for _ in range(3)] == [[], [1, 2], []]


def standing_way(pose: Pose2D) -> Way:
    """Return the way of a robot that hardly moves."""
    return straight_way(pose, Pose2D(pose.x_m, pose.y_m, pose.heading_rad + 0.01))


def test_way_is_not_planned_through_a_robot_that_has_given_up_meanwhile() -> None:
    floor = Floor(1)
    floor.priorities.set(1, 9)
    floor.ask({2: (eastward(1.5, 1.0), eastward(1.5, 1.7)), 1: (eastward(0.3, 1.0), eastward(2.7, 1.0))})
    assert floor.tick() == {}  # the other one yields, as it is expected to leave
    floor.planning.give_up(2)
    way = floor.ways()[1]
    assert least_distance_m(way, standing_way(eastward(1.5, 1.0)), until_s=floor.now_s + 60.0) > APART_M - 0.004


def crowd(robots: int, steps: int) -> Floor:
    """Return a floor on which robots in three rows each want to go where the next one stands."""
    floor = Floor(steps, Roadmap(ArenaConfig(0.1, 0.1, 0.25 * robots, 1.9), Obstacles(), 0.085, 0.1))
    places = [eastward(0.4 + 0.6 * (number // 3), 0.4 + 0.6 * (number % 3)) for number in range(robots)]
    floor.ask({number: (place, places[(number + 1) % robots]) for number, place in enumerate(places)})
    return floor


def test_many_robots_get_their_ways_in_several_sessions() -> None:
    floor, ways, sizes = crowd(24, 2_000), dict[int, Way](), list[int]()
    for _ in range(400):
        found = floor.tick()
        floor.enter(found)
        ways.update(found)
        sizes += [len(found)] if found else []
    assert sum(sizes) == len(ways) == 24
    assert max(sizes) <= 8
    for (robot_id, one), (other_id, other) in combinations(ways.items(), 2):
        motions = floor.timetable.by_robot()[other_id]
        assert is_clear(one, 0.0, motions, APART_M - 0.002, StepBudget(0)), (robot_id, other_id, other)


def test_ways_that_meet_a_newly_entered_robot_are_planned_again() -> None:
    floor = crowd(12, 50)
    while not floor.planning.found:
        floor.tick()
    end = floor.planning.found[0].trajectory.path.end
    floor.timetable.enter(99, [standing(end, 0.0, math.inf)])
    ways = floor.ways()
    assert 0 < len(ways) < 12
    assert all(other.trajectory.path.end.distance_to(end) > APART_M for other in ways.values())
