"""A URDF becomes a tree with variables, and all that is wrong with it is told at once, with line and joint."""

import math
import random

import numpy as np
import pytest

from body.description.robot_tree import CommandKind, JointKind
from body.description.rotation import rotation_from_rpy
from body.description.urdf_reader import read_urdf
from body.errors import DescriptionError
from harness.body.urdf_text import joint, robot, variable

SEED = """<robot name="torso"><link name="robot-base"/><link name="torso"/>
<joint name="aplator_j0" type="revolute">
<parent link="robot-base"/><child link="torso"/><limit lower="-1" upper="1" velocity="1" effort="1"/>
<rbc node="arcoslab_platform_torso">
<var init="0.0" name="q" topic="arcoslab_platform_torso/state" type="state">
<msg field="position" field_array="true" index="0" index_type="float" type="impedance_control_msgs.msg.State">
</msg>
</var>
<var init="0.0" name="q_ref" topic="arcoslab_platform_torso/posref" type="cmd">
<msg field="position" field_array="true" index="0" index_type="float" type="impedance_control_msgs.msg.PosRef">
</msg>
</var>
</rbc>
</joint></robot>"""


def problems(text: str) -> list[str]:
    with pytest.raises(DescriptionError) as caught:
        read_urdf(text)
    return caught.value.problems


def test_joint_of_the_seed_has_its_two_variables() -> None:
    tree = read_urdf(SEED)
    q, q_ref = tree.variables
    assert (q.full_name, q.topic, q.is_command) == ("aplator_j0/q", "arcoslab_platform_torso/state", False)
    assert (q_ref.full_name, q_ref.kind) == ("aplator_j0/q_ref", CommandKind.POSITION)
    assert (q.path[0].field, q.path[0].index, q.message_type) == ("position", 0, "impedance_control_msgs.msg.State")
    assert (tree.root, tree.joints[0].node) == ("robot-base", "arcoslab_platform_torso")


def test_nested_messages_are_steps_from_the_outside_in() -> None:
    nested = (
        '<var name="q" topic="t" type="state"><msg type="a.msg.Outer" field="inner">'
        '<msg type="a.msg.Inner" field="list" field_array="true" index="3"/></msg></var>'
    )
    (found,) = read_urdf(robot(joint("j", "a", "b", variables=[nested]))).variables
    assert [(step.field, step.index) for step in found.path] == [("inner", None), ("list", 3)]


def test_origin_and_axis_are_read() -> None:
    text = robot(joint("j", "a", "b")).replace('<origin xyz="1 0 0"/>', '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>')
    (found,) = read_urdf(text.replace('xyz="0 0 1"', 'xyz="0 3 4"')).joints
    np.testing.assert_allclose(found.origin[:3, 3], (1, 2, 3))
    np.testing.assert_allclose(found.origin[:3, :3], rotation_from_rpy(0.1, 0.2, 0.3))
    np.testing.assert_allclose(found.axis, (0, 0.6, 0.8))


def test_joint_without_tag_is_a_warning_with_its_line() -> None:
    assert read_urdf(robot(joint("j", "a", "b", variables=[]))).warnings == (
        "line 3: joint j: it has no <rbc> tag, so it stays at 0",
    )


def test_continuous_joint_has_a_speed_limit_alone() -> None:
    (found,) = read_urdf(robot(joint("j", "a", "b", kind="continuous"))).joints
    assert (found.limits.lower, found.limits.upper, found.limits.velocity) == (-math.inf, math.inf, 1.5)
    assert found.kind is JointKind.CONTINUOUS


def test_all_problems_are_reported_at_once_in_order_of_lines() -> None:
    text = robot(
        joint("j", "a", "b", variables=[variable("2q", "state"), variable("r", "out")]),
        joint("k", "b", "c", kind="hinge"),
        links="abc",
    )
    lines = [problem.partition(":")[0] for problem in problems(text)]
    assert len(lines) >= 3
    assert lines == sorted(lines, key=lambda line: int(line.removeprefix("line ")))


