"""Field, inverse kinematics, guard, PID and contact, against closed forms and for any numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from body.control.contact import PRIOR_N, estimate_wrench, torques_of
from body.control.guard import kept_inside, next_reference, scaled_to_speed
from body.control.inverse_velocity import SINGULAR, limit_weights, solve, solve_within_limits
from body.control.joint_pid import JointPid, PidGains
from body.control.vector_field import FieldShape, field_velocity, pose_error

SHAPE = FieldShape(speed_mps=0.2, turn_radps=1.0, slow_down_m=0.05)
numbers = st.floats(-2.0, 2.0)
sixes = st.lists(numbers, min_size=6, max_size=6).map(np.array)


@given(sixes)
def test_field_leads_straight_to_the_goal_and_never_too_fast(error: np.ndarray) -> None:
    velocity = field_velocity(error, SHAPE)
    assert np.linalg.norm(velocity[:3]) <= 0.2 + 1e-12
    assert np.linalg.norm(velocity[3:]) <= 1.0 + 1e-12
    assert np.linalg.norm(velocity) * np.linalg.norm(error) == pytest.approx(velocity @ error)


@given(st.floats(0.001, 2.0))
def test_field_without_a_turn_is_the_point_attractor(distance: float) -> None:
    velocity = field_velocity(np.array([distance, 0, 0, 0, 0, 0]), SHAPE)
    assert velocity[0] == pytest.approx(0.2 * min(1.0, distance / 0.05))


def test_pure_turn_is_bounded() -> None:
    assert field_velocity(np.array([0, 0, 0, 0, 0, 3.0]), SHAPE)[5] == pytest.approx(1.0)


def test_pose_error_has_the_way_and_the_turn() -> None:
    goal = np.eye(4)
    goal[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    goal[:3, 3] = (1, 2, 3)
    np.testing.assert_allclose(pose_error(np.eye(4), goal), (1, 2, 3, 0, 0, math.pi / 2), atol=1e-12)


@given(st.integers(0, 1000))
def test_solution_gives_the_velocity_where_all_is_free(seed: int) -> None:
    rng = np.random.default_rng(seed)
    jacobian, velocity = rng.normal(size=(6, 7)), rng.normal(size=6)
    if np.linalg.svd(jacobian)[1][-1] > 0.05:
        found = solve(jacobian, velocity, np.ones(6), np.ones(7))
        np.testing.assert_allclose(jacobian @ found, velocity, atol=1e-9)


@given(st.integers(0, 1000))
def test_pull_moves_joints_and_never_the_link(seed: int) -> None:
    rng = np.random.default_rng(seed)
    jacobian = rng.normal(size=(6, 9)) * np.where(rng.random(6) < 0.2, 1e-4, 1.0)[:, None]
    velocity, weights, joints = rng.normal(size=6), (rng.random(6) < 0.7).astype(float), rng.uniform(0.1, 2.0, 9)
    alone = solve(jacobian, velocity, weights, joints)
    pulled = solve(jacobian, velocity, weights, joints, rng.normal(size=9))
    np.testing.assert_allclose(weights * (jacobian @ pulled), weights * (jacobian @ alone), atol=1e-9)
    assert np.abs(pulled - alone).max() > 1e-3


@given(st.integers(0, 1000))
def test_solution_matches_the_singular_value_decomposition_in_all_poses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 7), rng.integers(1, 10)
    jacobian = rng.normal(size=(6, columns)) * 10.0 ** rng.uniform(-4, 0, 6)[:, None] ** (rng.random() < 0.5)
    velocity, joints, pull = rng.normal(size=6), rng.uniform(0.0, 2.0, columns), rng.normal(size=columns)
    weights = np.where(np.arange(6) < rows, 1.0, 0.0)
    u, s, vt = np.linalg.svd(jacobian[:rows] * joints, full_matrices=False)
    wanted = s / np.maximum(s, SINGULAR) ** 2 * (u.T @ velocity[:rows])
    found = solve(jacobian, velocity, weights, joints, pull)
    np.testing.assert_allclose(found, joints * (pull + vt.T @ (wanted - vt @ pull)), atol=1e-8)


def test_solution_stays_small_at_a_singular_pose() -> None:
    jacobian = np.zeros((6, 2))
    jacobian[0] = (1.0, 1e-9)
    jacobian[1] = (0.0, 1e-9)
    assert np.abs(solve(jacobian, np.array([0.0, 1.0, 0, 0, 0, 0]), np.ones(6), np.ones(2))).max() < 1.0


def test_axis_without_weight_is_free_and_joint_without_weight_does_not_move() -> None:
    found = solve(np.eye(6), np.ones(6), np.array([1, 1, 0, 0, 0, 0.0]), np.array([1, 0, 1, 1, 1, 1.0]))
    np.testing.assert_allclose(found, (1, 0, 0, 0, 0, 0), atol=1e-12)


def test_joint_near_its_limit_gets_less_weight_only_towards_it() -> None:
    limits = ([-1.0, -1.0, -math.inf], [1.0, 1.0, math.inf])
    found = limit_weights([0.8, 0.8, 50.0], [1.0, -1.0, 1.0], limits)
    np.testing.assert_allclose(found, (0.5, 1.0, 1.0))


@given(st.integers(0, 1000))
def test_joint_that_approaches_its_limit_has_its_weight_in_the_solution(seed: int) -> None:
    rng = np.random.default_rng(seed)
    limits = (np.full(7, -1.0), np.full(7, 1.0))
    positions = np.where(rng.random(7) < 0.3, 1.0, rng.uniform(-0.5, 0.5, 7))
    found, weights = solve_within_limits(
        rng.normal(size=(6, 7)), rng.normal(size=6), np.ones(6), np.ones(7), positions=positions, limits=limits
    )
    assert not found[weights == 0].any()
    assert (weights[positions < 0.6] == 1.0).all()


@given(st.lists(st.floats(), min_size=3, max_size=3).map(np.array))
def test_no_sum_is_faster_than_the_limits(velocities: np.ndarray) -> None:
    fastest = np.array([0.5, 1.0, np.inf])
    found = scaled_to_speed(velocities, fastest)
    assert (np.abs(found) <= fastest).all()
    assert np.isfinite(found).all()


def test_one_factor_scales_all_joints() -> None:
    np.testing.assert_allclose(scaled_to_speed(np.array([2.0, 1.0]), np.ones(2)), (1.0, 0.5))


@given(numbers, numbers, st.floats(-1e6, 1e6), st.floats(0.01, 3.0))
def test_reference_keeps_limits_speed_and_lead(start: float, measured: float, velocity: float, fastest: float) -> None:
    limits = (np.array([-1.0]), np.array([1.0]))
    reference = np.clip(np.array([start]), *limits)
    found = next_reference(
        reference, np.array([measured]), np.array([velocity]), limits,
        fastest=np.array([fastest]), lead=np.full(1, 0.1), period_s=0.01,
    )  # fmt: skip
    assert limits[0] <= found <= limits[1]
    assert abs(found - reference) <= fastest * 0.01 + 1e-12


def test_reference_does_not_run_away_from_a_joint_that_is_held() -> None:
    reference = measured = np.zeros(1)
    for _ in range(1000):
        reference = next_reference(
            reference, measured, np.ones(1), (np.full(1, -2.0), np.full(1, 2.0)),
            fastest=np.ones(1), lead=np.full(1, 0.1), period_s=0.01,
        )  # fmt: skip
    assert reference == pytest.approx(0.1)


@given(numbers, st.floats(-10, 10))
def test_velocity_command_stays_inside_for_the_horizon(measured: float, velocity: float) -> None:
    found = kept_inside(np.array([velocity]), np.array([measured]), (np.full(1, -1.0), np.full(1, 1.0)), 0.1)
    after = measured + float(found[0]) * 0.1
    assert -1 - 1e-9 <= after <= 1 + 1e-9 or abs(after) <= abs(measured)


def test_change_of_gains_makes_no_jump() -> None:
    pid = JointPid(1, PidGains(1.0, 0.0, 0.0))
    before = pid.step(np.array([1.0]), np.full(1, np.inf), 0.005)
    pid.change_gains(PidGains(3.0, 0.0, 0.0))
    jumps = []
    for _ in range(2000):
        after = pid.step(np.array([1.0]), np.full(1, np.inf), 0.005)
        jumps.append(abs(float((after - before)[0])))
        before = after
    assert max(jumps) < 0.1
    assert before == pytest.approx(3.0, abs=1e-3)


def test_integral_is_frozen_while_the_output_saturates() -> None:
    pid = JointPid(1, PidGains(1.0, 1.0, 0.0))
    for _ in range(1000):
        pid.step(np.array([5.0]), np.array([1.0]), 0.01)
    assert pid.step(np.array([-0.1]), np.array([1.0]), 0.01) < 0


@given(st.integers(0, 500))
def test_force_is_found_again_from_its_torques(seed: int) -> None:
    rng = np.random.default_rng(seed)
    jacobian, force = rng.normal(0, 0.3, (6, 7)), rng.uniform(-10, 10, 3)
    torques = torques_of(jacobian, np.concatenate([force, np.zeros(3)]))
    found = estimate_wrench(jacobian, torques, np.full(7, 0.05), has_torque=False)
    np.testing.assert_allclose(found.wrench[:3], force, rtol=0.01, atol=0.02)
    assert not found.wrench[3:].any()


def test_direction_that_no_joint_feels_is_zero_and_says_so() -> None:
    jacobian = np.zeros((6, 1))
    jacobian[0] = 0.3
    found = estimate_wrench(jacobian, np.array([3.0]), np.full(1, 0.05), has_torque=False)
    np.testing.assert_allclose(found.wrench[:3], (10, 0, 0), atol=1e-3)
    assert found.deviations[0] == pytest.approx(0.05 / 0.3, rel=1e-3)
    np.testing.assert_allclose(found.deviations[1:3], PRIOR_N)


def test_stated_deviation_covers_the_errors() -> None:
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(500):
        jacobian, force = rng.normal(0, 0.3, (6, 7)), rng.uniform(-10, 10, 3)
        noisy = torques_of(jacobian, np.concatenate([force, np.zeros(3)])) + rng.normal(0, 0.05, 7)
        found = estimate_wrench(jacobian, noisy, np.full(7, 0.05), has_torque=False)
        inside += int((np.abs(found.wrench[:3] - force) <= 1.96 * found.deviations[:3]).sum())
    assert 0.93 < inside / 1500 < 0.97
