import math
from itertools import combinations

from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import Pose2D
from fleet.routing.planning_session import PlanningSession
from fleet.routing.roadmap import Roadmap
from fleet.settings.config import ArenaConfig
from fleet.timetable.motion import standing
from fleet.timetable.timetable import Others, Timetable
from harness.timed_ways import APART_M, eastward, journey, least_distance_m, northward, straight_way

ROADMAP = Roadmap(ArenaConfig(0.1, 0.1, 1.9, 1.9), Obstacles(), 0.085, 0.1)


def planned(
    journeys: dict[int, tuple[Pose2D, Pose2D]], timetable: Timetable, roadmap: Roadmap = ROADMAP
) -> PlanningSession:
    asked = {robot_id: journey(start, goal, backward=True) for robot_id, (start, goal) in journeys.items()}
    session = PlanningSession(roadmap, Others(timetable, asked, {}, {}), asked, 1.0, apart_m=APART_M)
    for _ in range(1000):
        session.expand(100)
    assert session.is_over
    return session


def test_robots_that_swap_places_get_ways_that_keep_apart() -> None:
    places = [Pose2D(1.0 + 0.7 * math.cos(angle), 1.0 + 0.7 * math.sin(angle), angle) for angle in (0.0, 1.6, 3.2, 4.8)]
    session = planned({number: (places[number], places[(number + 2) % 4]) for number in range(4)}, Timetable())
    assert session.blocked == []
    assert min(least_distance_m(one, other) for one, other in combinations(session.ways.values(), 2)) > 0.195


def test_session_in_haste_finds_a_way_around_others_in_fewer_steps() -> None:
    timetable = Timetable()
    for number in range(12):  # a crescent of standing robots, open towards the start
        angle = -0.5 * math.pi + math.pi * number / 11
        place = eastward(1.0 + 0.6 * math.cos(angle), 1.0 + 0.6 * math.sin(angle))
        timetable.enter(10 + number, [standing(place, -1.0, math.inf)])
    asked = {1: journey(eastward(0.9, 1.0), eastward(1.85, 1.0), backward=True)}
    steps: list[int] = []
    for in_haste in (False, True):
        session = PlanningSession(
            ROADMAP, Others(timetable, asked, {}, {}), asked, 1.0, apart_m=APART_M, in_haste=in_haste
        )
        steps.append(0)
        while not session.is_over:
            steps[-1] += session.expand(1)
        poses = [session.ways[1].trajectory.sample(0.1 * tick).pose for tick in range(600)]
        assert min(pose.distance_to(eastward(1.6, 1.0)) for pose in poses) > APART_M - 0.004
    assert steps[1] < steps[0]


def test_robots_too_near_to_each_other_leave_one_by_one() -> None:
    near = northward(1.0, 1.0), eastward(1.07, 1.15)  # where pushes, or wheels that slip, have left them
    session = planned({12: (near[1], northward(1.43, 1.14)), 1: (near[0], eastward(1.01, 1.147))}, Timetable())
    assert session.blocked == []
    assert least_distance_m(session.ways[1], session.ways[12]) > near[0].distance_to(near[1]) - 0.005


def test_robot_too_near_to_another_on_its_way_waits_until_it_has_left() -> None:
    timetable = Timetable()
    leaving = straight_way(eastward(1.07, 1.15), eastward(1.7, 1.15), 1.0)
    timetable.enter(9, leaving.motions)
    start = northward(1.0, 1.0)
    session = planned({1: (start, eastward(1.01, 1.147))}, timetable)
    assert session.blocked == []
    assert least_distance_m(session.ways[1], leaving) > start.distance_to(leaving.trajectory.path.start) - 0.005


def test_robot_whose_goal_is_taken_for_good_is_blocked() -> None:
    timetable = Timetable()
    timetable.enter(9, [standing(eastward(1.5, 1.0), -1.0, math.inf)])
    session = planned(
        {1: (eastward(0.3, 1.0), eastward(1.5, 1.0)), 2: (eastward(0.3, 0.3), eastward(1.5, 0.3))}, timetable
    )
    assert (list(session.blocked), list(session.ways)) == ([1], [2])


def test_first_request_arrives_first_at_a_shared_goal() -> None:
    goal = eastward(1.0, 1.0)
    session = planned({1: (eastward(0.2, 0.2), goal), 2: (eastward(0.7, 1.0), goal)}, Timetable())
    assert (list(session.blocked), list(session.ways)) == ([2], [1])


def test_first_request_arrives_second_if_the_other_robot_occupies_its_place() -> None:
    goal = eastward(1.0, 1.0)
    session = planned({1: (eastward(0.2, 0.2), goal), 2: (eastward(0.94, 1.0), goal)}, Timetable())
    assert (list(session.blocked), list(session.ways)) == ([1], [2])


def test_robot_in_a_dead_end_leaves_before_another_robot_enters_it() -> None:
    walls = [Segment(0.0, 0.88, 0.9, 0.88), Segment(0.0, 1.12, 0.9, 1.12)]
    roadmap = Roadmap(ArenaConfig(0.1, 0.1, 1.9, 1.9), Obstacles(walls), 0.085, 0.1)
    session = planned(
        {1: (eastward(1.5, 1.0), eastward(0.3, 1.0)), 2: (eastward(0.3, 1.0), eastward(1.5, 1.6))}, Timetable(), roadmap
    )
    assert session.blocked == []
    assert least_distance_m(session.ways[1], session.ways[2]) > 0.195
