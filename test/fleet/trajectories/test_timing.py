import math
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fleet.errors import PathError
from fleet.geometry import STILL, Pose2D
from fleet.paths.path import Path
from fleet.paths.pieces import Arc, Line, Turn
from fleet.paths.polyline import rounded_polyline
from fleet.paths.remaining_path import with_speeds
from fleet.paths.shapes import circle, eight, shape_path, square, star, straight
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import limits_at_mean_speed, plan_at_constant_speed, plan_fastest
from fleet.trajectories.trajectory import Reference, Trajectory
from harness.budgets import examples
from harness.path_strategies import limits, paths

ORIGIN = Pose2D(0.0, 0.0, 0.0)
LIMITS = Limits(
    speed_mps=0.14,
    acceleration_mps2=0.2,
    turn_radps=2.0,
    turn_acceleration_radps2=5.0,
    wheel_mps=0.16,
    wheel_acceleration_mps2=0.5,
    wheel_step_mps=0.05,
)
GENTLE = Limits(
    speed_mps=0.125,
    acceleration_mps2=0.109375,
    turn_radps=1.0,
    turn_acceleration_radps2=1.0,
    jerk_mps3=1.0,
    wheel_mps=0.125,
    wheel_acceleration_mps2=1.0,
    wheel_step_mps=0.0625,
    lateral_mps2=1.0,
)
LONG_AND_BENT = Path(
    [*(Line(Pose2D(0.5 * index, 0.0, 0.0), 0.5) for index in range(5)), Arc(Pose2D(2.5, 0.0, 0.0), 0.5, -12.0)]
)
ROUND = rounded_polyline([(0.0, 0.0), (0.5, 0.0), (0.5, 0.5)], is_closed=False, radius_m=0.06)


def references(plan: Trajectory, count: int) -> list[Reference]:
    """Sample a trajectory evenly, its ends included."""
    return [plan.sample(plan.duration_s * index / count) for index in range(count + 1)]


def wheel_speeds(reference: Reference, limits: Limits) -> tuple[float, float]:
    swing_mps = reference.twist.angular_radps * 0.5 * limits.axle_length_m
    return reference.twist.linear_mps - swing_mps, reference.twist.linear_mps + swing_mps


def wheel_accelerations(reference: Reference, limits: Limits) -> tuple[float, float]:
    swing_mps2 = reference.acceleration.angular_radps2 * 0.5 * limits.axle_length_m
    return reference.acceleration.linear_mps2 - swing_mps2, reference.acceleration.linear_mps2 + swing_mps2


SPEEDS = [(0.4, math.inf), (0.8, 0.05), (1.1, 0.08), (9.0, math.inf)]


@pytest.mark.parametrize("within", [LIMITS, GENTLE], ids=["abrupt", "gentle"])
@pytest.mark.parametrize("path", [Path([Line(ORIGIN, 1.6)]), ROUND, LONG_AND_BENT], ids=["line", "round", "bent"])
def test_highest_speeds_hold_on_their_spans_and_are_reached_without_a_stop(path: Path, within: Limits) -> None:
    plan = plan_fastest(Path(with_speeds(path.pieces, SPEEDS)), within)
    for index in range(1001):
        t_s = plan.duration_s * index / 1000
        s_m, speed_mps = plan.point_at(t_s), plan.sample(t_s).twist.linear_mps
        assert speed_mps <= next(most_mps for end_m, most_mps in SPEEDS if s_m <= end_m + 1e-9) + 1e-6
        assert speed_mps > 0.02 or min(s_m, plan.path.length_m - s_m) < 0.05
    slower = within.at_speed(0.05)
    assert plan_fastest(path, within).duration_s < plan.duration_s <= plan_fastest(path, slower).duration_s + 1e-6


def test_a_line_with_one_highest_speed_is_driven_as_within_limits_of_that_speed() -> None:
    slow = Path(with_speeds([Line(ORIGIN, 1.0)], [(1.0, 0.05)]))
    assert plan_fastest(slow, LIMITS).duration_s == pytest.approx(1.0 / 0.05 + 0.05 / 0.2)


def test_a_line_is_driven_as_a_trapezoid() -> None:
    plan = plan_fastest(Path([Line(ORIGIN, 1.0)]), LIMITS)
    assert plan.duration_s == pytest.approx(1.0 / 0.14 + 0.14 / 0.2)


def test_square_takes_four_lines_and_four_turns() -> None:
    line_s = 1.0 / 0.14 + 0.14 / 0.2
    turn_s = 0.5 * math.pi / 2.0 + 2.0 / 5.0
    assert plan_fastest(square(1.0), LIMITS).duration_s == pytest.approx(4 * (line_s + turn_s))


def test_on_a_circle_the_outer_wheel_sets_the_speed() -> None:
    plan = plan_fastest(circle(0.2), LIMITS)
    speed_mps = 0.16 / (1.0 + 0.047 / 0.1)
    assert plan.sample(0.5 * plan.duration_s).twist.linear_mps == pytest.approx(speed_mps)


