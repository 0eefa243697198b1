"""Ways of which only knots are known."""

import math

import pytest

from fleet.geometry import Pose2D
from fleet.timetable.knots import Knot, KnottedWay, knots_of
from harness.timed_ways import eastward, straight_way

# east for 10 s, a wait of 5 s, back for 10 s
THERE_AND_BACK = KnottedWay(
    [
        Knot(0.0, eastward(0.0, 0.0)),
        Knot(10.0, eastward(1.0, 0.0)),
        Knot(15.0, eastward(1.0, 0.0)),
        Knot(25.0, eastward(0.0, 0.0)),
    ],
    100.0,
)


def test_knots_of_a_way_are_within_millimetres_of_its_trajectory() -> None:
    way = straight_way(eastward(0.2, 0.3), Pose2D(1.2, 0.9, 1.0), start_s=50.0)
    knotted = KnottedWay(knots_of(way), way.start_s)
    times_s = [0.01 * index for index in range(round(100 * way.trajectory.duration_s) + 100)]
    off_m = max(knotted.place(time_s).distance_to(way.trajectory.sample(time_s).pose) for time_s in times_s)
    assert off_m < 0.0016


def test_robot_stays_at_the_last_knot() -> None:
    assert THERE_AND_BACK.place(1000.0) == Pose2D(0.0, 0.0, 0.0)


def test_long_motions_are_cut() -> None:
    way = KnottedWay([Knot(0.0, eastward(0.0, 0.0)), Knot(100.0, eastward(9.0, 0.0))], 0.0)
    assert max(motion.high_x_m - motion.low_x_m for motion in way.motions) <= 2.0
    assert way.place(50.0).x_m == pytest.approx(4.5)


@pytest.mark.parametrize(
    ("x_m", "time_s", "found_s"),
    [
        (0.5, 5.0, 5.0),  # on time
        (0.3, 5.0, 3.0),  # late
        (1.0, 12.0, 12.0),  # waiting, on time as far as anybody can see
        (1.0, 18.0, 15.0),  # should drive again
        (0.5, 20.0, 20.0),  # on the way back
    ],
)
def test_time_is_found_at_which_a_robot_is_where_it_is_seen(x_m: float, time_s: float, found_s: float) -> None:
    assert THERE_AND_BACK.time_at(eastward(x_m, 0.01), time_s, 0.0) == pytest.approx(found_s, abs=0.15)


def test_robot_does_not_go_back_in_time() -> None:
    assert THERE_AND_BACK.time_at(eastward(0.5, 0.0), 18.0, 16.0) == pytest.approx(18.3)


def test_lines_cover_what_is_driven_between_two_times() -> None:
    lines = THERE_AND_BACK.lines(5.0, 17.0)
    assert min(min(line.x1_m, line.x2_m) for line in lines) == pytest.approx(0.5)
    assert max(max(line.x1_m, line.x2_m) for line in lines) == pytest.approx(1.0)


def test_lines_without_an_end_cover_the_rest() -> None:
    lines = THERE_AND_BACK.lines(20.0, math.inf)
    assert max(max(line.x1_m, line.x2_m) for line in lines) == pytest.approx(0.5)
    assert min(min(line.x1_m, line.x2_m) for line in lines) == pytest.approx(0.0)
