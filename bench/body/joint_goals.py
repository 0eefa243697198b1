"""Tests joint goals for all kinds of joints over their whole ranges, and two limbs at once, in simulated time."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.body.arm_loop import ArmLoop
from bench.body.body_row import BodyRow
from body.description.urdf_reader import read_urdf
from body.kinematics.layout import BodyLayout
from body.reachers.joint_reacher import JointReacher, JointSettings
from body.reachers.reacher import EndReason, Reacher

_PLACES = 11  # in each range, both limits included
_LONGEST_S = 30.0
_BODY = """<robot name="bench"><link name="base"/>{}</robot>"""
_JOINT = """<link name="{name}_link"/><joint name="{name}" type="{kind}">
<parent link="base"/><child link="{name}_link"/>
<axis xyz="0 0 1"/><limit lower="{lower}" upper="{upper}" velocity="{velocity}" effort="1"/><rbc node="driver">
<var name="q" topic="state" type="state"><msg type="a.msg.A" field="q" field_array="true" index="{index}"/></var>
<var name="q_ref" topic="cmd" type="cmd"><msg type="a.msg.A" field="q" field_array="true" index="{index}"/></var>
</rbc></joint>"""


@dataclass(frozen=True, slots=True)
class JointCase:
    """One joint.

    Parameters
    ----------
    name : name in the row
    kind : kind of joint, as in a URDF
    lower, upper, velocity : its limits [rad or m, and per second]
    """

    name: str
    kind: str
    lower: float
    upper: float
    velocity: float


CASES = (
    JointCase("gripper of 15 mm", "prismatic", 0.0, 0.015, 0.05),
    JointCase("rail of 2 m", "prismatic", -1.0, 1.0, 0.5),
    JointCase("elbow with a limit at 0", "revolute", 0.0, 2.094, 1.5),
    JointCase("finger of 10 degrees", "revolute", 0.0, 0.1745, 1.0),
)


def joint_rows() -> Iterator[BodyRow]:
    """Yield a row for each joint, and one for two limbs."""
    for case in CASES:
        places = np.linspace(case.lower, case.upper, _PLACES).tolist()
        ends = [_end(case, start, place) for start in (places[5], places[-1]) for place in places]
        reached = sum(reason is EndReason.REACHED for reason, _ in ends)
        worst = max(error for _, error in ends) / (case.upper - case.lower)
        text = f"{reached} of {len(ends)}, error {100 * worst:.2f} % of the range"
        yield BodyRow(f"{case.name}, goals with its limits", "all, 2 %", text)
    yield BodyRow("a limb beside one at its speed limit, slower by", "0", f"{_slowed_s():.3f} s")


def _end(case: JointCase, start: float, place: float) -> tuple[EndReason | None, float]:
    """Return how a goal ends, and the joint's distance from it."""
    layout = body_of(case)
    reacher = _reacher(layout, case.name)
    reacher.start({case.name: place}, 1)
    loop = ArmLoop(layout, [(reacher, 1.0)], np.array([start]))
    end = _run(loop, reacher)
    return end, abs(float(loop.arm.positions[0]) - place)


def _slowed_s() -> float:
    """Return the delay of one limb's goal while another limb, with the largest weight, is at its limit."""
    layout = body_of(*(JointCase(name, "revolute", -2.0, 2.0, 1.0) for name in ("left", "right")))
    times_s = []
    for weight in (0.0, 10.0):
        left, right = _reacher(layout, "left"), _reacher(layout, "right")
        left.start({"left": 2.0}, 1)
        right.start({"right": 0.5}, 1)
        loop = ArmLoop(layout, [(left, weight), (right, 1.0)], np.array([-2.0, 0.0]))
        _run(loop, right)
        times_s.append(loop.now_ns * 1e-9)
    return times_s[1] - times_s[0]


def body_of(*cases: JointCase) -> BodyLayout:
    """Return a body with parallel joints on a common base."""
    joints = (
        _JOINT.format(
            name=one.name, kind=one.kind, lower=one.lower, upper=one.upper, velocity=one.velocity, index=index
        )
        for index, one in enumerate(cases)
    )
    return BodyLayout(read_urdf(_BODY.format("".join(joints))))


def _reacher(layout: BodyLayout, joint: str) -> JointReacher:
    reacher = JointReacher(layout)
    reacher.configure(JointSettings((joint,)))
    return reacher


def _run(loop: ArmLoop, reacher: Reacher) -> EndReason | None:
    while loop.now_ns < _LONGEST_S * 1e9:
        loop.step()
        end = reacher.take_end()
        if end is not None:
            return end.reason
    return None
