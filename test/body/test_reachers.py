"""Reachers reach their goals, or say why not."""

import numpy as np
import pytest

from bench.body.arm_loop import ArmLoop, example_body
from body.control.joint_pid import PidGains
from body.control.vector_field import FieldShape
from body.description.robot_tree import Floats
from body.errors import ReacherError
from body.kinematics.chain import KinematicChain
from body.reachers.joint_reacher import JointReacher, JointSettings
from body.reachers.reacher import EndReason, GoalEnd
from body.reachers.sim_contact_reacher import Contact, SimContactReacher
from body.reachers.touch_contact_extender import TouchContactExtender, TouchSettings
from body.reachers.vector_field_reacher import FieldSettings, PoseGoal, VectorFieldReacher

ARM = example_body("arm")
BENT = np.array([0.3, 0.5, -0.2, 0.9, 0.1, -0.6, 0.4])
HAND = KinematicChain(ARM, "robot-base", "hand_link")
JOINTS = tuple(f"arm_j{index}" for index in range(7))


def field() -> VectorFieldReacher:
    reacher = VectorFieldReacher(ARM)
    reacher.configure(FieldSettings("robot-base", "hand_link"))
    return reacher


def finish(loop: ArmLoop, reacher: VectorFieldReacher | JointReacher | SimContactReacher, longest_s: float) -> GoalEnd:
    """Step until the goal ends; fail after a simulated time."""
    while loop.now_ns < longest_s * 1e9:
        loop.step()
        end = reacher.take_end()
        if end is not None:
            return end
    raise AssertionError(f"no end within {longest_s} s")


def goal(pose: Floats, timeout_s: float = 0.0) -> PoseGoal:
    return PoseGoal(pose, np.zeros(6), timeout_s)


def test_hand_reaches_its_goal_along_a_straight_way() -> None:
    reacher, loop = field(), None
    wanted = HAND.pose(BENT + 0.3)
    reacher.start(goal(wanted), 1)
    loop = ArmLoop(ARM, [(reacher, 1.0)], BENT)
    places = [HAND.pose(BENT)[:3, 3]]
    end = None
    while end is None and loop.now_ns < 20e9:
        loop.step()
        places.append(HAND.pose(loop.arm.positions)[:3, 3])
        end = reacher.take_end()
    assert end is not None
    assert end.reason is EndReason.REACHED
    assert np.linalg.norm(places[-1] - wanted[:3, 3]) < 0.001
    way = np.linalg.norm(np.diff(places, axis=0), axis=1).sum()
    assert way / np.linalg.norm(places[0] - wanted[:3, 3]) < 1.05


def test_goal_out_of_reach_ends_stuck_with_what_is_missing() -> None:
    reacher = field()
    far = HAND.pose(BENT)
    far[:3, 3] += (2.0, 0.0, 0.0)
    reacher.start(goal(far), 1)
    end = finish(ArmLoop(ARM, [(reacher, 1.0)], BENT), reacher, 40.0)
    assert end.reason is EndReason.STUCK
    assert end.error[0] > 1.0


def test_goal_ends_at_its_timeout() -> None:
    reacher = field()
    reacher.start(goal(HAND.pose(BENT + 0.5), timeout_s=0.5), 1)
    loop = ArmLoop(ARM, [(reacher, 1.0)], BENT)
    assert finish(loop, reacher, 10.0).reason is EndReason.TIMEOUT
    assert loop.now_ns == pytest.approx(0.5e9, abs=1e7)


def test_arm_stops_and_the_goal_ends_when_no_state_arrives() -> None:
    reacher = field()
    reacher.start(goal(HAND.pose(BENT + 0.5)), 1)
    loop = ArmLoop(ARM, [(reacher, 1.0)], BENT)
    loop.run(0.3)
    loop.deaf = True
    loop.run(0.6)
    standing = loop.references.copy()
    assert finish(loop, reacher, 10.0).reason is EndReason.STALE_STATE
    np.testing.assert_array_equal(loop.references, standing)


def test_later_goal_preempts_the_earlier_one() -> None:
    reacher = field()
    reacher.start(goal(HAND.pose(BENT)), 1)
    reacher.start(goal(HAND.pose(BENT + 0.1)), 2)
    end = reacher.take_end()
    assert end is not None
    assert end.reason is EndReason.PREEMPTED
    assert reacher.is_busy


def test_arm_holds_after_a_goal() -> None:
    reacher = field()
    reacher.start(goal(HAND.pose(BENT + 0.1)), 1)
    loop = ArmLoop(ARM, [(reacher, 1.0)], BENT)
    finish(loop, reacher, 10.0)
    loop.run(0.5)
    standing = loop.arm.positions
    loop.run(1.0)
    np.testing.assert_allclose(loop.arm.positions, standing, atol=1e-6)