Q = variable("q", "state")
REF = variable("q_ref", "cmd")
BROKEN = {
    "no XML": ("<robot><link></robot>", "not XML"),
    "empty": ("", "not XML"),
    "entity": ('<!DOCTYPE r [<!ENTITY e "x">]><robot name="r"><link name="a"/></robot>', "entity e is declared"),
    "other root": ("<robots/>", "begins with <robot>"),
    "xacro": (robot("<xacro:macro/>", links="a"), "xacro: expand"),
    "no link": (robot(links=()), "exactly one link"),
    "two roots": (robot(links="ab"), "exactly one link must not be a child of any joint; found: a, b"),
    "ring": (robot(joint("j", "b", "c"), joint("k", "c", "b"), links="abc"), "no joints lead to it from a"),
    "unknown link": (robot(joint("j", "a", "z"), links="a"), "there is no link z"),
    "two parents": (robot(joint("j", "a", "b"), joint("k", "a", "b")), "two parents"),
    "link twice": (robot(joint("j", "a", "b"), links="abb"), "this name is used 2 times"),
    "joint twice": (robot(joint("j", "a", "b"), joint("j", "b", "c"), links="abc"), "this name is used 2 times"),
    "no parent": (robot(joint("j", "a", "b").replace('<parent link="a"/>', "")), "it has no <parent>"),
    "no name": (robot(joint("", "a", "b")), "<joint> has no name"),
    "unknown type": (robot(joint("j", "a", "b", kind="hinge")), "its type is 'hinge'"),
    "no limit": (robot(joint("j", "a", "b", limit="")), "needs <limit"),
    "swapped limits": (
        robot(joint("j", "a", "b", limit='<limit lower="2" upper="1" velocity="1"/>')),
        "lower limit 2 is above",
    ),
    "speed 0": (robot(joint("j", "a", "b", limit='<limit lower="0" upper="1" velocity="0"/>')), "velocity limit is 0"),
    "speed nan": (
        robot(joint("j", "a", "b", limit='<limit lower="0" upper="1" velocity="nan"/>')),
        "'nan', which is not a finite",
    ),
    "axis 0": (robot(joint("j", "a", "b").replace('xyz="0 0 1"', 'xyz="0 0 0"')), "axis has zero length"),
    "axis of two": (robot(joint("j", "a", "b").replace('xyz="0 0 1"', 'xyz="0 1"')), "write three finite numbers"),
    "planar along x": (
        robot(joint("j", "a", "b", kind="planar").replace('xyz="0 0 1"', 'xyz="1 0 0"')),
        "moves in x and y",
    ),
    "mimics nobody": (robot(joint("j", "a", "b", inside='<mimic joint="z"/>', variables=[Q])), "mimics 'z'"),
    "mimics itself": (robot(joint("j", "a", "b", inside='<mimic joint="j"/>', variables=[Q])), "mimics itself"),
    "commanded mimic": (
        robot(joint("k", "a", "b"), joint("j", "b", "c", inside='<mimic joint="k"/>'), links="abc"),
        "command that one: remove the variable q_ref",
    ),
    "planar mimic": (
        robot(
            joint("k", "a", "b"),
            joint("j", "b", "c", kind="planar", variables=[], inside='<mimic joint="k"/>'),
            links="abc",
        ),
        "a planar joint cannot mimic",
    ),
    "no node": (robot(joint("j", "a", "b").replace(' node="driver"', "")), "<rbc> has no node"),
    "two tags": (robot(joint("j", "a", "b", inside='<rbc node="x"/>')), "second <rbc>"),
    "fixed with tag": (robot(joint("j", "a", "b", kind="fixed", limit="")), "a fixed joint has no variables"),
    "floating with tag": (robot(joint("j", "a", "b", kind="floating", limit="")), "a floating joint has no variables"),
    "no identifier": (robot(joint("j", "a", "b", variables=[variable("q-1", "state")])), "'q-1' is not an identifier"),
    "neither state nor cmd": (robot(joint("j", "a", "b", variables=[variable("q", "out")])), "type is 'out'"),
    "unknown command": (robot(joint("j", "a", "b", variables=[Q, variable("go", "cmd")])), "no reacher writes"),
    "command without state": (robot(joint("j", "a", "b", variables=[REF])), "needs the state q"),
    "command of a base": (robot(joint("j", "a", "b", variables=[Q, variable("v_ref", "cmd")])), "has no command v_ref"),
    "no topic": (robot(joint("j", "a", "b", variables=[Q.replace('topic="driver/state"', "")])), "<var> has no topic"),
    "no message": (
        robot(joint("j", "a", "b", variables=['<var name="q" topic="t" type="state"/>'])),
        "<var> has no <msg>",
    ),
    "two messages": (robot(joint("j", "a", "b", variables=[Q.replace("<msg", "<msg/><msg")])), "has 2 <msg>"),
    "no index": (robot(joint("j", "a", "b", variables=[Q.replace('index="0"', "")])), "write a number, 0 or above"),
    "index below 0": (robot(joint("j", "a", "b", variables=[Q.replace('index="0"', 'index="-1"')])), "index is '-1'"),
    "array maybe": (
        robot(joint("j", "a", "b", variables=[Q.replace('field_array="true"', 'field_array="maybe"')])),
        "write true or false",
    ),
    "index type": (
        robot(joint("j", "a", "b", variables=[Q.replace('index_type="float"', 'index_type="text"')])),
        "index_type is 'text'",
    ),
    "type without package": (
        robot(joint("j", "a", "b", variables=[Q.replace("test.msg.Numbers", "Numbers")])),
        "write it as package.msg.Type",
    ),
    "init": (robot(joint("j", "a", "b", variables=[Q.replace('init="0.0"', 'init="x"')])), "init of <var> is 'x'"),
    "timeout": (robot(joint("j", "a", "b", variables=[variable("q", "state", more='timeout="0"')])), "timeout is 0"),
    "limit of a position": (
        robot(joint("j", "a", "b", variables=[Q, variable("q_ref", "cmd", more='limit="1"')])),
        "limit is for commands of velocity",
    ),
    "name twice": (robot(joint("j", "a", "b", variables=[Q, Q])), "another variable of the joint has this name"),
    "field twice": (
        robot(
            joint("j", "a", "b", variables=[Q, REF]),
            joint("k", "b", "c", variables=[variable("q", "state", index=1), REF]),
            links="abc",
        ),
        "j/q_ref writes the same field of driver/cmd",
    ),
    "topic of two types": (
        robot(joint("j", "a", "b", variables=[Q, variable("qv", "state", index=1).replace("Numbers", "Others")])),
        "has the type test.msg.Numbers elsewhere",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_description_is_refused_with_line_and_reason(name: str) -> None:
    text, expected = BROKEN[name]
    found = problems(text)
    assert any(expected in problem for problem in found), found
    assert all(problem.startswith("line ") for problem in found)


def full_name(topic: str) -> str:
    """Names a topic as ROS does for the node /body/rbc, with one remapping."""
    if " " in topic:
        raise ValueError("blanks are not allowed")
    absolute = topic.replace("~", "/body/rbc", 1) if topic.startswith("~") else topic
    absolute = absolute if absolute.startswith("/") else f"/body/{absolute}"
    return "/body/arm/ref" if absolute == "/remapped" else absolute


def body_with_topics(first: str, second: str) -> str:
    own = [variable("q", "state", topic="state"), variable("q_ref", "cmd", topic=first)]
    others = [variable("q", "state", topic="state", index=1), variable("q_ref", "cmd", topic=second, index=1)]
    return robot(joint("j", "a", "b", variables=own), joint("k", "b", "c", variables=others), links="abc")


@pytest.mark.parametrize("second", ["arm/ref", "/body/arm/ref", "/remapped", "~/../arm/ref"])
def test_spellings_of_one_topic_are_one_topic(second: str) -> None:
    tree = read_urdf(body_with_topics("arm/ref", second), None, lambda name: full_name(name.replace("~/..", "/body")))
    assert {one.topic for one in tree.variables if one.is_command} == {"arm/ref"}


def test_field_that_two_variables_write_is_found_under_two_spellings() -> None:
    text = body_with_topics("arm/ref", "/body/arm/ref").replace('index="1"', 'index="0"')
    with pytest.raises(DescriptionError, match="line 4: joint k, variable q_ref: j/q_ref writes the same field of arm"):
        read_urdf(text, None, full_name)


def test_names_that_ros_refuses_are_reported_with_all_other_problems() -> None:
    text = body_with_topics("arm ref", "/also bad").replace('upper="2"', 'upper="-3"', 1)
    with pytest.raises(DescriptionError) as caught:
        read_urdf(text, None, full_name)
    assert caught.value.problems == [
        "line 3: joint j, variable q_ref: topic is 'arm ref', which is not a valid name: blanks are not allowed",
        "line 3: joint j: its lower limit -2 is above its upper limit -3",
        "line 4: joint k, variable q_ref: topic is '/also bad', which is not a valid name: blanks are not allowed",
    ]


def mimicking(multiplier: float, limit: str, *, offset: float = 0.0) -> str:
    mimic = f'<mimic joint="k" multiplier="{multiplier}" offset="{offset}"/>'
    return robot(
        joint("k", "a", "b", limit='<limit lower="0" upper="0.9" velocity="1" effort="1"/>'),
        joint("j", "b", "c", variables=[], inside=mimic, limit=limit),
        links="abc",
    )


@pytest.mark.parametrize(
    ("multiplier", "offset", "lower", "upper"), [(-1.0, 0.0, 0.1, 0.9), (2.0, 3.0, -1.0, 1.0), (0.0, 0.5, 0.6, 0.9)]
)
def test_mimic_whose_limits_leave_no_position_is_refused(
    multiplier: float, offset: float, lower: float, upper: float
) -> None:
    (problem,) = problems(
        mimicking(multiplier, f'<limit lower="{lower}" upper="{upper}" velocity="1"/>', offset=offset)
    )
    assert problem.startswith("line 4: joint j: its ")


def test_mimic_that_leaves_one_position_is_warned_of() -> None:
    tree = read_urdf(mimicking(-1.0, '<limit lower="0" upper="0.9" velocity="1"/>'))
    assert tree.warnings == ("line 4: joint j: its limits, 0 to 0.9, and its mimic lock k at 0",)


def test_limits_that_agree_but_for_rounding_lock_no_joint() -> None:
    tree = read_urdf(mimicking(3.0, '<limit lower="0" upper="0.3" velocity="1"/>', offset=-0.1 * 3))
    assert tree.warnings == ()


@pytest.mark.parametrize(
    ("attributes", "tag"),
    [
        ('xmlns:x="http://www.ros.org/wiki/xacro"', "x:include"),
        ('xmlns:xa="http://wiki.ros.org/xacro"', "xa:macro"),
        ("", "xacro:property"),
    ],
)
def test_xacro_is_known_by_its_namespace(attributes: str, tag: str) -> None:
    text = f'<robot name="r" {attributes}><link name="a"><{tag}/></link></robot>'
    assert problems(text) == [f"line 1: document: <{tag}> is xacro: expand the file first, with `xacro FILE`"]


def test_tag_of_another_namespace_is_ignored() -> None:
    text = '<robot name="r" xmlns:x="http://example.org/sensors"><link name="a"/><x:lidar/></robot>'
    assert read_urdf(text).root == "a"


UNUSED = [
    '<axis xyz="0 0 0"/>',
    '<axis xyz="a b c"/>',
    '<limit lower="0" upper="0" effort="0" velocity="0"/>',
    '<limit lower="2" upper="-2" velocity="-1"/>',
    '<mimic joint="j" multiplier="-1"/>',
    '<mimic joint="nobody"/>',
]


@pytest.mark.parametrize("kind", ["fixed", "floating"])
@pytest.mark.parametrize("unused", UNUSED)
def test_axis_limit_and_mimic_of_joints_without_one_are_ignored(kind: str, unused: str) -> None:
    resting = joint("k", "b", "c", kind=kind, variables=[], inside=unused, limit="").replace('<axis xyz="0 0 1"/>', "")
    found = read_urdf(robot(joint("j", "a", "b"), resting, links="abc")).joints[1]
    assert (found.mimic, found.limits.velocity, found.axis.tolist()) == (None, math.inf, [1.0, 0.0, 0.0])


STILL = '<limit lower="-1" upper="1" effort="0" velocity="0"/>'
SWAPPED = '<limit lower="1" upper="-1" effort="0" velocity="1"/>'


@pytest.mark.parametrize("variables", [[], [Q]])
@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (STILL, "its velocity limit is 0; it must be above 0"),
        (SWAPPED, "its lower limit 1 is above its upper limit -1"),
    ],
)
def test_bad_limits_of_a_joint_that_nothing_commands_are_warned_of(
    limit: str, expected: str, variables: list[str]
) -> None:
    warnings = read_urdf(robot(joint("j", "a", "b", limit=limit, variables=variables))).warnings
    assert f"line 3: joint j: {expected}, but nothing commands the joint" in warnings