def test_across_a_circle_the_lateral_acceleration_sets_the_speed() -> None:
    plan = plan_fastest(circle(0.2), replace(LIMITS, lateral_mps2=0.04))
    assert plan.sample(0.5 * plan.duration_s).twist.linear_mps == pytest.approx(math.sqrt(0.04 * 0.1))


def test_wheel_speed_step_between_line_and_arc_is_limited() -> None:
    plan = plan_fastest(ROUND, LIMITS)
    time_s = plan.time_at(0.44)
    before, after = plan.sample(time_s - 1e-9), plan.sample(time_s + 1e-9)
    assert abs(after.twist.angular_radps - before.twist.angular_radps) * 0.047 == pytest.approx(0.05, rel=1e-3)


def test_robot_does_not_stop_at_rounded_corners() -> None:
    speeds = [reference.twist.linear_mps for reference in references(plan_fastest(ROUND, LIMITS), 500)]
    assert min(speeds[20:-20]) > 0.05


def test_backward_path_has_a_negative_speed() -> None:
    plan = plan_fastest(Path([Arc(ORIGIN, 0.5, 2.0, is_backward=True)]), LIMITS)
    middle = plan.sample(0.5 * plan.duration_s)
    assert middle.twist.linear_mps < 0.0
    assert middle.twist.angular_radps == pytest.approx(-2.0 * middle.twist.linear_mps)


def test_turns_keep_their_direction_and_number_of_revolutions() -> None:
    plan = plan_fastest(Path([Turn(ORIGIN, -3.0 * math.pi)]), LIMITS)
    middle = plan.sample(0.5 * plan.duration_s)
    assert plan.duration_s == pytest.approx(3.0 * math.pi / 2.0 + 0.4)
    assert middle.twist.angular_radps == pytest.approx(-2.0)
    assert middle.pose.heading_rad == pytest.approx(math.pi / 2.0)


def test_wheel_limit_binds_on_the_eight() -> None:
    fast = replace(LIMITS, speed_mps=0.2, acceleration_mps2=1.0, wheel_acceleration_mps2=5.0)
    top = max(max(map(abs, wheel_speeds(each, fast))) for each in references(plan_fastest(eight(1.0), fast), 2000))
    assert top == pytest.approx(0.16, rel=1e-3)


def test_three_laps_of_a_circle_are_one_leg() -> None:
    plan = plan_fastest(circle(0.6).repeated(3), LIMITS)
    assert plan.sample(plan.time_at(0.6 * math.pi)).twist.linear_mps > 0.1


@pytest.mark.parametrize("name", ["straight", "square", "star", "circle", "eight"])
def test_mean_speed_is_as_requested(name: str) -> None:
    path = shape_path(name).repeated(3)
    plan = plan_fastest(path, limits_at_mean_speed(path, LIMITS, 0.1))
    assert plan.duration_s == pytest.approx(path.length_m / 0.1, rel=1e-6)


@pytest.mark.parametrize("name", ["straight", "square", "circle", "eight"])
def test_mean_speed_also_holds_for_more_laps_than_the_search_plans(name: str) -> None:
    lap = shape_path(name)
    plan = plan_fastest(lap.repeated(8), limits_at_mean_speed(lap, LIMITS, 0.1, 8))
    assert plan.duration_s == pytest.approx(8 * lap.length_m / 0.1, rel=1e-5)


def test_refusal_of_an_excessive_mean_speed_names_a_possible_one() -> None:
    with pytest.raises(PathError, match=r"0\.15 m/s on average is too fast.* takes 36\.11 s, which is 0\.1108"):
        limits_at_mean_speed(square(1.0), LIMITS, 0.15)


def test_a_path_without_length_has_no_mean_speed() -> None:
    with pytest.raises(PathError, match="a path of 0 m cannot be driven"):
        limits_at_mean_speed(Path([Turn(ORIGIN, 1.0)]), LIMITS, 0.1)


def test_at_constant_speed_corners_take_no_time() -> None:
    plan = plan_at_constant_speed(star(), 0.1)
    assert plan.duration_s == pytest.approx(113.439, abs=1e-3)
    assert plan.point_at(50.0) == pytest.approx(5.0)
    assert {round(each.twist.linear_mps, 12) for each in references(plan, 100)[1:-1]} == {0.1}


def test_limited_jerk_adds_one_rise_time_to_each_ramp_of_a_straight() -> None:
    plain, soft = plan_fastest(straight(1.0), LIMITS), plan_fastest(straight(1.0), replace(LIMITS, jerk_mps3=1.0))
    assert soft.duration_s - plain.duration_s == pytest.approx(2 * 0.2 / 1.0)


@pytest.mark.parametrize("name", ["speed_mps", "jerk_mps3", "wheel_mps", "axle_length_m"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan])
def test_limits_must_be_positive(name: str, value: float) -> None:
    with pytest.raises(PathError, match=f"the limit {name} is"):
        replace(LIMITS, **{name: value})


def test_speeds_must_be_finite() -> None:
    with pytest.raises(PathError, match="the limit speed_mps is infinite"):
        replace(LIMITS, speed_mps=math.inf)


