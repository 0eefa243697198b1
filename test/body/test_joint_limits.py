"""Goals at limits are reached in the joint's own unit, nothing moves without a goal, and limbs are independent."""

import numpy as np
import pytest

from bench.body.arm_loop import ArmLoop
from body.coupling.coupler import Coupler
from body.description.urdf_reader import read_urdf
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BoardRow, BodyState, Share
from body.reachers.joint_reacher import JointReacher, JointSettings
from body.reachers.reacher import EndReason
from harness.body.urdf_text import joint, robot, variable

SLIDES = '<limit lower="0" upper="0.015" velocity="0.05" effort="1"/>'
TURNS = '<limit lower="0" upper="2.094" velocity="1.5" effort="1"/>'


def single(kind: str, limit: str, command: str = "q_ref") -> BodyLayout:
    variables = [variable("q", "state"), variable(command, "cmd")]
    return BodyLayout(read_urdf(robot(joint("j", "a", "b", kind=kind, limit=limit, variables=variables))))


GRIPPER = single("prismatic", SLIDES)
ELBOW = single("revolute", TURNS)
LIMBS = BodyLayout(
    read_urdf(
        robot(
            *(
                joint(
                    name, parent, child, variables=[variable("q", "state", index=i), variable("q_ref", "cmd", index=i)]
                )
                for i, (name, parent, child) in enumerate(
                    [("left0", "a", "b"), ("left1", "b", "c"), ("right0", "a", "d"), ("right1", "d", "e")]
                )
            ),
            links="abcde",
        )
    )
)


def reacher(layout: BodyLayout, **settings: float) -> JointReacher:
    found = JointReacher(layout)
    found.configure(JointSettings(("j",), **settings))  # type: ignore[arg-type]
    return found


def ended(layout: BodyLayout, start: float, wanted: float, **settings: float) -> tuple[EndReason, float]:
    """Return how a goal of joint j ends, and where."""
    moved = reacher(layout, **settings)
    loop = ArmLoop(layout, [(moved, 1.0)], np.array([start]))
    moved.start({"j": wanted}, 1)
    for _ in range(2000):
        loop.step()
        end = moved.take_end()
        if end is not None:
            return end.reason, float(loop.arm.positions[0])
    raise AssertionError("the goal has no end")


@pytest.mark.parametrize("wanted", [0.0, 0.004, 0.012, 0.015])
def test_gripper_reaches_each_place_of_its_range(wanted: float) -> None:
    reason, place = ended(GRIPPER, 0.007, wanted)
    assert reason is EndReason.REACHED
    assert place == pytest.approx(wanted, abs=0.0003)


@pytest.mark.parametrize("wanted", [0.0, 0.001, 2.0935, 2.094])
def test_joint_reaches_its_limits_however_precisely(wanted: float) -> None:
    reason, place = ended(ELBOW, 1.0, wanted, precision_rad=0.0005)
    assert reason is EndReason.REACHED
    assert place == pytest.approx(wanted, abs=0.0005)


@pytest.mark.parametrize("precision", [1.0, 100.0])
def test_precision_is_never_more_than_a_small_part_of_the_range(precision: float) -> None:
    assert ended(ELBOW, 1.0, 0.5, precision_rad=precision)[1] == pytest.approx(0.5, abs=0.05)
    assert ended(GRIPPER, 0.01, 0.004, precision_m=precision)[1] == pytest.approx(0.004, abs=0.0003)


def test_joint_that_is_driven_by_velocity_reaches_its_limit() -> None:
    layout = single("revolute", TURNS, "qv_ref")
    moved, coupler = reacher(layout), Coupler(layout, 0.01)
    moved.start({"j": 2.094}, 1)
    place, end, now_ns = 1.5, None, 1
    while end is None:
        now_ns += 10_000_000
        state = BodyState(np.array([place, 0.0]), np.full(2, now_ns, dtype=np.int64))
        share = moved.step(state, now_ns)
        place += 0.01 * coupler.step(state, [BoardRow(now_ns, 1.0, share)], now_ns).values[1]
        end = moved.take_end()
    assert end.reason is EndReason.REACHED
    assert place <= 2.094


