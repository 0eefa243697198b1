"""Reads a URDF with `rbc` tags, and reports all its problems at once."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from body.description.message_fields import MessageTypes, check_messages
from body.description.mimics import FollowedJoint, followed_joint, narrowed
from body.description.problems import Problems
from body.description.robot_tree import BodyVariable, Floats, JointKind, JointLimits, Mimic, RobotTree, TreeJoint
from body.description.rotation import rotation_from_rpy
from body.description.tag_warnings import warn_of_commands, warn_of_unknown
from body.description.variable_tags import read_variables
from body.errors import DescriptionError
from thymio_base.errors import TextError
from thymio_base.texts.xml_text import XmlTag, read_xml

_LIMITED = (JointKind.REVOLUTE, JointKind.PRISMATIC)
_MIMICKING = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)
_WITHOUT_AXIS = (JointKind.FIXED, JointKind.FLOATING)  # in URDF, their axis, limit and mimic have no meaning
_ONE_PLACE = 1e-9  # a smaller range counts as a single position [rad or m]


def read_urdf(text: str, types: MessageTypes | None = None, full_name: Callable[[str], str] | None = None) -> RobotTree:
    """Return the robot that a URDF describes.

    Parameters
    ----------
    text
        content of the file
    types
        source of message types; None leaves them unchecked
    full_name
        returns the full name of a topic, or raises ValueError or RuntimeError; None takes names as they are

    Raises
    ------
    DescriptionError
        The URDF has problems, all of which are listed: invalid XML, entities, not a tree, bad numbers, limits, mimics,
        tags, topics or messages.
    """
    root = _root(text)
    problems = Problems()
    if root.name != "robot":
        problems.add(root.line, "document", f"the outermost tag is <{root.name}>; a URDF begins with <robot>")
        problems.raise_if_any()
    _check_xacro(root, problems)
    warn_of_unknown(root, problems)
    links = tuple(problems.text(tag, "name", "link") for tag in root.all("link"))
    found = (_joint(tag, problems) for tag in root.all("joint"))
    joints = tuple(joint for joint in found if joint is not None)
    if full_name is not None:
        joints = _with_one_spelling(joints, full_name, problems)
    _check_unique(links, root.all("link"), "link", problems)
    _check_unique([joint.name for joint in joints], root.all("joint"), "joint", problems)
    joints = _without_loose_mimics(joints, problems)
    _check_mimics(joints, problems)
    _check_limits(joints, problems)
    _check_mimic_limits(joints, problems)
    _check_commands(joints, problems)
    if types is not None:
        check_messages((one for joint in joints for one in joint.variables), types, problems)
    top = _top_link(root, links, joints, problems)
    problems.raise_if_any()
    return RobotTree(root.attributes.get("name", ""), top, links, joints, tuple(problems.warnings))


def _root(text: str) -> XmlTag:
    try:
        return read_xml(text.encode())
    except TextError as error:
        raise DescriptionError([str(error)]) from error


def _check_xacro(root: XmlTag, problems: Problems, prefixes: frozenset[str] = frozenset({"xacro"})) -> None:
    """Check that there are no xacro tags, whatever prefix the document gives the namespace."""
    prefixes |= _xacro_prefixes(root)
    if root.name.rpartition(":")[0] in prefixes:
        problems.add(root.line, "document", f"<{root.name}> is xacro: expand the file first, with `xacro FILE`")
    for tag in root.children:
        _check_xacro(tag, problems, prefixes)


def _xacro_prefixes(tag: XmlTag) -> set[str]:
    """Return the prefixes that a tag gives the namespace of xacro; "" means tags without a prefix."""
    names = {name for name, value in tag.attributes.items() if value.lower().rstrip("/").endswith("/xacro")}
    return {name.partition(":")[2] for name in names if name == "xmlns" or name.startswith("xmlns:")}


def _joint(tag: XmlTag, problems: Problems) -> TreeJoint | None:
    name = problems.text(tag, "name", "joint")
    where = f"joint {name}"
    try:
        kind = JointKind(tag.attributes.get("type", ""))
    except ValueError:
        known = ", ".join(one.value for one in JointKind)
        problems.add(tag.line, where, f"its type is {tag.attributes.get('type', '')!r}; known: {known}")
        return None
    rbc = tag.first("rbc")
    return TreeJoint(
        name=name,
        kind=kind,
        parent=_link(tag, "parent", where, problems),
        child=_link(tag, "child", where, problems),
        origin=_origin(tag.first("origin"), where, problems),
        axis=_axis(tag, kind, where, problems),
        limits=_limits(tag, kind, where, problems),
        mimic=_mimic(tag, kind, where, problems),
        node="" if rbc is None else problems.text(rbc, "node", where),
        variables=_variables(tag, rbc, kind, name, problems),
        line=tag.line,
    )


def _link(tag: XmlTag, end: str, where: str, problems: Problems) -> str:
    child = tag.first(end)
    if child is None:
        problems.add(tag.line, where, f"it has no <{end}>")
        return ""
    return problems.text(child, "link", where)


def _origin(tag: XmlTag | None, where: str, problems: Problems) -> Floats:
    origin = np.eye(4)
    origin[:3, 3] = problems.vector(tag, "xyz", where, (0.0, 0.0, 0.0))
    origin[:3, :3] = rotation_from_rpy(*problems.vector(tag, "rpy", where, (0.0, 0.0, 0.0)))
    return origin


def _axis(tag: XmlTag, kind: JointKind, where: str, problems: Problems) -> Floats:
    """Return the axis; URDF's default is x, but planar joints with variables must have z."""
    default = np.array([1.0, 0.0, 0.0])
    if kind in _WITHOUT_AXIS:
        return default
    axis = np.array(problems.vector(tag.first("axis"), "xyz", where, (1.0, 0.0, 0.0)))
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        problems.add(tag.line, where, "its axis has zero length")
        return default
    if kind is JointKind.PLANAR and tag.first("rbc") and not np.allclose(axis / length, (0.0, 0.0, 1.0)):
        problems.add(tag.line, where, 'a planar joint moves in x and y: write <axis xyz="0 0 1"/>')
    return axis / length