def test_goal_before_the_links_are_chosen_is_refused() -> None:
    with pytest.raises(ReacherError, match="set the parameters base_link and end_link"):
        VectorFieldReacher(ARM).start(goal(np.eye(4)), 1)


def test_chain_without_moving_joints_is_refused() -> None:
    with pytest.raises(ReacherError, match="no joint between hand_link and hand_link can be moved"):
        VectorFieldReacher(ARM).configure(FieldSettings("hand_link", "hand_link"))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"joint_weights": (1.0, 1.0)}, "joint_weights has 2 numbers; between robot-base and hand_link 7 motions"),
        ({"posture": (0.0,) * 6}, "posture has 6 numbers; between robot-base and hand_link there are 7 joints"),
        ({"posture": (0.0, 9.0, 0, 0, 0, 0, 0)}, "posture has 9 for arm_j1: beyond its limits"),
    ],
)
def test_numbers_must_fit_the_chain(settings: dict[str, tuple[float, ...]], expected: str) -> None:
    with pytest.raises(ReacherError, match=expected):
        field().configure(FieldSettings("robot-base", "hand_link", **settings))  # type: ignore[arg-type]


def test_joints_tend_to_the_posture_where_the_hand_leaves_them_free() -> None:
    reached = {}
    for posture in ((), tuple(BENT - 0.2)):
        reacher = field()
        anywhere = np.array([1.0, 1, 1, 0, 0, 0])
        reacher.configure(FieldSettings("robot-base", "hand_link", task_weights=anywhere, posture=posture))
        reacher.start(goal(HAND.pose(BENT + 0.2)), 1)
        loop = ArmLoop(ARM, [(reacher, 1.0)], BENT)
        assert finish(loop, reacher, 20.0).reason is EndReason.REACHED
        reached[posture] = float(np.linalg.norm(loop.arm.positions - (BENT - 0.2)))
    free, pulled = reached.values()
    assert pulled < 0.85 * free


def test_wiring_of_a_body_does_not_change_its_motion() -> None:
    ends = []
    for name in ("arm", "arm_by_motor"):
        layout = example_body(name)
        reacher = VectorFieldReacher(layout)
        reacher.configure(FieldSettings("robot-base", "hand_link"))
        loop = ArmLoop(layout, [(reacher, 1.0)], BENT)
        reacher.start(goal(HAND.pose(BENT + 0.3)), 1)
        assert finish(loop, reacher, 20.0).reason is EndReason.REACHED
        ends.append(loop.arm.positions)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


def test_faster_shape_arrives_sooner() -> None:
    times = []
    for speed in (0.1, 0.3):
        reacher = field()
        shape = FieldShape(speed, 2.0, 0.05)
        reacher.configure(FieldSettings("robot-base", "hand_link", shape))
        reacher.start(goal(HAND.pose(BENT + 0.2)), 1)
        loop = ArmLoop(ARM, [(reacher, 1.0)], BENT)
        assert finish(loop, reacher, 20.0).reason is EndReason.REACHED
        times.append(loop.now_ns)
    assert times[1] < times[0]


def test_step_of_a_radian_settles_without_overshoot() -> None:
    reacher = JointReacher(ARM)
    reacher.configure(JointSettings(JOINTS))
    reacher.start({"arm_j0": 1.0}, 1)
    loop = ArmLoop(ARM, [(reacher, 1.0)], np.zeros(7))
    highest = 0.0
    end = None
    while end is None and loop.now_ns < 5e9:
        loop.step()
        highest = max(highest, loop.arm.positions[0])
        end = reacher.take_end()
    assert end is not None
    assert end.reason is EndReason.REACHED
    assert highest <= 1.02
    assert loop.now_ns <= 3e9
    np.testing.assert_allclose(loop.arm.positions[1:], 0.0, atol=1e-9)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"arm_j1": 0.1}, "arm_j1 is not in the parameter joints: arm_j0"),
        ({"arm_j0": 4.0}, "4 is beyond its limits, -2.967 to 2.967"),
        ({"arm_j0": float("nan")}, "beyond its limits"),
        ({}, "names no joint"),
    ],
)
def test_bad_joint_goal_is_refused_and_the_old_one_goes_on(wanted: dict[str, float], expected: str) -> None:
    reacher = JointReacher(ARM)
    reacher.configure(JointSettings(("arm_j0",)))
    reacher.start({"arm_j0": 0.5}, 1)
    with pytest.raises(ReacherError, match=expected):
        reacher.start(wanted, 2)
    assert reacher.is_busy
    assert reacher.take_end() is None


