"""Obstacles that nobody knows of: what explains an echo, and how long obstacles are remembered."""

import math

from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import Pose2D
from fleet.routing.roadmap import Roadmap
from fleet.settings.config import ArenaConfig
from fleet.traffic.echo import Echo, echoes_at
from fleet.traffic.obstacle_detection import ObstacleDetection
from fleet.traffic.traffic import Traffic
from harness.timed_ways import APART_M, journey, straight_way

START, GOAL = Pose2D(0.5, 1.0, 0.0), Pose2D(1.8, 1.0, 0.0)
PLACE = Pose2D(0.68, 1.0, 0.0)


class Floor:
    """Robot 1 at the start of a straight way, with its detection."""

    def __init__(self, *walls: Segment) -> None:
        self.traffic = Traffic(Roadmap(ArenaConfig(0.1, 0.1, 1.9, 1.9), Obstacles(), 0.085, 0.1), APART_M, 10_000)
        self.detection = ObstacleDetection(self.traffic, Obstacles(walls), 0.08)
        self.traffic.note_pose(1, START)

    def detect(self, count: int = 2, ahead_m: float = 0.1, now_s: float = 0.0) -> None:
        """Let robot 1 report something straight ahead, some times in a row."""
        for _ in range(count):
            self.detection.note(1, ahead(ahead_m), now_s)

    def is_way_free(self) -> bool:
        """Whether robot 1 gets its straight way at once."""
        clock = self.traffic.ask(1, journey(START, GOAL), straight_way(START, GOAL).trajectory)
        self.traffic.give_up(1)
        return clock is not None


def ahead(range_m: float) -> list[Echo]:
    """Return the echo of the sensor in the middle."""
    ranges_m = [math.inf] * 7
    ranges_m[2] = range_m
    return echoes_at(START, ranges_m)


def test_unknown_echo_becomes_an_obstacle() -> None:
    floor = Floor()
    assert floor.is_way_free()
    floor.detect()
    assert not floor.is_way_free()
    assert floor.detection.words(-2) == "obstacle at (0.68, 1.00)"


def test_one_report_is_not_enough() -> None:
    floor = Floor()
    floor.detect(1)
    assert floor.is_way_free()


def test_echoes_at_different_places_are_not_enough() -> None:
    floor = Floor()
    floor.detect(1, ahead_m=0.05)
    floor.detect(1, ahead_m=0.12)
    assert floor.is_way_free()


def test_robot_behind_an_echo_explains_it() -> None:
    floor = Floor()
    floor.traffic.note_pose(2, Pose2D(0.68 + 0.22, 1.0, 0.0))
    floor.detect()
    assert floor.detection.words(-2) is None


def test_robot_that_should_be_elsewhere_does_not_explain_an_echo() -> None:
    floor = Floor()
    floor.traffic.note_pose(2, Pose2D(0.68 + 0.24, 1.0, 0.0))
    floor.detect()
    assert floor.detection.words(-2) is not None


def test_robot_does_not_explain_its_own_echo() -> None:
    floor = Floor()
    floor.detect(ahead_m=0.02)
    assert floor.detection.words(-2) is not None


def test_wall_behind_an_echo_explains_it() -> None:
    floor = Floor(Segment(0.82, 0.5, 0.82, 1.5))
    floor.detect()
    assert floor.detection.words(-2) is None


def test_wall_far_behind_an_echo_does_not_explain_it() -> None:
    floor = Floor(Segment(0.84, 0.5, 0.84, 1.5))
    floor.detect()
    assert floor.detection.words(-2) is not None


def test_walls_of_a_corridor_do_not_explain_what_is_ahead() -> None:
    floor = Floor(Segment(0.2, 0.88, 1.9, 0.88), Segment(0.2, 1.12, 1.9, 1.12))
    floor.detect()
    assert floor.detection.words(-2) is not None


def test_obstacle_is_forgotten_ten_seconds_after_its_last_echo() -> None:
    floor = Floor()
    floor.detect(now_s=0.0)
    floor.detect(now_s=5.0)
    floor.detection.forget_old(14.9)
    assert not floor.is_way_free()
    floor.detection.forget_old(15.1)
    assert floor.is_way_free()


def test_echoes_near_an_obstacle_do_not_add_a_second_obstacle() -> None:
    floor = Floor()
    floor.detect(ahead_m=0.10)
    floor.detect(ahead_m=0.14)
    assert floor.detection.words(-3) is None


def test_obstacle_in_the_way_is_named_by_its_number() -> None:
    floor = Floor()
    floor.detect()
    floor.traffic.ask(1, journey(START, PLACE), straight_way(START, PLACE).trajectory)
    assert floor.traffic.in_the_way(1) == [-2]
