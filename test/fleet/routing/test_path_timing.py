from fleet.paths.remaining_path import with_stops
from fleet.paths.shapes import circle, square
from fleet.routing.path_timing import PathTiming
from fleet.timetable.occupancy import Occupancy
from fleet.timetable.way import Way
from fleet.trajectories.timing import plan_fastest
from harness.timed_ways import APART_M, LIMITS, eastward, least_distance_m, northward, straight_way, timed


def test_path_that_meets_no_robot_is_driven_as_alone() -> None:
    path = circle(1.0)
    found = timed(PathTiming(path, LIMITS, Occupancy([], APART_M, 0.0), 0.0))
    assert found is not None
    assert found.duration_s == plan_fastest(path, LIMITS).duration_s


def test_robot_stops_on_its_path_to_let_another_robot_pass() -> None:
    path = circle(1.0)
    place = path.sample(1.0).pose
    across = eastward(place.x_m, place.y_m).along_arc(0.0, place.heading_rad + 1.57)
    other = straight_way(across.along_arc(-0.7, 0.0), across.along_arc(0.5, 0.0), 2.0)
    found = timed(PathTiming(path, LIMITS, Occupancy(other.motions, APART_M, 0.0), 0.0))
    assert found is not None
    assert least_distance_m(Way(found, 0.0), other) > APART_M - 0.003
    assert found.duration_s > plan_fastest(path, LIMITS).duration_s + 0.5


def test_there_is_no_way_along_a_path_on_which_a_robot_stays() -> None:
    other = straight_way(northward(0.4, -0.5), northward(0.4, 0.0))
    assert timed(PathTiming(square(0.8), LIMITS, Occupancy(other.motions, APART_M, 0.0), 0.0)) is None


def test_stops_change_neither_length_nor_places_of_a_path() -> None:
    path = square(0.8)
    stopped = with_stops(path, [0.33, 1.0, 1.05])
    assert stopped.length_m == path.length_m
    assert all(stopped.sample(s_m).pose.distance_to(path.sample(s_m).pose) < 1e-9 for s_m in (0.1, 0.9, 1.03, 2.0))
    assert len(stopped.legs) == len(path.legs) + 3
