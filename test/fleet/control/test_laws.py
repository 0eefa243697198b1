import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path as FilePath

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.control.control_law import ControlInput, ControlLaw, Tracks, feed_forward, tracking_error
from fleet.control.law_choice import choose_law
from fleet.control.lqr import model, optimal_gain
from fleet.control.tracker_config import LawName
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.paths.path import Path
from fleet.paths.pieces import Arc, Line, Turn
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import plan_fastest
from fleet.trajectories.trajectory import Trajectory
from fleet.wheels.differential_drive import DifferentialDrive
from harness.fleets import read
from harness.law_defaults import TRACKER

LIMITS = Limits(0.1, 0.12, 2.0, 5.0)
START = Pose2D(0.0, 0.0, 0.0)
LAWS = list(LawName)
BY_TIME = [LawName.PD_PURSUIT, LawName.KANAYAMA, LawName.LQR]
BY_PATH = [LawName.PURE_PURSUIT, LawName.PATH_FOLLOWING]
DRIVE = DifferentialDrive(0.094, 0.166)
PERIOD_S = 0.05

STRAIGHT = plan_fastest(Path([Line(START, 2.0)]), LIMITS)
BACKWARD = plan_fastest(Path([Line(START, 2.0, is_backward=True)]), LIMITS)
CURVE = plan_fastest(Path([Arc(START, 1.5, 4.0)]), LIMITS)
MIRRORED = plan_fastest(Path([Arc(START, 1.5, -4.0)]), LIMITS)
CORNER = plan_fastest(
    Path([Line(START, 0.4), Turn(Pose2D(0.4, 0.0, 0.0), 2.0), Line(Pose2D(0.4, 0.0, 2.0), 0.3)]), LIMITS
)
BACK = plan_fastest(
    Path([Line(START, 0.4), Turn(Pose2D(0.4, 0.0, 0.0), math.pi), Line(Pose2D(0.4, 0.0, math.pi), 0.4)]), LIMITS
)
SHUTTLE = plan_fastest(
    Path([Line(START, 0.3), Line(Pose2D(0.3, 0.0, 0.0), 0.3, is_backward=True), Turn(START, -1.0)]), LIMITS
)
PLANS = [STRAIGHT, BACKWARD, CURVE, CORNER, BACK, SHUTTLE]


def law_of(name: LawName, trajectory: Trajectory) -> ControlLaw:
    return choose_law(trajectory, replace(TRACKER, law=name))


def at(pose: Pose2D, time_s: float, twist: Twist2D = STILL, lag_s: float = 0.0) -> ControlInput:
    return ControlInput(pose, twist, time_s, PERIOD_S, lag_s)


def drive(law: ControlLaw, pose: Pose2D, seconds: float, from_s: float = 0.0) -> list[Pose2D]:
    """Apply a law's commands at once, within the wheels' limits; return the poses at its steps."""
    poses, twist = [pose], STILL
    for step in range(round(seconds / PERIOD_S)):
        command = law.step(at(pose, from_s + step * PERIOD_S, twist))
        speeds = DRIVE.wheel_speeds(command)
        twist = DRIVE.twist(speeds)
        pose = DRIVE.advance(pose, speeds.left_mps * PERIOD_S, speeds.right_mps * PERIOD_S)
        poses.append(pose)
    return poses


def test_errors_are_expressed_in_the_frame_of_the_reference() -> None:
    error = tracking_error(Pose2D(1.0, 1.0, math.pi / 2), Pose2D(1.1, 1.3, math.pi / 2))
    assert (error.along_m, error.cross_m, error.heading_rad) == pytest.approx((0.3, -0.1, 0.0))


def test_heading_errors_are_wrapped() -> None:
    error = tracking_error(Pose2D(0, 0, math.radians(-170)), Pose2D(0, 0, math.radians(170)))
    assert error.heading_rad == pytest.approx(math.radians(-20))


