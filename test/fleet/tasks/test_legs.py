"""Legs along paths: the places that are checked before a robot drives there."""

import math
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from fleet.floor.obstacles import Obstacles, Segment
from fleet.floor.room import first_obstructed, room_m
from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.pieces import Arc
from fleet.tasks.legs import FollowLeg
from fleet.trajectories.limits import Limits
from harness.path_strategies import paths

LIMITS = Limits(speed_mps=0.14, acceleration_mps2=0.5, turn_radps=3.0, turn_acceleration_radps2=20.0)
COORDINATE = st.floats(-3.0, 3.0)


@given(path=paths(), ends_m=st.tuples(COORDINATE, COORDINATE, COORDINATE, COORDINATE))
def test_path_is_obstructed_whether_or_not_free_places_are_left_out(
    path: Path, ends_m: tuple[float, float, float, float]
) -> None:
    wall, leg = Obstacles([Segment(*ends_m)]), FollowLeg(path, LIMITS)
    all_places = first_obstructed(wall, None, leg.places())
    few_places = first_obstructed(wall, None, leg.places(partial(room_m, wall)))
    assert (all_places is None) == (few_places is None)


def test_few_places_are_examined_where_there_is_room() -> None:
    wall = Obstacles([Segment(5.0, -9.0, 5.0, 9.0)])
    leg = FollowLeg(Path([Arc(Pose2D(0.0, 0.0, 0.0), 4.0, 1.0)]), LIMITS)
    assert len(list(leg.places(partial(room_m, wall)))) < 5 < 300 < len(list(leg.places()))


def test_places_of_many_turns_repeat_those_of_the_first() -> None:
    leg = FollowLeg(Path([Arc(Pose2D(0.0, 0.0, 0.0), 100.0, 2.0)]), LIMITS)
    assert len(list(leg.places())) == 1 + math.ceil(math.pi / 0.01)
