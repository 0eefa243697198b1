"""Discs that move exactly as the right of way assumes, under random commands."""

import math
from itertools import combinations

import numpy as np
import pytest

from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.settings.config import ArenaConfig
from fleet.traffic.outlines import outline_at
from fleet.traffic.right_of_way import RightOfWay
from fleet.traffic.sweep import OBSTACLE, Stopping, gap_between_m

APART_M, RADIUS_M = 0.165, 0.085
LAG_S, PERIOD_S, LATENCY_TICKS = 0.1, 0.05, 2
STEPS = 10  # of the integration, in each tick
WALLS = [Segment(0, 0, 2, 0), Segment(2, 0, 2, 2), Segment(2, 2, 0, 2), Segment(0, 2, 0, 0)]


class Disc:
    """A robot with a latency of whole ticks and a first-order lag."""

    def __init__(self, pose: Pose2D) -> None:
        self.pose = pose
        self.twist = STILL
        self.pending = [STILL] * LATENCY_TICKS

    def stopping(self) -> Stopping:
        pose, twist = self.pose, self.twist
        for command in self.pending:
            pose, twist = advance(pose, twist, command)
        return Stopping(self.pose, pose, twist, LAG_S, PERIOD_S)

    def tick(self, command: Twist2D) -> None:
        self.pending.append(command)
        self.pose, self.twist = advance(self.pose, self.twist, self.pending.pop(0))


def advance(pose: Pose2D, twist: Twist2D, command: Twist2D) -> tuple[Pose2D, Twist2D]:
    decay = math.exp(-PERIOD_S / STEPS / LAG_S)
    for _ in range(STEPS):
        after = Twist2D(
            command.linear_mps + decay * (twist.linear_mps - command.linear_mps),
            command.angular_radps + decay * (twist.angular_radps - command.angular_radps),
        )
        travel_s = PERIOD_S / STEPS
        pose = pose.along_arc(
            0.5 * (twist.linear_mps + after.linear_mps) * travel_s,
            0.5 * (twist.angular_radps + after.angular_radps) * travel_s,
        )
        twist = after
    return pose, twist


def least_gap_m(discs: list[Disc]) -> float:
    return min(first.pose.distance_to(second.pose) for first, second in combinations(discs, 2))


