"""The coupler adds what reachers command, keeps all limits, and publishes while somebody drives."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.body.arm_loop import ArmLoop, example_body
from bench.body.random_reachers import violations
from body.coupling.coupler import Coupler
from body.description.urdf_reader import read_urdf
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BoardRow, BodyState, Share
from body.reachers.joint_reacher import JointReacher, JointSettings
from harness.body.urdf_text import joint, robot, variable

ARM = example_body("arm")
SECOND = 1_000_000_000
TWO = BodyLayout(
    read_urdf(
        robot(
            joint("j", "a", "b", variables=[variable("q", "state"), variable("q_ref", "cmd")]),
            joint("k", "b", "c", variables=[variable("q", "state", index=1), variable("q_ref", "cmd", index=1)]),
            links="abc",
        )
    )
)


def share(*velocities: float, drives: tuple[float, ...] = (1.0, 1.0)) -> Share:
    return Share(np.array(velocities), np.zeros(2), np.array(drives))


def known(now_ns: int, *positions: float) -> BodyState:
    values, stamps = np.zeros(4), np.full(4, now_ns, dtype=np.int64)
    values[[0, 2]] = positions or (0.0, 0.0)
    return BodyState(values, stamps)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_no_limit_is_passed_whatever_reachers_command(seed: int) -> None:
    assert violations(0.4, seed) == 0


@given(st.tuples(*[st.floats(-0.3, 0.3)] * 4), st.floats(0.0, 2.0), st.floats(0.0, 2.0))
def test_commands_are_the_sum_of_what_each_would_command_alone(
    speeds: tuple[float, ...], one: float, other: float
) -> None:
    rows = [BoardRow(1, one, share(*speeds[:2])), BoardRow(1, other, share(*speeds[2:]))]
    alone = [Coupler(TWO, 0.01).step(known(1), [row], 1).values for row in rows]
    both = Coupler(TWO, 0.01).step(known(1), rows, 1).values
    np.testing.assert_allclose(both, alone[0] + alone[1], atol=1e-12)


def test_weight_zero_publishes_nothing() -> None:
    assert not Coupler(TWO, 0.01).step(known(1), [BoardRow(1, 0.0, share(1.0, 1.0))], 1).topics


def test_last_command_is_rest_where_the_joint_is_held() -> None:
    coupler = Coupler(TWO, 0.01)
    moving = coupler.step(known(1), [BoardRow(1, 1.0, share(1.0, 0.0))], 1)
    last = coupler.step(known(2), [], 2)
    assert (last.topics, last.values[1]) == (frozenset({"driver/cmd"}), moving.values[1])
    assert not coupler.step(known(3), [], 3).topics


def test_joints_beside_in_the_same_message_are_held_where_they_were() -> None:
    coupler = Coupler(TWO, 0.01)
    only_first = share(1.0, 5.0, drives=(1.0, 0.0))
    for now_ns in range(1, 50):
        commands = coupler.step(known(now_ns, 0.0, 0.3 + 0.001 * now_ns), [BoardRow(1, 1.0, only_first)], now_ns)
    assert commands.values[3] == pytest.approx(0.301)


def test_message_is_not_sent_while_the_position_of_a_joint_in_it_is_unknown() -> None:
    state = known(1)
    state.stamps_ns[2] = 0
    assert not Coupler(TWO, 0.01).step(state, [BoardRow(1, 1.0, share(1.0, 0.0, drives=(1.0, 0.0)))], 1).topics


def test_references_hold_while_the_state_is_too_old() -> None:
    coupler = Coupler(TWO, 0.01)
    rows = [BoardRow(1, 1.0, share(1.0, 1.0))]
    first = coupler.step(known(1), rows, 1)
    later = coupler.step(known(1), rows, SECOND)
    assert later.topics
    np.testing.assert_array_equal(later.values, first.values)


def test_two_arms_do_not_disturb_each_other() -> None:
    settings = JointSettings(("arm_j0", "arm_j1"))
    one, other = JointReacher(ARM), JointReacher(ARM)
    one.configure(settings)
    other.configure(JointSettings(("arm_j5",)))
    one.start({"arm_j0": 1.0, "arm_j1": -0.5}, 1)
    alone = ArmLoop(ARM, [(one, 1.0)], np.zeros(7))
    alone.run(1.0)
    again = JointReacher(ARM)
    again.configure(settings)
    again.start({"arm_j0": 1.0, "arm_j1": -0.5}, 1)
    other.start({"arm_j5": 0.3}, 1)
    both = ArmLoop(ARM, [(again, 1.0), (other, 1.0)], np.zeros(7))
    both.run(1.0)
    np.testing.assert_allclose(both.arm.positions[:2], alone.arm.positions[:2], atol=1e-9)


GARBAGE = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324]


@given(st.lists(st.sampled_from(GARBAGE), min_size=7, max_size=7))
def test_row_of_garbage_is_ignored(numbers: list[float]) -> None:
    bad = BoardRow(1, numbers[6], Share(np.array(numbers[:2]), np.array(numbers[2:4]), np.array(numbers[4:6])))
    good = BoardRow(1, 1.0, share(0.2, 0.1))
    commands = Coupler(TWO, 0.01).step(known(1), [bad, good], 1)
    assert np.isfinite(commands.values).all()
    assert np.abs(commands.values[[1, 3]]).max() <= 0.01 * 1.5 + 1e-12  # the fastest that the joints may move


def test_failed_step_keeps_the_driven_references() -> None:
    coupler = Coupler(TWO, 0.01)
    moving = coupler.step(known(1), [BoardRow(1, 1.0, share(1.0, 0.0))], 1)
    rest = coupler.rest(2)
    np.testing.assert_array_equal(rest.values[[1, 3]], moving.values[[1, 3]])
    assert rest.topics == moving.topics
    after = coupler.step(known(3), [BoardRow(1, 1.0, share(1.0, 0.0))], 3)
    assert after.values[1] > moving.values[1]


def test_command_that_is_not_finite_is_refused_and_not_kept() -> None:
    coupler = Coupler(TWO, 0.01)
    moving = coupler.step(known(1), [BoardRow(1, 1.0, share(1.0, 0.0))], 1)
    with pytest.raises(ArithmeticError):
        coupler.step(known(2, math.nan, 0.0), [BoardRow(1, 1.0, share(1.0, 0.0))], 2_000_000_000)
    np.testing.assert_array_equal(coupler.rest(3).values, moving.values)