def _limits(tag: XmlTag, kind: JointKind, where: str, problems: Problems) -> JointLimits:
    given = tag.first("limit")
    if given is None or kind in _WITHOUT_AXIS:
        if kind in _LIMITED:
            problems.add(tag.line, where, f"a {kind.value} joint needs <limit lower upper velocity effort>")
        return JointLimits()
    velocity = problems.limit(given, "velocity", where, math.inf)
    if kind not in _LIMITED:
        return JointLimits(velocity=velocity)
    return JointLimits(problems.limit(given, "lower", where), problems.limit(given, "upper", where), velocity)


def _mimic(tag: XmlTag, kind: JointKind, where: str, problems: Problems) -> Mimic | None:
    given = tag.first("mimic")
    if given is None or kind in _WITHOUT_AXIS:
        return None
    if kind not in _MIMICKING:
        problems.add(given.line, where, f"a {kind.value} joint cannot mimic another joint")
    multiplier = problems.number(given, "multiplier", where, 1.0)
    return Mimic(problems.text(given, "joint", where), multiplier, problems.number(given, "offset", where))


def _variables(
    tag: XmlTag, rbc: XmlTag | None, kind: JointKind, name: str, problems: Problems
) -> tuple[BodyVariable, ...]:
    where = f"joint {name}"
    if rbc is None:
        if kind is not JointKind.FIXED and tag.first("mimic") is None:
            problems.warn(tag.line, where, "it has no <rbc> tag, so it stays at 0")
        return ()
    if len(tag.all("rbc")) > 1:
        problems.add(tag.all("rbc")[1].line, where, "it has a second <rbc>; put all <var> into one")
    if kind in (JointKind.FLOATING, JointKind.FIXED):
        problems.add(rbc.line, where, f"a {kind.value} joint has no variables; remove its <rbc>")
    return read_variables(rbc, name, problems)


def _with_one_spelling(
    joints: tuple[TreeJoint, ...], full_name: Callable[[str], str], problems: Problems
) -> tuple[TreeJoint, ...]:
    """Give each topic a single spelling: the first in the file."""
    spellings: dict[str, str] = {}

    def spelling(variable: BodyVariable) -> str:
        try:
            return spellings.setdefault(full_name(variable.topic), variable.topic)
        except (ValueError, RuntimeError) as error:
            # rcl puts the operation before the reason, and the place in its sources after it
            reason = str(error).removeprefix("failed to resolve name: ").partition(", at /")[0]
            where = f"joint {variable.joint}, variable {variable.name}"
            problems.add(variable.line, where, f"topic is {variable.topic!r}, which is not a valid name: {reason}")
            return variable.topic

    return tuple(
        replace(joint, variables=tuple(replace(one, topic=spelling(one)) for one in joint.variables))
        for joint in joints
    )


