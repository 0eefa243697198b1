"""The robot's description, a URDF: its joints, and a copy with prefixed names for one of several robots."""

import math
from dataclasses import dataclass
from xml.etree import ElementTree  # noqa: TID251 (writes)

from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import real_number
from thymio_base.texts.xml_text import xml_element

Quaternion = tuple[float, float, float, float]  # x, y, z, w


@dataclass(frozen=True, slots=True)
class Joint:
    """The pose of a link in its parent link at joint angle 0; metres and radians.

    `rpy_rad` is URDF's: a roll about x, then a pitch about y, then a yaw about z, all about the parent's axes.
    """

    name: str
    is_fixed: bool
    parent: str
    child: str
    xyz_m: tuple[float, float, float]
    rpy_rad: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class LinkTransform:
    """The pose of a link in its parent link."""

    parent: str
    child: str
    xyz_m: tuple[float, float, float]
    rotation: Quaternion


def parse_joints(urdf: str) -> tuple[Joint, ...]:
    """Return the joints of a description, in its order.

    Raises
    ------
    ValueError
        The text is not XML, or a joint lacks something; the message names it.
    """
    try:
        root = xml_element(urdf)
    except TextError as error:
        raise ValueError(f"the robot's description: {error}") from error
    return tuple(_joint(element) for element in root.findall("joint"))


def fixed_transforms(joints: tuple[Joint, ...], prefix: str) -> list[LinkTransform]:
    """Return the transforms of the links that never move, with `prefix` before every link's name."""
    return [
        LinkTransform(prefix + joint.parent, prefix + joint.child, joint.xyz_m, quaternion(*joint.rpy_rad))
        for joint in joints
        if joint.is_fixed
    ]


def wheel_transforms(joints: tuple[Joint, ...], angles_rad: dict[str, float], prefix: str) -> list[LinkTransform]:
    """Return the wheels' transforms; `angles_rad` is keyed by joint name. The wheel axes are their parents' y."""
    return [
        LinkTransform(
            prefix + joint.parent, prefix + joint.child, joint.xyz_m, quaternion(0.0, angles_rad[joint.name], 0.0)
        )
        for joint in joints
        if not joint.is_fixed
    ]


def prefixed(urdf: str, prefix: str) -> str:
    """Return the description with `prefix` before the names of all links and joints, for one of several robots."""
    root = xml_element(urdf)
    for element in (*root.iter("link"), *root.iter("joint")):
        element.set("name", prefix + element.get("name", ""))
    for element in (*root.iter("parent"), *root.iter("child")):
        element.set("link", prefix + element.get("link", ""))
    return ElementTree.tostring(root, encoding="unicode")


def quaternion(roll_rad: float, pitch_rad: float, yaw_rad: float) -> Quaternion:
    """Return the rotation by fixed-axis roll, pitch and yaw: the product of the yaw's, the pitch's and the roll's."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(0.5 * a), math.cos(0.5 * a)) for a in (roll_rad, pitch_rad, yaw_rad))
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def _joint(element: ElementTree.Element) -> Joint:
    name = element.get("name", "")
    origin = element.find("origin")
    return Joint(
        name=name,
        is_fixed=element.get("type") == "fixed",
        parent=_link(element, "parent", name),
        child=_link(element, "child", name),
        xyz_m=_triple(origin, "xyz", name),
        rpy_rad=_triple(origin, "rpy", name),
    )


def _link(element: ElementTree.Element, role: str, joint: str) -> str:
    found = element.find(role)
    link = "" if found is None else found.get("link", "")
    if not link:
        raise ValueError(f"joint {joint!r} of the robot's description has no {role}")
    return link


def _triple(origin: ElementTree.Element | None, key: str, joint: str) -> tuple[float, float, float]:
    text = "0 0 0" if origin is None else origin.get(key, "0 0 0")
    try:
        x, y, z = (real_number(part) for part in text.split())
    except ValueError as error:
        raise ValueError(f"joint {joint!r} of the robot's description: {key} {text!r} is not three numbers") from error
    return x, y, z