@pytest.mark.parametrize(("layout", "place"), [(GRIPPER, 0.0), (GRIPPER, 0.015), (ELBOW, 0.0), (ELBOW, -0.02)])
def test_weight_without_a_goal_moves_nothing(layout: BodyLayout, place: float) -> None:
    coupler, waiting = Coupler(layout, 0.01), reacher(layout)
    for now_ns in range(1, 100):
        state = BodyState(np.array([place, 0.0]), np.full(2, now_ns, dtype=np.int64))
        commands = coupler.step(state, [BoardRow(now_ns, 1.0, waiting.step(state, now_ns))], now_ns)
        assert commands.values[1] == place


def test_joint_outside_of_its_limits_is_drawn_in_while_it_moves() -> None:
    coupler, moved = Coupler(ELBOW, 0.01), reacher(ELBOW)
    moved.start({"j": 0.5}, 1)
    state = BodyState(np.array([-0.05, 0.0]), np.ones(2, dtype=np.int64))
    places = [coupler.step(state, [BoardRow(1, 1.0, moved.step(state, 1))], 1).values[1] for _ in range(20)]
    assert places[0] == pytest.approx(-0.05 + 1.5 * 0.01)
    assert places[-1] >= 0.0


def test_sliding_reference_stays_nearer_to_the_joint_than_a_turning_one() -> None:
    rail = single("prismatic", '<limit lower="-2" upper="2" velocity="1.5" effort="1"/>')
    ahead = {}
    for layout in (rail, ELBOW):
        coupler, state = Coupler(layout, 0.01), BodyState(np.full(2, 0.5), np.ones(2, dtype=np.int64))
        row = BoardRow(1, 1.0, Share(np.ones(1), np.zeros(1), np.ones(1)))
        ahead[layout.robot.joints[0].kind] = [coupler.step(state, [row], 1).values[1] for _ in range(50)][-1] - 0.5
    assert list(ahead.values()) == pytest.approx([0.02, 0.1])


def limbs_row(weight: float, *velocities: float) -> BoardRow:
    return BoardRow(1, weight, Share(np.array(velocities), np.zeros(4), (np.array(velocities) != 0).astype(float)))


def reference_speeds(*rows: BoardRow) -> list[float]:
    """Return the speeds of the four joints' references that rows command."""
    state = BodyState(np.zeros(8), np.ones(8, dtype=np.int64))
    values: list[float] = (Coupler(LIMBS, 0.01).step(state, list(rows), 1).values[1::2] / 0.01).tolist()
    return values


@pytest.mark.parametrize(("weight", "speed"), [(3.0, 1.5), (10.0, 1.5), (1.0, 1e6), (10.0, 1e300)])
def test_limbs_that_share_no_joint_do_not_slow_each_other(weight: float, speed: float) -> None:
    right = reference_speeds(limbs_row(weight, speed, -speed, 0, 0), limbs_row(1.0, 0, 0, 0.2, 0.1))[2:]
    assert right == pytest.approx([0.2, 0.1])


def test_limbs_with_a_reacher_in_common_keep_their_proportions() -> None:
    both = limbs_row(1.0, 0, 0.5, 0.5, 0)
    speeds = reference_speeds(limbs_row(2.0, 1.5, 0.5, 0, 0), both, limbs_row(1.0, 0, 0, 0, 0.3))
    assert speeds == pytest.approx([1.5, 0.75, 0.25, 0.3])


def test_absurd_share_is_a_share_at_the_speed_limit() -> None:
    assert reference_speeds(limbs_row(1.0, 1e6, 0, 0, 0), limbs_row(1.0, -0.5, 0, 0, 0))[0] == pytest.approx(1.0)


def test_command_that_is_an_integer_moves_its_joint() -> None:
    limit = '<limit lower="0" upper="255" velocity="1000" effort="1"/>'
    variables = [one.replace('"float"', '"int"') for one in (variable("q", "state"), variable("q_ref", "cmd"))]
    layout = BodyLayout(read_urdf(robot(joint("j", "a", "b", limit=limit, variables=variables))))
    moved, coupler, place, now_ns = reacher(layout), Coupler(layout, 0.01), 0, 1
    moved.start({"j": 40.0}, 1)
    while now_ns < 20e9 and moved.is_busy:
        now_ns += 10_000_000
        state = BodyState(np.array([place, 0.0]), np.full(2, now_ns, dtype=np.int64))
        share = moved.step(state, now_ns)
        place = round(coupler.step(state, [BoardRow(now_ns, 1.0, share)], now_ns).values[1])
    assert (moved.is_busy, place) == (False, 40)
