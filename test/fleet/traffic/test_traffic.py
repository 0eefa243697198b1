"""The traffic of one floor, tick by tick."""

from fleet.floor.obstacles import Obstacles
from fleet.routing.roadmap import Roadmap
from fleet.settings.config import ArenaConfig
from fleet.traffic.traffic import Traffic
from harness.timed_ways import APART_M, eastward, journey, straight_way


def test_robot_that_is_carried_back_along_its_way_is_on_the_floor_at_once() -> None:
    traffic = Traffic(Roadmap(ArenaConfig(0.1, 0.1, 2.9, 0.9), Obstacles(), 0.085, 0.1), APART_M, 1000)
    start, goal = eastward(0.3, 0.5), eastward(2.7, 0.5)
    way = straight_way(start, goal, 0.0)
    for tick in range(round(20.0 * way.trajectory.duration_s) - 1):
        traffic.start_tick(0.05 * tick)
        clock = traffic.clock(1)
        traffic.note_pose(1, start if clock is None else clock.place(0.05 * tick))
        if clock is None:
            traffic.ask(1, journey(start, goal), way.trajectory)
        traffic.advance(0.05)
    traffic.note_pose(1, start)  # while it brakes: so far behind it would take long at its present speed
    assert traffic.whereabouts(1)