@pytest.mark.parametrize("limit", [STILL, SWAPPED])
def test_bad_limits_of_a_joint_that_follows_a_commanded_one_are_refused(limit: str) -> None:
    following = joint("k", "b", "c", limit=limit, inside='<mimic joint="j"/>', variables=[])
    assert "line 4: joint k" in problems(robot(joint("j", "a", "b"), following, links="abc"))[0]


def test_blank_line_before_the_declaration_is_read_and_counted() -> None:
    warnings = read_urdf(f'\n\n<?xml version="1.0"?>\n{robot(joint("j", "a", "b", variables=[]))}').warnings
    assert warnings == ("line 6: joint j: it has no <rbc> tag, so it stays at 0",)


def exported(seed: int) -> str:
    """Returns a chain as exporters write it: with unused tags in joints that do not move, and limits left at 0."""
    draw = random.Random(seed)
    parts = []
    for number in range(1, 13):
        kind = draw.choice(["fixed", "floating", "revolute", "continuous", "prismatic"])
        limit = draw.choice([STILL, SWAPPED, '<limit lower="-1" upper="1" velocity="2" effort="5"/>'])
        text = joint(f"j{number}", f"l{draw.randrange(number)}", f"l{number}", kind=kind, variables=[], limit=limit)
        if kind in ("fixed", "floating"):
            text = text.replace('<axis xyz="0 0 1"/>', draw.choice(["", *UNUSED]))
        parts.append(text)
    blanks = "\n" * draw.randrange(3)
    return blanks + '<?xml version="1.0" encoding="utf-8"?>\n' + robot(*parts, links=[f"l{n}" for n in range(13)])