@settings(deadline=None, max_examples=examples(60))
@given(paths(), limits)
def test_plan_starts_and_ends_at_rest_at_the_ends_of_its_path(path: Path, limits: Limits) -> None:
    plan = plan_fastest(path, limits)
    first, last = plan.sample(0.0), plan.sample(plan.duration_s)
    assert (first.pose, first.twist) == (path.start, STILL)
    assert (last.pose, last.twist) == (path.end, STILL)
    assert plan.sample(plan.duration_s * (1 - 1e-12)).pose.distance_to(path.end) < 1e-6


@settings(deadline=None, max_examples=examples(60))
@given(paths(), limits)
def test_no_speed_is_exceeded(path: Path, limits: Limits) -> None:
    for each in references(plan_fastest(path, limits), 300):
        assert abs(each.twist.linear_mps) <= limits.speed_mps * (1 + 1e-6)
        assert max(map(abs, wheel_speeds(each, limits))) <= limits.wheel_mps * (1 + 1e-3)
        assert abs(each.twist.linear_mps * each.twist.angular_radps) <= limits.lateral_mps2 * (1 + 2e-3)


@settings(deadline=None, max_examples=examples(60))
@given(paths(), limits)
def test_no_acceleration_is_exceeded(path: Path, limits: Limits) -> None:
    for each in references(plan_fastest(path, limits), 300):
        assert abs(each.acceleration.linear_mps2) <= limits.acceleration_mps2 * (1 + 1e-6)
        assert max(map(abs, wheel_accelerations(each, limits))) <= limits.wheel_acceleration_mps2 * (1 + 1e-2)


@settings(deadline=None, max_examples=examples(60))
@given(paths(), limits)
def test_no_turn_rate_is_exceeded(path: Path, limits: Limits) -> None:
    for timed in plan_fastest(path, limits).legs:
        for phase in timed.turn.phases:
            assert max(phase.speed, phase.at(phase.duration_s)[1]) <= limits.turn_radps * (1 + 1e-9)
            assert abs(phase.acceleration) <= limits.turn_acceleration_radps2 * (1 + 1e-9)
            assert not math.isfinite(limits.turn_jerk_radps3) or abs(phase.jerk) <= limits.turn_jerk_radps3


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(60))
@given(paths(), limits)
@example(LONG_AND_BENT, GENTLE)  # two of its instants differ only by rounding
def test_no_jerk_is_exceeded(path: Path, limits: Limits) -> None:
    for timed in plan_fastest(path, limits).legs:
        for phase in timed.drive.phases:
            assert math.isinf(limits.jerk_mps3) or abs(phase.jerk) <= limits.jerk_mps3 * (1 + 1e-6)


@settings(deadline=None, max_examples=examples(60))
@given(paths(), limits, st.floats(0.0, 1.0))
def test_pose_and_speed_never_jump(path: Path, limits: Limits, share: float) -> None:
    plan = plan_fastest(path, limits)
    time_s, step_s = share * plan.duration_s, 1e-4
    here, after = plan.sample(time_s), plan.sample(time_s + step_s)
    assert here.pose.distance_to(after.pose) <= limits.speed_mps * step_s + 1e-9
    assert abs(here.pose.heading_error_to(after.pose)) <= limits.wheel_mps / limits.half_axle_m * step_s + 1e-6
    assert abs(after.twist.linear_mps - here.twist.linear_mps) <= limits.acceleration_mps2 * step_s + 1e-9


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(60))
@given(paths(), limits, st.floats(0.0, 1.0))
def test_twist_is_the_derivative_of_the_pose(path: Path, limits: Limits, share: float) -> None:
    plan = plan_fastest(path, limits)
    time_s, step_s = share * plan.duration_s, 1e-4
    before, here, after = (plan.sample(time_s + offset_s) for offset_s in (-step_s, 0.0, step_s))
    moved = after.pose.relative_to(before.pose)
    assert moved.x_m == pytest.approx(
        2 * step_s * here.twist.linear_mps, abs=2 * step_s * step_s * limits.acceleration_mps2 + 1e-9
    )


@settings(deadline=None, max_examples=examples(60))
@given(paths(), limits, st.floats(0.0, 1.0))
def test_plan_reaches_an_arc_length_at_the_time_it_predicts(path: Path, limits: Limits, share: float) -> None:
    plan = plan_fastest(path, limits)
    s_m = share * path.length_m
    assert plan.point_at(plan.time_at(s_m)) == pytest.approx(s_m, abs=1e-6)


@settings(deadline=None, max_examples=examples(60))
@given(paths(), limits)
def test_tighter_limit_never_shortens_a_plan(path: Path, limits: Limits) -> None:
    limits = replace(limits, jerk_mps3=math.inf)
    unhurried = replace(limits, wheel_mps=0.9 * limits.wheel_mps, acceleration_mps2=0.8 * limits.acceleration_mps2)
    assert plan_fastest(path, unhurried).duration_s >= plan_fastest(path, limits).duration_s * (1 - 1e-6)
