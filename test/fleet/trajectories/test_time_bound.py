import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D
from fleet.trajectories.limits import Limits
from fleet.trajectories.time_bound import least_time_s, least_wheel_travel_m

LIMITS = Limits(
    speed_mps=0.14,
    acceleration_mps2=0.5,
    turn_radps=3.0,
    turn_acceleration_radps2=20.0,
    wheel_mps=0.16,
    axle_length_m=0.1,
)
START = Pose2D(0.0, 0.0, 0.0)

near = st.builds(Pose2D, st.floats(-0.2, 0.2), st.floats(-0.2, 0.2), st.floats(-3.1, 3.1))


def least_of_five_actions_m(goal: Pose2D, directions: int) -> float:
    """Try turn, straight, turn, straight, turn from the origin, in all pairs of directions."""
    angles = np.linspace(-math.pi, math.pi, directions, endpoint=False)
    first, second = np.meshgrid(angles, angles, indexing="ij")
    crossing = np.sin(second - first)
    with np.errstate(divide="ignore", invalid="ignore"):
        one_m = np.abs((goal.x_m * np.sin(second) - goal.y_m * np.cos(second)) / crossing)
        other_m = np.abs((goal.y_m * np.cos(first) - goal.x_m * np.sin(first)) / crossing)
    turned = sum(np.abs(np.angle(np.exp(1j * turn))) for turn in (first, second - first, goal.heading_rad - second))
    ways_m = np.where(np.abs(crossing) < 1e-9, math.inf, one_m + other_m) + 0.05 * turned
    return float(np.nanmin(ways_m))


def test_wheel_travel_to_a_goal_ahead_is_its_distance() -> None:
    assert least_wheel_travel_m(START, Pose2D(0.7, 0.0, 0.0), LIMITS) == pytest.approx(0.7)


def test_a_goal_behind_is_reached_backward() -> None:
    assert least_wheel_travel_m(START, Pose2D(-0.7, 0.0, 0.0), LIMITS) == pytest.approx(0.7)


def test_a_turn_costs_half_the_axle_times_its_angle() -> None:
    assert least_wheel_travel_m(START, Pose2D(0.0, 0.0, 2.0), LIMITS) == pytest.approx(0.1)


def test_sideways_goal_takes_two_lines_at_the_best_angle() -> None:
    # y tan(phi / 2) + x + L phi, with cos^2(phi / 2) = y / 2 L, there and back symmetrical
    y_m = 0.05
    phi = 2.0 * math.acos(math.sqrt(y_m / 0.2))
    x_m = y_m / math.tan(phi)
    assert least_wheel_travel_m(START, Pose2D(0.0, y_m, 0.0), LIMITS) <= abs(y_m / math.sin(phi)) + abs(x_m) + 0.1 * phi


@given(near)
def test_no_five_actions_beat_the_bound(goal: Pose2D) -> None:
    assert least_wheel_travel_m(START, goal, LIMITS) <= least_of_five_actions_m(goal, 120) + 1e-9


@given(near)
def test_five_actions_come_close_to_the_bound(goal: Pose2D) -> None:
    assert least_of_five_actions_m(goal, 180) <= least_wheel_travel_m(START, goal, LIMITS) + 0.02


@given(near, near)
def test_bound_is_symmetric(start: Pose2D, goal: Pose2D) -> None:
    there, back = least_wheel_travel_m(start, goal, LIMITS), least_wheel_travel_m(goal, start, LIMITS)
    assert there == pytest.approx(back, abs=1e-9)


@given(near, near, near)
def test_bound_satisfies_the_triangle_inequality(start: Pose2D, over: Pose2D, goal: Pose2D) -> None:
    direct = least_wheel_travel_m(start, goal, LIMITS)
    assert direct <= least_wheel_travel_m(start, over, LIMITS) + least_wheel_travel_m(over, goal, LIMITS) + 1e-9


def test_speed_limit_sets_the_time_over_long_distances() -> None:
    assert least_time_s(START, Pose2D(1.4, 0.0, 0.0), LIMITS) == pytest.approx(10.0)