def _check_unique(names: Iterable[str], tags: list[XmlTag], what: str, problems: Problems) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            line = [tag.line for tag in tags if tag.attributes.get("name") == name][1]
            problems.add(line, f"{what} {name}", f"this name is used {count} times")


def _without_loose_mimics(joints: tuple[TreeJoint, ...], problems: Problems) -> tuple[TreeJoint, ...]:
    """Drop the mimics of joints that follow no moving joint and have no variables: these joints stay at 0."""
    by_name = {joint.name: joint for joint in joints}
    found: list[TreeJoint] = []
    for joint in joints:
        master = None if joint.mimic is None else by_name.get(joint.mimic.joint)
        is_loose = joint.mimic is not None and (master is None or master.kind not in _MIMICKING)
        if joint.mimic is not None and is_loose and not joint.variables:
            text = f"it mimics {joint.mimic.joint!r}, which is not a moving joint, so it stays at 0"
            problems.warn(joint.line, f"joint {joint.name}", text)
        found.append(replace(joint, mimic=None) if is_loose and not joint.variables else joint)
    return tuple(found)


def _check_mimics(joints: tuple[TreeJoint, ...], problems: Problems) -> None:
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        if joint.mimic is None:
            continue
        master = by_name.get(joint.mimic.joint)
        if master is None or master.kind not in _MIMICKING:
            problems.add(
                joint.line, f"joint {joint.name}", f"it mimics {joint.mimic.joint!r}, which is not a moving joint"
            )
        elif _is_in_ring(joint, by_name):
            problems.add(joint.line, f"joint {joint.name}", "it mimics itself, through the joints that it mimics")
        for variable in joint.variables:
            if variable.is_command:
                text = f"it follows {joint.mimic.joint}, so command that one: remove the variable {variable.name}"
                problems.add(variable.line, f"joint {joint.name}", text)


def _check_limits(joints: tuple[TreeJoint, ...], problems: Problems) -> None:
    """Check that the limits of each joint leave it a speed and a range."""
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        is_commanded = _is_commanded(followed_joint(joint, by_name.get))
        velocity, lower, upper = joint.limits.velocity, joint.limits.lower, joint.limits.upper
        if velocity <= 0:
            _tell(problems, joint, is_commanded, f"its velocity limit is {velocity:g}; it must be above 0")
        if lower > upper:
            _tell(problems, joint, is_commanded, f"its lower limit {lower:g} is above its upper limit {upper:g}")
        elif is_commanded and upper - lower <= _ONE_PLACE:
            problems.warn(joint.line, f"joint {joint.name}", f"its limits lock it at {lower:g}: are they missing?")
        warn_of_commands(joint, problems)


def _is_commanded(followed: FollowedJoint | None) -> bool:
    return followed is not None and any(one.is_command for one in followed.master.variables)


def _tell(problems: Problems, joint: TreeJoint, is_commanded: bool, text: str) -> None:
    """Add a problem; it is a warning if no command moves the joint."""
    if is_commanded:
        problems.add(joint.line, f"joint {joint.name}", text)
    else:
        problems.warn(joint.line, f"joint {joint.name}", f"{text}, but nothing commands the joint")


def _check_mimic_limits(joints: tuple[TreeJoint, ...], problems: Problems) -> None:
    """Check that each joint has a position at which all its direct and indirect mimics respect their limits."""
    by_name = {joint.name: joint for joint in joints}
    left = {joint.name: joint.limits for joint in joints}
    for joint in joints:
        followed = followed_joint(joint, by_name.get)
        if followed is None or followed.master is joint:
            continue
        if followed.factor == 0:
            if not joint.limits.lower - _ONE_PLACE <= followed.offset <= joint.limits.upper + _ONE_PLACE:
                text = f"its mimic holds it at {followed.offset:g}, outside of its limits"
                _tell(problems, joint, _is_commanded(followed), text)
            continue
        master = followed.master.name
        before = left[master]
        after = left[master] = narrowed(before, joint.limits, followed.factor, followed.offset)
        if before.lower <= before.upper and joint.limits.lower <= joint.limits.upper:
            _check_range(joint, followed, before, after, problems)


