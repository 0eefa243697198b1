import math

from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import STILL, Pose2D
from fleet.paths.limits import Limits
from fleet.paths.to_pose import plan_to_pose

MOTION = Limits(speed_mps=0.1, acceleration_mps2=0.2, turn_radps=2.0, turn_acceleration_radps2=4.0)
START = Pose2D(0.0, 0.0, 0.0)

places = st.builds(Pose2D, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(-3.1, 3.1))


@given(places, places)
def test_a_plan_ends_at_rest_at_the_goal(start: Pose2D, goal: Pose2D) -> None:
    plan = plan_to_pose(start, goal, MOTION)
    last = plan.sample(plan.duration_s + 1.0)
    assert last.twist == STILL
    assert last.pose.distance_to(goal) < 0.005
    assert abs(last.pose.heading_error_to(goal)) < 1e-9


@given(places, places, st.floats(0.0, 1.0))
def test_the_reference_never_jumps(start: Pose2D, goal: Pose2D, share: float) -> None:
    plan = plan_to_pose(start, goal, MOTION)
    time_s = share * plan.duration_s
    now, next_ = plan.sample(time_s).pose, plan.sample(time_s + 0.001).pose
    assert now.distance_to(next_) <= 0.1 * 0.001 + 1e-9
    assert abs(now.heading_error_to(next_)) <= 2.0 * 0.001 + 1e-9


def test_turns_go_the_short_way_round() -> None:
    plan = plan_to_pose(Pose2D(0, 0, math.radians(170)), Pose2D(-1.0, 0.0, math.radians(-170)), MOTION, backward=False)
    assert [round(math.degrees(timed.leg.turn_rad)) for timed in plan.legs] == [10, 10]


def test_a_goal_a_hair_away_is_reached_by_turning_alone() -> None:
    plan = plan_to_pose(START, Pose2D(-0.004, 0.0, 1.0), MOTION)
    assert plan.path.length_m == 0.0
    assert plan.sample(99.0).pose == Pose2D(0.0, 0.0, 1.0)


def test_a_plan_from_the_goal_lasts_no_time() -> None:
    assert plan_to_pose(START, START, MOTION).duration_s == 0.0
