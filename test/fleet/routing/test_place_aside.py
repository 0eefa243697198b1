"""Places to which robots step aside: beside the route, near nobody, and cutting nobody off."""

import math

from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import Pose2D
from fleet.paths.shapes import square
from fleet.routing.journey import Journey
from fleet.routing.place_aside import AsideSearch
from fleet.routing.roadmap import Roadmap
from fleet.routing.static_route import static_route
from fleet.settings.config import ArenaConfig
from fleet.timetable.motion import Interval, UniformMotion, standing
from fleet.timetable.occupancy import Occupancy
from harness.timed_ways import APART_M, LIMITS

ROUTE = [Segment(0.2, 1.0, 1.8, 1.0)]
ROBOT = Pose2D(1.0, 1.0, 0.5)
DEAD_END = [Segment(1.2, 0.85, 2.0, 0.85), Segment(1.2, 1.15, 2.0, 1.15)]


def roadmap(*walls: Segment) -> Roadmap:
    """Return the roadmap of a square floor of 2 m with walls."""
    return Roadmap(ArenaConfig(0.1, 0.1, 1.9, 1.9), Obstacles(walls), 0.085, 0.1)


def empty() -> Occupancy:
    """Return a floor without other robots."""
    return Occupancy([], APART_M, 0.0)


def test_place_is_beside_the_route() -> None:
    place = AsideSearch(roadmap(), ROUTE, [], [], empty()).place_for(ROBOT)
    assert place is not None
    assert 0.22 <= abs(place.y_m - 1.0) < 0.32
    assert place.heading_rad == ROBOT.heading_rad


def test_place_is_near_no_other_robot() -> None:
    avoided = [Pose2D(1.0, 1.3, 0.0), Pose2D(1.0, 0.7, 0.0)]
    place = AsideSearch(roadmap(), ROUTE, [], avoided, empty()).place_for(ROBOT)
    assert place is not None
    assert min(place.distance_to(other) for other in avoided) >= APART_M


def test_place_is_not_on_the_way_of_a_robot_that_drives_there_later() -> None:
    later = UniformMotion(Interval(20.0, 40.0), 0.2, 1.3, 0.08, 0.0)
    place = AsideSearch(roadmap(), ROUTE, [], [], Occupancy([later], APART_M, 0.0)).place_for(ROBOT)
    assert place is not None
    assert place.y_m < 1.0


def test_place_does_not_close_the_way_to_another_robot() -> None:
    walls = [*DEAD_END, Segment(1.2, 0.85, 1.2, 0.4)]
    inside = Pose2D(1.8, 1.0, 0.0)
    route = [Segment(1.0, 0.2, 1.0, 1.8)]
    place = AsideSearch(roadmap(*walls), route, [], [inside], empty()).place_for(Pose2D(1.15, 1.0, 0.0))
    assert place is not None
    assert not (place.x_m > 1.1 and 0.85 < place.y_m < 1.15)


def test_place_does_not_lock_in_the_robot_that_passes() -> None:
    route = [Segment(1.4, 1.0, 1.8, 1.0)]
    place = AsideSearch(roadmap(*DEAD_END), route, [], [], empty()).place_for(Pose2D(1.8, 1.0, 0.0))
    assert place is not None
    assert place.distance_to(Pose2D(1.1, 1.0, 0.0)) > 0.15


def test_no_place_is_found_without_room() -> None:
    walls = [Segment(0.0, 0.88, 2.0, 0.88), Segment(0.0, 1.12, 2.0, 1.12)]
    assert AsideSearch(roadmap(*walls), [Segment(0.1, 1.0, 1.9, 1.0)], [], [], empty()).place_for(ROBOT) is None


def test_place_is_not_beyond_robots_that_do_not_move() -> None:
    walls = [Segment(0.0, 0.88, 1.4, 0.88), Segment(0.0, 1.12, 1.4, 1.12)]
    route = [Segment(0.2, 1.0, 1.0, 1.0)]
    immovable = [Pose2D(1.3, 1.0, 0.0)]
    occupancy = Occupancy([standing(immovable[0], -1.0, math.inf)], APART_M, 0.0)
    assert AsideSearch(roadmap(*walls), route, immovable, [], occupancy).place_for(Pose2D(0.8, 1.0, 0.0)) is None


def test_route_goes_around_stationary_robots() -> None:
    journey = Journey(Pose2D(0.2, 1.0, 0.0), Pose2D(1.8, 1.0, 0.0), LIMITS, False)
    route = static_route(roadmap(), journey, [ROBOT], APART_M)
    assert route is not None
    assert min(line.distance_m(ROBOT.x_m, ROBOT.y_m) for line in route) >= APART_M - 1e-6


def test_route_along_a_path_does_not_leave_it() -> None:
    path = square(0.8).moved(Pose2D(0.5, 0.5, 0.0))
    journey = Journey(Pose2D(0.2, 0.5, 0.0), path.end, LIMITS, False, path)
    route = static_route(roadmap(), journey, [], APART_M)
    assert route is not None
    assert max(min(line.distance_m(1.3, y_m) for line in route) for y_m in (0.6, 0.9, 1.2)) < 1e-6


def test_no_route_follows_a_path_that_a_stationary_robot_blocks() -> None:
    path = square(0.8).moved(Pose2D(0.5, 0.5, 0.0))
    journey = Journey(Pose2D(0.2, 0.5, 0.0), path.end, LIMITS, False, path)
    assert static_route(roadmap(), journey, [Pose2D(1.3, 0.9, 0.0)], APART_M) is None