def _check_range(
    joint: TreeJoint, followed: FollowedJoint, before: JointLimits, after: JointLimits, problems: Problems
) -> None:
    """Check the range that a joint leaves its master."""
    own, master = f"its limits, {joint.limits.lower:g} to {joint.limits.upper:g}, and its mimic", followed.master.name
    if after.lower > after.upper + _ONE_PLACE:
        text = f"{own} leave {master} no position of its {before.lower:g} to {before.upper:g}"
        text += ": correct the limits, or multiplier and offset"
        _tell(problems, joint, _is_commanded(followed), text)
    elif before.upper - before.lower > _ONE_PLACE >= after.upper - after.lower:
        problems.warn(joint.line, f"joint {joint.name}", f"{own} lock {master} at {after.lower:g}")


def _is_in_ring(joint: TreeJoint, by_name: dict[str, TreeJoint]) -> bool:
    seen = {joint.name}
    following = joint
    while following.mimic is not None and following.mimic.joint in by_name:
        following = by_name[following.mimic.joint]
        if following.name == joint.name:
            return True
        if following.name in seen:  # the ring is further along, and reported there
            return False
        seen.add(following.name)
    return False


def _check_commands(joints: tuple[TreeJoint, ...], problems: Problems) -> None:
    """Check that names of variables are unique per joint, and that topics have one type and fields one writer."""
    types: dict[str, str] = {}
    writers: dict[tuple[object, ...], str] = {}
    for joint in joints:
        names = Counter(one.name for one in joint.variables)
        for variable in joint.variables:
            where = f"joint {joint.name}, variable {variable.name}"
            if names[variable.name] > 1:
                problems.add(variable.line, where, "another variable of the joint has this name")
            known = types.setdefault(variable.topic, variable.message_type)
            if known != variable.message_type and known and variable.message_type:
                text = f"its topic {variable.topic} has the type {known} elsewhere, and {variable.message_type} here"
                problems.add(variable.line, where, text)
            if not variable.is_command:
                continue
            field = (variable.topic, *((step.field, step.index) for step in variable.path))
            writer = writers.setdefault(field, variable.full_name)
            if writer != variable.full_name:
                problems.add(variable.line, where, f"{writer} writes the same field of {variable.topic}")
            _check_command_fits(joint, variable.name, variable.line, problems)


def _check_command_fits(joint: TreeJoint, name: str, line: int, problems: Problems) -> None:
    is_planar = joint.kind is JointKind.PLANAR
    fits = name in ("v_ref", "vx_ref", "vy_ref", "w_ref") if is_planar else name in ("q_ref", "qv_ref")
    if not fits and not (not is_planar and name.endswith(("_torques", "_torque"))):
        problems.add(line, f"joint {joint.name}", f"a {joint.kind.value} joint has no command {name}")
    needed = "x, y and yaw" if is_planar else "q"
    if any(joint.state(one) is None for one in (("x", "y", "yaw") if is_planar else ("q",))):
        problems.add(line, f"joint {joint.name}", f"its command {name} needs the state {needed}")


def _top_link(root: XmlTag, links: tuple[str, ...], joints: tuple[TreeJoint, ...], problems: Problems) -> str:
    """Return the link that is not a child; add problems unless links and joints form one tree."""
    parents = Counter(joint.child for joint in joints)
    for joint in joints:
        for link in (joint.parent, joint.child):
            if link and link not in links:
                problems.add(joint.line, f"joint {joint.name}", f"there is no link {link}")
        if parents[joint.child] > 1:
            problems.add(joint.line, f"joint {joint.name}", f"its child {joint.child} has two parents")
    tops = [link for link in links if link not in parents]
    if len(tops) != 1:
        names = ", ".join(tops) or "none"
        problems.add(root.line, "document", f"exactly one link must not be a child of any joint; found: {names}")
        return ""
    reached = _reached(tops[0], joints)
    for link in links:
        if link not in reached:
            problems.add(root.line, f"link {link}", f"no joints lead to it from {tops[0]}")
    return tops[0]


def _reached(top: str, joints: tuple[TreeJoint, ...]) -> set[str]:
    """Return a link and all its descendants."""
    children: dict[str, list[str]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint.child)
    reached, waiting = set[str](), [top]
    while waiting:
        link = waiting.pop()
        if link not in reached:
            reached.add(link)
            waiting += children.get(link, [])
    return reached