@pytest.mark.parametrize("joints", [("nobody",), ("arm_j0", "arm_j0"), ("hand_joint",)])
def test_joints_that_cannot_be_moved_are_refused(joints: tuple[str, ...]) -> None:
    with pytest.raises(ReacherError):
        JointReacher(ARM).configure(JointSettings(joints))


def test_gains_change_while_a_joint_moves() -> None:
    reacher = JointReacher(ARM)
    reacher.configure(JointSettings(("arm_j0",)))
    reacher.start({"arm_j0": 2.0}, 1)
    loop = ArmLoop(ARM, [(reacher, 1.0)], np.zeros(7))
    loop.run(0.5)
    reacher.configure(JointSettings(("arm_j0",), PidGains(5.0, 0.1, 0.0)))
    assert finish(loop, reacher, 10.0).reason is EndReason.REACHED


@pytest.mark.parametrize("link", ["arm_link_3", "arm_link_4", "arm_link_6", "hand_link"])
def test_simulated_contact_is_estimated_from_its_torques(link: str) -> None:
    force = np.array([3.0, -8.0, 5.0])
    point = np.array([0.02, 0.01, 0.05])
    contact = SimContactReacher(ARM)
    contact.start(Contact(link, point, np.concatenate([force, np.zeros(3)])), 1)
    loop = ArmLoop(ARM, [(contact, 1.0)], BENT)
    loop.run(0.1)
    touch = TouchContactExtender(ARM)
    touch.configure(TouchSettings(noise_nm=(0.001,)))
    touch.touch(link, point)
    found = touch.estimate(loop.state, loop.now_ns)
    assert found is not None
    assert found.deviations[:3].max() < 0.1
    np.testing.assert_allclose(found.wrench[:3], force, rtol=0.01)


def test_contact_that_too_few_joints_feel_says_so() -> None:
    contact = SimContactReacher(ARM)
    contact.start(Contact("arm_link_0", np.array([0.1, 0.0, 0.1]), np.array([3.0, -8.0, 5.0, 0, 0, 0])), 1)
    loop = ArmLoop(ARM, [(contact, 1.0)], BENT)
    loop.run(0.1)
    touch = TouchContactExtender(ARM)
    touch.touch("arm_link_0", np.array([0.1, 0.0, 0.1]))
    found = touch.estimate(loop.state, loop.now_ns)
    assert found is not None
    np.testing.assert_allclose(found.wrench[:3], (0.0, -8.0, 0.0), atol=0.01)
    assert (found.deviations[:3] > 100).tolist() == [True, False, True]


def test_force_on_a_link_does_not_appear_beyond_it() -> None:
    contact = SimContactReacher(ARM)
    contact.start(Contact("arm_link_1", np.array([0.0, 0.05, 0.1]), np.array([5.0, 5.0, 5.0, 0, 0, 0])), 1)
    loop = ArmLoop(ARM, [(contact, 1.0)], BENT)
    loop.run(0.1)
    assert loop.arm.torques[:2].any()
    assert not loop.arm.torques[2:].any()


def test_contact_ends_after_its_duration_and_leaves_no_torque() -> None:
    contact = SimContactReacher(ARM)
    contact.start(Contact("hand_link", np.zeros(3), np.array([5.0, 0, 0, 0, 0, 0]), duration_s=0.2), 1)
    loop = ArmLoop(ARM, [(contact, 1.0)], BENT)
    assert finish(loop, contact, 1.0).reason is EndReason.REACHED
    loop.run(0.05)
    assert not loop.arm.torques.any()


def test_tare_takes_the_present_torques_as_zero() -> None:
    contact = SimContactReacher(ARM)
    contact.start(Contact("hand_link", np.zeros(3), np.array([5.0, 0, 0, 0, 0, 0])), 1)
    loop = ArmLoop(ARM, [(contact, 1.0)], BENT)
    loop.run(0.1)
    touch = TouchContactExtender(ARM)
    touch.touch("hand_link", np.zeros(3))
    touch.tare(loop.state)
    found = touch.estimate(loop.state, loop.now_ns)
    assert found is not None
    np.testing.assert_allclose(found.wrench, 0.0, atol=1e-9)


@pytest.mark.parametrize(("base", "end"), [("", "nolink"), ("nolink", ""), ("robot-base", "nolink")])
def test_each_link_is_checked_when_it_is_set(base: str, end: str) -> None:
    with pytest.raises(ReacherError, match="there is no link 'nolink'; the robot has robot-base, "):
        VectorFieldReacher(ARM).configure(FieldSettings(base, end))
    with pytest.raises(ReacherError, match="there is no link 'nolink'; the robot has robot-base, "):
        TouchContactExtender(ARM).configure(TouchSettings(base, end))