@pytest.mark.parametrize("name", LAWS)
def test_every_law_reports_whether_it_tracks_time_or_path(name: LawName) -> None:
    assert law_of(name, STRAIGHT).tracks is (Tracks.TIME if name in BY_TIME else Tracks.PATH)


@pytest.mark.parametrize("name", [LawName.KANAYAMA, LawName.LQR])
@pytest.mark.parametrize("trajectory", PLANS)
@pytest.mark.parametrize("share", [0.03, 0.3, 0.5, 0.77])
def test_without_error_the_law_returns_its_feed_forward(name: LawName, trajectory: Trajectory, share: float) -> None:
    time_s = share * trajectory.duration_s
    reference = trajectory.sample(time_s)
    control_input = at(reference.pose, time_s, reference.twist, lag_s=0.1)
    command, expected = law_of(name, trajectory).step(control_input), feed_forward(trajectory, control_input)
    assert command.linear_mps == pytest.approx(expected.linear_mps, abs=1e-9)
    assert command.angular_radps == pytest.approx(expected.angular_radps, abs=1e-9)


def test_feed_forward_makes_lagging_wheels_follow_the_reference() -> None:
    """A speed that rises by a = 0.12 m/s^2 needs an input that is tau a ahead: w' = (u - w) / tau."""
    forward = feed_forward(STRAIGHT, at(START, 0.3, lag_s=0.1))
    assert forward.linear_mps == pytest.approx(0.12 * (0.3 + 0.5 * PERIOD_S) + 0.1 * 0.12)


@pytest.mark.parametrize("name", BY_PATH)
def test_without_error_the_law_follows_the_curvature_of_the_path(name: LawName) -> None:
    law = law_of(name, CURVE)
    time_s = 0.5 * CURVE.duration_s
    command = law.step(at(CURVE.sample(time_s).pose, time_s))
    assert command.linear_mps == pytest.approx(0.1, rel=1e-6)
    assert command.angular_radps == pytest.approx(0.4, rel=1e-6)


@pytest.mark.parametrize(
    ("along_m", "cross_m", "heading_rad"), [(0.02, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, 0.1), (0.01, -0.02, 0.2)]
)
def test_the_published_law_has_the_published_gains(along_m: float, cross_m: float, heading_rad: float) -> None:
    trajectory = plan_fastest(Path([Line(START, 2.0)]), LIMITS)
    speed_mps = 2.0 / trajectory.duration_s
    law = law_of(LawName.PD_PURSUIT, trajectory)
    command = law.step(at(Pose2D(10.0 * speed_mps - along_m, -cross_m, -heading_rad), 10.0))
    assert command.linear_mps == pytest.approx(speed_mps + 1.0 * along_m)
    assert command.angular_radps == pytest.approx(20.0 * cross_m + 5.0 * heading_rad)


def test_published_reference_jumps_by_a_whole_turn_where_its_heading_wraps() -> None:
    trajectory = plan_fastest(Path([Arc(Pose2D(0.0, 0.0, math.pi - 0.1), 0.5, 1.0)]), LIMITS)
    law = law_of(LawName.PD_PURSUIT, trajectory)
    rates = [law.step(at(trajectory.sample(k * PERIOD_S).pose, k * PERIOD_S)).angular_radps for k in range(40)]
    assert min(rates) < -0.9 * math.tau / PERIOD_S


def lateral_poles(step: Callable[[Pose2D], Twist2D], reference: Pose2D, speed_mps: float) -> list[complex]:
    """Return a law's poles in offset and heading about a straight reference, by finite differences."""
    small = 1e-5
    still = step(reference).angular_radps
    by_offset = (step(Pose2D(reference.x_m, reference.y_m + small, 0.0)).angular_radps - still) / small
    by_heading = (step(Pose2D(reference.x_m, reference.y_m, small)).angular_radps - still) / small
    poles = np.linalg.eigvals(np.array([[0.0, speed_mps], [by_offset, by_heading]]))
    return sorted(poles.tolist(), key=lambda pole: (pole.real, pole.imag))


