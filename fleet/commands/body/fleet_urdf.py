"""A fleet as one body: a URDF with each robot on a planar joint of the map, and the tags of the body coupler."""

from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree  # noqa: TID251 (writes)

from fleet.ros.thymio_topics.robot_description import prefixed
from fleet.settings.config import FleetConfig
from thymio_base.texts.xml_text import xml_element

NOSE_M: Final = 0.08  # ahead of the wheel axle
WHEELS: Final = ("left_wheel_joint", "right_wheel_joint")  # in the order of joint_states


def fleet_urdf(config: FleetConfig, thymio: str) -> str:
    """Return the URDF of a fleet.

    Each robot has the links of the shipped description with the prefix `robot_<ID>/`, and `nose_link` ahead of it. Its
    joint `robot_<ID>/base_joint` has the states x, y and yaw from its pose, and the commands v_ref and w_ref; its
    wheels have q and qv.

    Parameters
    ----------
    config
        the fleet's configuration
    thymio
        the description of one robot, a URDF
    """
    root = ElementTree.Element("robot", name="thymio_fleet")
    ElementTree.SubElement(root, "link", name=config.frame)
    for robot in config.robots:
        name = f"robot_{robot.id}"
        root.extend(_robot(name, xml_element(prefixed(thymio, f"{name}/"))))
        root.append(_base_joint(name, config))
        ElementTree.SubElement(root, "link", name=f"{name}/nose_link")
        root.append(_joint(f"{name}/nose_joint", "fixed", f"{name}/base_link", f"{name}/nose_link", f"{NOSE_M} 0 0"))
    ElementTree.indent(root)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _robot(name: str, thymio: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """Yield the links and joints of one robot, with variables for its wheels."""
    for index, wheel in enumerate(WHEELS):
        joint = next(one for one in thymio.iter("joint") if one.get("name") == f"{name}/{wheel}")
        rbc = ElementTree.SubElement(joint, "rbc", node="multi_thymio_driver")
        for variable, field in (("q", "position"), ("qv", "velocity")):
            own = _variable(rbc, variable, "state", f"/factory/{name}/joint_states")
            attributes = {"type": "sensor_msgs.msg.JointState", "field": field, "field_array": "true"}
            ElementTree.SubElement(own, "msg", attributes, index=str(index), index_type="float")
    yield from (one for one in thymio if one.tag in ("link", "joint"))


def _base_joint(name: str, config: FleetConfig) -> ElementTree.Element:
    joint = _joint(f"{name}/base_joint", "planar", config.frame, f"{name}/base_link", "0 0 0")
    ElementTree.SubElement(joint, "axis", xyz="0 0 1")
    rbc = ElementTree.SubElement(joint, "rbc", node="multi_thymio_driver")
    for axis in ("x", "y"):
        own = _variable(rbc, axis, "state", f"/factory/{name}/pose")
        outer = ElementTree.SubElement(own, "msg", type="geometry_msgs.msg.PoseStamped", field="pose")
        middle = ElementTree.SubElement(outer, "msg", type="geometry_msgs.msg.Pose", field="position")
        ElementTree.SubElement(middle, "msg", type="geometry_msgs.msg.Point", field=axis)
    own = _variable(rbc, "yaw", "state", f"/factory/{name}/pose")
    outer = ElementTree.SubElement(own, "msg", type="geometry_msgs.msg.PoseStamped", field="pose")
    ElementTree.SubElement(outer, "msg", type="geometry_msgs.msg.Pose", field="orientation", index_type="yaw")
    for command, part, axis in (("v_ref", "linear", "x"), ("w_ref", "angular", "z")):
        own = _variable(rbc, command, "cmd", f"/factory/{name}/cmd_vel")
        if command == "v_ref":
            own.set("limit", f"{config.motion.limits.speed_mps:g}")
        outer = ElementTree.SubElement(own, "msg", type="geometry_msgs.msg.Twist", field=part)
        ElementTree.SubElement(outer, "msg", type="geometry_msgs.msg.Vector3", field=axis)
    return joint


def _joint(name: str, kind: str, parent: str, child: str, xyz: str) -> ElementTree.Element:
    joint = ElementTree.Element("joint", name=name, type=kind)
    ElementTree.SubElement(joint, "origin", xyz=xyz)
    ElementTree.SubElement(joint, "parent", link=parent)
    ElementTree.SubElement(joint, "child", link=child)
    return joint


def _variable(rbc: ElementTree.Element, name: str, kind: str, topic: str) -> ElementTree.Element:
    return ElementTree.SubElement(rbc, "var", name=name, init="0.0", topic=topic, type=kind)