def drive(discs: list[Disc], wishes: list[Twist2D], rights: RightOfWay) -> list[int | None]:
    rights.start({index: disc.stopping() for index, disc in enumerate(discs)}, {})
    granted = [rights.grant(index, wish) for index, wish in enumerate(wishes)]
    for disc, (twist, _) in zip(discs, granted, strict=True):
        disc.tick(twist)
    return [in_the_way for _, in_the_way in granted]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_robots_under_random_commands_touch_neither_each_other_nor_walls(seed: int) -> None:
    rng = np.random.default_rng(seed)
    discs = [Disc(Pose2D(0.25 + 0.5 * (k % 4), 0.25 + 0.5 * (k // 4), rng.uniform(-3, 3))) for k in range(12)]
    rights = RightOfWay(Obstacles(WALLS), APART_M, RADIUS_M)
    wishes = [STILL] * len(discs)
    least_m, wall_m, driven_m = math.inf, math.inf, 0.0
    for tick in range(600):
        if tick % 10 == 0:
            wishes = [Twist2D(rng.uniform(-0.14, 0.14), rng.uniform(-3, 3)) for _ in discs]
        drive(discs, wishes, rights)
        least_m = min(least_m, least_gap_m(discs))
        wall_m = min(wall_m, *(min(d.pose.x_m, d.pose.y_m, 2 - d.pose.x_m, 2 - d.pose.y_m) for d in discs))
        driven_m += sum(abs(disc.twist.linear_mps) * PERIOD_S for disc in discs)
    assert least_m > APART_M - 1e-3
    assert wall_m > RADIUS_M - 1e-3
    assert driven_m > 3.0


def test_robots_that_drive_at_each_other_stop_before_they_touch() -> None:
    discs = [Disc(Pose2D(0.0, 0.0, 0.0)), Disc(Pose2D(0.6, 0.0, math.pi))]
    rights = RightOfWay(Obstacles(), APART_M, RADIUS_M)
    for _ in range(200):
        blockers = drive(discs, [Twist2D(0.14, 0.0)] * 2, rights)
    assert APART_M - 1e-6 < least_gap_m(discs) < APART_M + 0.02
    assert blockers == [1, 0]
    assert all(disc.twist.linear_mps < 1e-3 for disc in discs)


def test_robots_that_are_too_near_may_leave_each_other() -> None:
    discs = [Disc(Pose2D(0.0, 0.0, 0.0)), Disc(Pose2D(0.12, 0.0, math.pi))]
    rights = RightOfWay(Obstacles(), APART_M, RADIUS_M)
    for _ in range(40):
        drive(discs, [Twist2D(-0.1, 0.0)] * 2, rights)
    assert least_gap_m(discs) > 0.3


@pytest.mark.parametrize("speed_mps", [0.1, -0.1])
@pytest.mark.parametrize(
    ("heading_rad", "may_drive"), [(math.pi, True), (0.5 * math.pi, False), (2.0, True), (1.2, False)]
)
def test_robot_by_hand_that_is_too_near_must_come_away(heading_rad: float, may_drive: bool, speed_mps: float) -> None:
    rights = RightOfWay(Obstacles(), APART_M, RADIUS_M)
    turned_rad = heading_rad if speed_mps > 0.0 else heading_rad + math.pi
    discs = [Disc(Pose2D(0.0, 0.0, turned_rad)), Disc(Pose2D(0.12, 0.0, 0.0))]
    rights.start({index: disc.stopping() for index, disc in enumerate(discs)}, {})
    twist, in_the_way = rights.grant(0, Twist2D(speed_mps, 0.0), has_way=False)
    assert (twist.linear_mps != 0.0, in_the_way) == (may_drive, None if may_drive else 1)


@pytest.mark.parametrize(("heading_rad", "may_drive"), [(0.0, False), (0.1, False), (0.3, True), (0.5 * math.pi, True)])
def test_robot_by_hand_that_is_too_near_to_a_wall_must_come_away(heading_rad: float, may_drive: bool) -> None:
    bounds = ArenaConfig(0.0, 0.0, 2.0, 2.0)
    for rights in (
        RightOfWay(Obstacles([Segment(0.0, 0.0, 2.0, 0.0)]), APART_M, RADIUS_M),
        RightOfWay(Obstacles(), APART_M, RADIUS_M, bounds),
    ):
        rights.start({0: Disc(Pose2D(1.0, 0.08, heading_rad)).stopping()}, {})
        twist, in_the_way = rights.grant(0, Twist2D(0.1, 0.0), RADIUS_M, has_way=False)
        assert (twist.linear_mps != 0.0, in_the_way) == (may_drive, None if may_drive else -1)


def test_robot_beside_a_wall_may_drive_along_it_and_not_into_it() -> None:
    rights = RightOfWay(Obstacles([Segment(0.0, 0.0, 5.0, 0.0)]), APART_M, RADIUS_M)
    along, into = Disc(Pose2D(1.0, RADIUS_M, 0.0)), Disc(Pose2D(3.0, 0.3, -math.pi / 2))
    for _ in range(100):
        blockers = drive([along, into], [Twist2D(0.1, 0.0)] * 2, rights)
    assert along.pose.x_m > 1.4
    assert RADIUS_M - 1e-6 < into.pose.y_m < RADIUS_M + 0.01
    assert blockers == [None, -1]


def test_turning_on_the_spot_is_always_granted() -> None:
    rights = RightOfWay(Obstacles(), APART_M, RADIUS_M)
    discs = [Disc(Pose2D(0.0, 0.0, 0.0)), Disc(Pose2D(APART_M, 0.0, 0.0))]
    rights.start({index: disc.stopping() for index, disc in enumerate(discs)}, {})
    assert rights.grant(0, Twist2D(0.0, 3.0)) == (Twist2D(0.0, 3.0), None)


@pytest.mark.parametrize(("goal_rad", "is_reached"), [(-0.46 * math.pi, True), (-0.3 * math.pi, False)])
def test_robot_that_is_too_near_turns_the_other_way_round_instead_of_touching(
    goal_rad: float, is_reached: bool
) -> None:
    """As after a push: from here the short turn would put its nose into the other one; so would the second goal."""
    rights = RightOfWay(Obstacles(), APART_M, RADIUS_M)
    discs = [Disc(Pose2D(0.0, 0.0, 0.5 * math.pi)), Disc(Pose2D(0.146, 0.0, math.pi))]
    goal = Pose2D(0.0, 0.0, goal_rad)
    least_m, blockers = math.inf, set()
    for _ in range(200):
        wish = Twist2D(0.0, max(-2.0, min(4.0 * discs[0].pose.heading_error_to(goal), 2.0)))
        rights.start({index: disc.stopping() for index, disc in enumerate(discs)}, {})
        twist, in_the_way = rights.grant(0, wish)
        discs[0].tick(twist)
        blockers.add(in_the_way)
        least_m = min(least_m, gap_between_m(outline_at(discs[0].pose), outline_at(discs[1].pose)))
    assert (abs(discs[0].pose.heading_error_to(goal)) < 0.05) is is_reached
    assert abs(discs[0].twist.angular_radps) < 0.01
    assert least_m > 0.002
    assert blockers == {None, 1}


def test_robot_does_not_turn_into_a_robot_that_may_have_turned_less_than_reported() -> None:
    rights = RightOfWay(Obstacles(), APART_M, RADIUS_M)
    turning, other = Disc(Pose2D(0.0, 0.0, 0.41 * math.pi)), Disc(Pose2D(0.146, 0.0, 0.5 * math.pi))
    for least_turned_rad, expected in ((None, None), (math.pi, 1)):
        rights.start({0: turning.stopping(), 1: other.stopping().with_slip(None, least_turned_rad)}, {})
        assert rights.grant(0, Twist2D(0.0, -2.0))[1] == expected


def test_robot_that_was_pushed_to_a_wall_does_not_turn_into_it() -> None:
    wall = Segment(0.0, 0.0, 2.0, 0.0)
    rights = RightOfWay(Obstacles([wall]), APART_M, RADIUS_M)
    disc = Disc(Pose2D(1.0, 0.065, 0.0))
    for _ in range(40):
        rights.start({0: disc.stopping()}, {})
        twist, in_the_way = rights.grant(0, Twist2D(0.0, -2.0))
        disc.tick(twist)
        assert gap_between_m(outline_at(disc.pose), [wall]) > 0.002
    assert in_the_way == OBSTACLE


def test_first_robot_gets_the_floor_that_two_want() -> None:
    rights = RightOfWay(Obstacles(), APART_M, RADIUS_M)
    gap_m = APART_M + PERIOD_S * 0.14 + 1e-4
    discs = [Disc(Pose2D(0.0, 0.0, 0.0)), Disc(Pose2D(gap_m, 0.0, math.pi))]
    rights.start({index: disc.stopping() for index, disc in enumerate(discs)}, {})
    assert rights.grant(0, Twist2D(0.14, 0.0)) == (Twist2D(0.14, 0.0), None)
    twist, in_the_way = rights.grant(1, Twist2D(0.14, 0.0))
    assert (twist.linear_mps, in_the_way) == (0.0, 0)


def test_robot_that_is_slowed_down_learns_who_is_in_the_way_of_its_wish() -> None:
    rights = RightOfWay(Obstacles(), APART_M, RADIUS_M)
    gap_m = APART_M + 0.5 * PERIOD_S * 0.14 + 1e-4
    discs = [Disc(Pose2D(0.0, 0.0, 0.0)), Disc(Pose2D(gap_m, 0.0, 0.0))]
    rights.start({index: disc.stopping() for index, disc in enumerate(discs)}, {})
    twist, in_the_way = rights.grant(0, Twist2D(0.14, 0.0))
    assert (twist.linear_mps, in_the_way) == (0.07, 1)


ARENA = ArenaConfig(0.0, 0.0, 2.0, 2.0)


def granted_mps(pose: Pose2D, speed_mps: float) -> float:
    """Return how fast a disc that stands may drive on a floor of 2 m."""
    rights = RightOfWay(Obstacles(), APART_M, RADIUS_M, ARENA)
    rights.start({1: Disc(pose).stopping()}, {})
    return rights.grant(1, Twist2D(speed_mps, 0.0), RADIUS_M)[0].linear_mps


@pytest.mark.parametrize(
    "pose",
    [
        Pose2D(1.915, 1.0, 0.0),
        Pose2D(0.085, 1.0, math.pi),
        Pose2D(1.0, 1.915, math.pi / 2),
        Pose2D(1.0, 0.085, -math.pi / 2),
    ],
)
def test_disc_at_an_edge_of_the_arena_may_drive_away_from_it_only(pose: Pose2D) -> None:
    assert (granted_mps(pose, 0.14), granted_mps(pose, -0.14)) == (0.0, -0.14)


def test_disc_outside_one_edge_does_not_leave_through_another_edge() -> None:
    assert granted_mps(Pose2D(2.5, 1.915, 0.8 * math.pi), 0.14) == 0.0
    assert granted_mps(Pose2D(2.5, 1.5, 0.8 * math.pi), 0.14) == 0.14


def standing_at(x_m: float, y_m: float, heading_rad: float = 0.0) -> Stopping:
    pose = Pose2D(x_m, y_m, heading_rad)
    return Stopping(pose, pose, STILL, LAG_S, PERIOD_S)


def test_robot_whose_wheels_may_have_slipped_keeps_others_away_from_where_it_then_is() -> None:
    known = standing_at(1.0, 1.0)
    for stopping, expected in ((known, None), (known.with_slip(Pose2D(0.87, 1.0, 0.0), None), 1)):
        rights = RightOfWay(Obstacles([]), APART_M, RADIUS_M)
        rights.start({1: stopping, 2: standing_at(0.70, 1.0)}, {})
        assert rights.grant(2, Twist2D(0.14, 0.0))[1] == expected


def test_robot_that_may_be_too_near_behind_itself_still_comes_no_nearer_ahead() -> None:
    slipping = standing_at(1.0, 1.0).with_slip(Pose2D(0.87, 1.0, 0.0), None)
    rights = RightOfWay(Obstacles([]), APART_M, RADIUS_M)
    rights.start({1: slipping, 2: standing_at(0.75, 1.0), 3: standing_at(1.16, 1.0)}, {})
    assert rights.grant(1, Twist2D(0.14, 0.0))[1] == 3


def granted_turn_radps(heading_rad: float, gap_m: float, *, has_way: bool = False) -> float:
    """Return how fast a disc may turn on the spot that stands beside another one, to the left of that."""
    rights = RightOfWay(Obstacles(), APART_M, RADIUS_M, ARENA)
    rights.start({1: standing_at(1.0, 1.0, heading_rad), 2: standing_at(1.0 + gap_m, 1.0)}, {})
    return rights.grant(1, Twist2D(0.0, 1.0), has_way=has_way)[0].angular_radps


@pytest.mark.parametrize("heading_rad", [0.0, 1.0, -1.3, 3.0])
def test_robot_clearly_too_near_that_can_drive_away_does_not_turn_on_the_spot(heading_rad: float) -> None:
    assert granted_turn_radps(heading_rad, APART_M - 0.004) == 0.0


def test_robot_turns_on_the_spot_at_its_distance_or_if_it_can_only_drive_past_or_on_its_way() -> None:
    assert granted_turn_radps(0.0, APART_M - 0.002) == 1.0
    assert granted_turn_radps(math.pi / 2, APART_M - 0.004) == 1.0
    assert granted_turn_radps(0.0, APART_M - 0.004, has_way=True) == 1.0


@pytest.mark.parametrize(("y_m", "heading_rad", "turns"), [(1.92, 1.0, False), (1.92, 0.0, True), (1.914, 1.0, True)])
def test_robot_clearly_too_near_to_an_edge_or_a_wall_does_not_turn_on_the_spot(
    y_m: float, heading_rad: float, *, turns: bool
) -> None:
    for obstacles, arena in ((Obstacles(), ARENA), (Obstacles(WALLS), None)):
        rights = RightOfWay(obstacles, APART_M, RADIUS_M, arena)
        rights.start({1: standing_at(1.0, y_m, heading_rad)}, {})
        twist, in_the_way = rights.grant(1, Twist2D(0.0, 1.0), RADIUS_M, has_way=False)
        assert (twist.angular_radps, in_the_way) == ((1.0, None) if turns else (0.0, OBSTACLE))