@pytest.mark.parametrize(
    ("name", "poles"),
    [
        (LawName.PD_PURSUIT, [-4.56, -0.44]),
        (LawName.KANAYAMA, [-3.28, -1.22]),
        (LawName.PATH_FOLLOWING, [-2.0, -2.0]),
        (LawName.PURE_PURSUIT, [(-1 - 1j) * 0.1 / 0.06, (-1 + 1j) * 0.1 / 0.06]),
    ],
)
def test_poles_at_cruising_speed_are_those_of_the_docstring(name: LawName, poles: list[complex]) -> None:
    trajectory = plan_fastest(Path([Line(START, 20.0)]), LIMITS)
    time_s = 100.0
    reference = trajectory.sample(time_s).pose
    speed_mps = 0.1 if name is not LawName.PD_PURSUIT else 20.0 / trajectory.duration_s
    if name is LawName.PD_PURSUIT:
        reference = Pose2D(speed_mps * time_s, 0.0, 0.0)
    found = lateral_poles(lambda pose: law_of(name, trajectory).step(at(pose, time_s)), reference, speed_mps)
    assert found == pytest.approx(poles, abs=0.02)


@pytest.mark.parametrize("speed_mps", [-0.14, 0.02, 0.1, 0.14])
@pytest.mark.parametrize("rate_radps", [-2.8, 0.0, 0.5, 2.8])
@pytest.mark.parametrize("lag_s", [0.0, 0.05, 0.15])
def test_optimal_gains_solve_the_riccati_equation_and_are_stable(
    speed_mps: float, rate_radps: float, lag_s: float
) -> None:
    a, b = model(speed_mps, rate_radps, lag_s, PERIOD_S)
    q, r = np.diag([1e5, 1e6, 4e2, 0.0, 0.0]), np.diag([1e3, 4.0])
    gain = optimal_gain(a, b, q, r)
    closed = a - b @ gain
    assert abs(np.linalg.eigvals(closed)).max() < 1.0
    # the solution that yields this gain is the summed cost-to-go of the closed loop
    cost, step, term = np.zeros((5, 5)), np.eye(5), q + gain.T @ r @ gain
    for _ in range(4000):
        cost += step.T @ term @ step
        step = closed @ step
    assert gain == pytest.approx(np.linalg.solve(r + b.T @ cost @ b, b.T @ cost @ a), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", LAWS)
@given(
    cross_m=st.floats(-0.05, 0.05),
    along_m=st.floats(-0.03, 0.03),
    heading_rad=st.floats(-0.5, 0.5),
    share=st.floats(0.1, 0.9),
)
@settings(max_examples=40, deadline=None)
def test_left_and_right_are_mirror_images(
    name: LawName, cross_m: float, along_m: float, heading_rad: float, share: float
) -> None:
    time_s = share * CURVE.duration_s
    left_place, right_place = CURVE.sample(time_s).pose, MIRRORED.sample(time_s).pose
    left = law_of(name, CURVE).step(at(left_place.compose(Pose2D(along_m, cross_m, heading_rad)), time_s))
    right = law_of(name, MIRRORED).step(at(right_place.compose(Pose2D(along_m, -cross_m, -heading_rad)), time_s))
    assert right.linear_mps == pytest.approx(left.linear_mps, abs=1e-7)
    assert right.angular_radps == pytest.approx(-left.angular_radps, abs=1e-6)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("trajectory", PLANS)
@given(
    x_m=st.floats(-1e3, 1e3),
    y_m=st.floats(-1e3, 1e3),
    heading_rad=st.floats(-1e3, 1e3),
    time_s=st.floats(0.0, 1e4),
    linear_mps=st.floats(-1.0, 1.0),
    angular_radps=st.floats(-20.0, 20.0),
)
@settings(max_examples=25, deadline=None)
def test_commands_are_finite_for_any_finite_state(
    name: LawName,
    trajectory: Trajectory,
    x_m: float,
    y_m: float,
    heading_rad: float,
    time_s: float,
    linear_mps: float,
    angular_radps: float,
) -> None:
    law = law_of(name, trajectory)
    twist = Twist2D(linear_mps, angular_radps)
    for _ in range(3):
        command = law.step(ControlInput(Pose2D(x_m, y_m, heading_rad), twist, time_s, PERIOD_S, 0.1))
        assert math.isfinite(command.linear_mps)
        assert math.isfinite(command.angular_radps)
        speeds = DRIVE.wheel_speeds(command)
        assert max(abs(speeds.left_mps), abs(speeds.right_mps)) <= 0.166 + 1e-12


@pytest.mark.parametrize("name", [name for name in LAWS if name is not LawName.PD_PURSUIT])
@pytest.mark.parametrize("trajectory", PLANS)
def test_robot_with_perfect_wheels_reaches_the_end(name: LawName, trajectory: Trajectory) -> None:
    law = law_of(name, trajectory)
    end = drive(law, Pose2D(0.005, -0.01, 0.1), 1.5 * trajectory.duration_s + 2.0)[-1]
    goal = trajectory.path.end
    assert law.plan_time_s >= trajectory.duration_s
    assert end.distance_to(goal) < 0.006
    assert abs(end.heading_error_to(goal)) < math.radians(5.0)


@pytest.mark.parametrize("name", LAWS)
def test_an_offset_vanishes(name: LawName) -> None:
    poses = drive(law_of(name, STRAIGHT), Pose2D(0.0, 0.02, 0.0), 0.8 * STRAIGHT.duration_s)
    assert abs(poses[-1].y_m) < 0.001


@pytest.mark.parametrize("name", BY_TIME)
def test_robot_beside_its_goal_reaches_the_goal_heading(name: LawName) -> None:
    last = drive(law_of(name, STRAIGHT), Pose2D(2.0, 0.001, 0.05), 3.0, from_s=STRAIGHT.duration_s)[-1]
    assert abs(last.heading_rad) < 0.005


@pytest.mark.parametrize("name", BY_PATH)
@pytest.mark.parametrize("noise_rad", [-0.05, 0.05])
def test_turning_back_keeps_the_planned_direction_despite_small_heading_errors(name: LawName, noise_rad: float) -> None:
    law = law_of(name, BACK)
    time_s = BACK.legs[0].duration_s + 0.01
    command = law.step(at(Pose2D(0.4, 0.0, noise_rad), time_s))
    assert command.angular_radps > 0.5


@pytest.mark.parametrize("name", [name for name in LAWS if name is not LawName.PD_PURSUIT])
def test_robot_facing_the_wrong_way_does_not_drive_away(name: LawName) -> None:
    poses = drive(law_of(name, STRAIGHT), Pose2D(0.0, 0.0, 3.0), 8.0)
    assert max(math.hypot(pose.x_m - 0.4, pose.y_m) for pose in poses) < 0.5
    assert abs(poses[-1].heading_rad) < 0.3


@pytest.mark.parametrize("before", [LawName.LQR, LawName.PATH_FOLLOWING])
@pytest.mark.parametrize("after", [LawName.KANAYAMA, LawName.PURE_PURSUIT])
def test_law_continues_where_another_law_left_off(before: LawName, after: LawName) -> None:
    first = law_of(before, CORNER)
    here = drive(first, START, 0.7 * CORNER.duration_s)[-1]
    second = law_of(after, CORNER)
    end = drive(second, here, 1.5 * CORNER.duration_s, from_s=first.plan_time_s)[-1]
    assert end.distance_to(CORNER.path.end) < 0.006


def test_every_law_is_chosen_by_its_name_in_fleet_yaml(tmp_path: FilePath) -> None:
    robots = "robots:\n- {id: 1, node_id: 1, home: {x_m: 0.0, y_m: 0.0}}\n"
    chosen = [read(tmp_path, f"tracker: {{law: {name.value}}}\n{robots}").tracker.law for name in LAWS]
    assert chosen == LAWS
