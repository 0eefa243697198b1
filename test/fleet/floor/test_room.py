import pytest

from fleet.floor.obstacles import Area, Obstacles, Segment
from fleet.floor.room import first_obstructed
from fleet.geometry import Pose2D

WALL = Obstacles([Segment(1.0, 0.0, 1.0, 1.0)])
START = Pose2D(0.5, 0.5, 0.0)


def at(x_m: float, y_m: float) -> Pose2D:
    return Pose2D(x_m, y_m, 0.0)


@pytest.mark.parametrize("place", [at(0.9, 0.5), at(0.5, 0.9), at(0.92, 0.5)])
def test_way_on_one_side_of_a_wall_has_room(place: Pose2D) -> None:
    assert first_obstructed(WALL, START, [place]) is None


def test_place_too_near_to_a_wall_is_obstructed() -> None:
    assert first_obstructed(WALL, START, [at(0.7, 0.5), at(0.93, 0.5)]) == at(0.93, 0.5)


def test_way_through_a_wall_is_obstructed() -> None:
    assert first_obstructed(WALL, START, [at(1.5, 0.5)]) == at(1.5, 0.5)


def test_way_around_a_wall_by_places_has_room() -> None:
    assert first_obstructed(WALL, START, [at(0.5, 1.2), at(1.5, 1.2), at(1.5, 0.5)]) is None


def test_robot_at_a_wall_may_leave_it() -> None:
    assert first_obstructed(WALL, at(0.95, 0.5), [at(0.5, 0.5)]) is None


def test_robot_at_a_wall_may_not_drive_through_it() -> None:
    assert first_obstructed(WALL, at(0.95, 0.5), [at(1.5, 0.5)]) == at(1.5, 0.5)


def test_places_inside_an_area_are_obstructed_without_a_start() -> None:
    area = Obstacles(areas=[Area([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)])])
    assert first_obstructed(area, None, [at(0.8, 0.3)]) == at(0.8, 0.3)


def test_everything_has_room_on_an_empty_floor() -> None:
    assert first_obstructed(Obstacles(), START, [at(99.0, 99.0)]) is None