@pytest.mark.parametrize("seed", range(20))
def test_robots_as_exporters_write_them_are_read(seed: int) -> None:
    assert len(read_urdf(exported(seed)).joints) == 12


WITHOUT_EFFECT = {
    "attribute": (('topic="driver/cmd"', 'topic="driver/cmd" timout="2"'), "<var> has no attribute 'timout'"),
    "of a message": (('index_type="float"/></var></rbc>', 'idx="1"/></var></rbc>'), "<msg> has no attribute 'idx'"),
    "tag": (("</rbc>", "<vars/></rbc>"), "<vars> within <rbc> is ignored; write <var> there"),
    "message in rbc": (("</rbc>", "<msg/></rbc>"), "<msg> within <rbc> is ignored; write <var> there"),
    "variable in joint": (("</joint>", '<var name="v"/></joint>'), "<var> is outside of <rbc>"),
    "capital": (("</joint>", "<Rbc/></joint>"), "<Rbc> is ignored, did you mean <rbc>?"),
    "init": (('name="q_ref" init="0.0"', 'name="q_ref" init="0.4"'), "init 0.4 of a command is ignored"),
    "no range": (('lower="-2" upper="2"', ""), "its limits lock it at 0: are they missing?"),
}


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_setting_without_effect_is_a_warning_with_line_and_joint(name: str) -> None:
    (old, new), expected = WITHOUT_EFFECT[name]
    text = robot(joint("j", "a", "b"))
    assert old in text
    (warning,) = read_urdf(text.replace(old, new)).warnings
    assert warning.startswith("line 3: joint j")
    assert expected in warning


