import math

import pytest

from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import Pose2D
from fleet.routing.roadmap import Roadmap
from fleet.routing.times_to_goal import TimesToGoal
from fleet.settings.config import ArenaConfig

ARENA = ArenaConfig(0.1, 0.1, 2.4, 1.9)
FAR_AWAY = Obstacles([Segment(9.0, 9.0, 9.1, 9.0)])


@pytest.mark.parametrize("goal", [Pose2D(1.33, 0.71, 0.0), Pose2D(0.1, 0.1, 0.0), Pose2D(2.39, 1.0, 0.0)])
def test_times_on_an_open_floor_match_a_search(goal: Pose2D) -> None:
    at_once = TimesToGoal(Roadmap(ARENA, Obstacles(), 0.085, 0.1), goal, 0.14)
    searched = TimesToGoal(Roadmap(ARENA, FAR_AWAY, 0.085, 0.1), goal, 0.14)
    assert at_once.is_over
    while not searched.is_over:
        searched.expand(10)
    places = range(len(Roadmap(ARENA, Obstacles(), 0.085, 0.1).xs_m))
    assert [at_once.time_s(place) for place in places] == pytest.approx([searched.time_s(place) for place in places])


def test_place_behind_walls_takes_for_ever() -> None:
    walls = Obstacles([Segment(1.25, 0.0, 1.25, 2.0)])
    times = TimesToGoal(Roadmap(ARENA, walls, 0.085, 0.1), Pose2D(0.5, 1.0, 0.0), 0.14)
    while not times.is_over:
        times.expand(10)
    assert math.isinf(times.time_s(len(Roadmap(ARENA, walls, 0.085, 0.1).xs_m) - 1))
