"""Adds the coupler's tags to the joints of any URDF, so that all of them can be moved anywhere."""

from typing import Final
from xml.etree import ElementTree

from thymio_base.texts.xml_text import xml_element

_MOVING: Final = ("revolute", "continuous", "prismatic")


def with_tags(text: str) -> str:
    """Return a URDF whose moving joints have wide limits and, except mimicking joints, a state and a command."""
    root = xml_element(text)
    for index, joint in enumerate(root.findall("joint")):
        if joint.get("type") not in _MOVING:
            continue
        for limit in joint.findall("limit"):
            joint.remove(limit)
        ElementTree.SubElement(joint, "limit", lower="-1000", upper="1000", velocity="1000", effort="1")
        if joint.find("mimic") is not None:
            continue
        for rbc in joint.findall("rbc"):
            joint.remove(rbc)
        rbc = ElementTree.SubElement(joint, "rbc", node="driver")
        for name, kind in (("q", "state"), ("q_ref", "cmd")):
            variable = ElementTree.SubElement(rbc, "var", name=name, topic=f"driver/{kind}", type=kind)
            given = {"type": "any.msg.Numbers", "field": "numbers", "field_array": "true", "index": str(index)}
            ElementTree.SubElement(variable, "msg", given)
    return ElementTree.tostring(root, encoding="unicode")