def test_misspelt_attribute_has_its_suggestion() -> None:
    text = robot(joint("j", "a", "b", variables=[variable("q", "state", more='timout="2"')]))
    assert read_urdf(text).warnings[0].endswith("which is ignored, did you mean 'timeout'?")


def test_tag_of_the_coupler_outside_of_joints_is_a_warning() -> None:
    text = robot("<gazebo><rbc/></gazebo>", joint("j", "a", "b"))
    assert read_urdf(text).warnings == ("line 3: document: <rbc> is outside of a <joint>, and is ignored",)


@pytest.mark.parametrize(("upper", "count"), [(2, 1), (255, 0)])
def test_integer_command_of_a_small_range_is_a_warning(upper: int, count: int) -> None:
    limit = f'<limit lower="0" upper="{upper}" velocity="100" effort="1"/>'
    text = robot(joint("j", "a", "b", limit=limit)).replace('index_type="float"', 'index_type="int"')
    assert len(read_urdf(text).warnings) == count


def test_huge_limits_are_capped() -> None:
    text = robot(joint("j", "a", "b", limit='<limit lower="-1e+16" upper="1e308" velocity="1e30"/>'))
    limits = read_urdf(text).joints[0].limits
    assert (limits.lower, limits.upper, limits.velocity) == (-1e15, 1e15, 1e15)


def test_mimic_of_no_joint_is_a_warning_where_nothing_is_wired() -> None:
    tree = read_urdf(robot(joint("j", "a", "b", inside='<mimic joint="z"/>', variables=[])))
    assert tree.joints[0].mimic is None
    assert tree.warnings[-1] == "line 3: joint j: it mimics 'z', which is not a moving joint, so it stays at 0"
