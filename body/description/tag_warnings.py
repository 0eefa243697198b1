"""Warns of parts of a URDF that are meant for the coupler but have no effect."""

from collections.abc import Mapping
from typing import Final

from body.description.problems import Problems
from body.description.robot_tree import CommandKind, TreeJoint
from thymio_base.argument_types import suggestion
from thymio_base.texts.xml_text import XmlTag

_ATTRIBUTES: Final[Mapping[str, tuple[str, ...]]] = {
    "rbc": ("node",),
    "var": ("name", "init", "topic", "type", "timeout", "limit"),
    "msg": ("type", "field", "field_array", "index", "index_type"),
}
_CHILD: Final = {"rbc": "var", "var": "msg", "msg": "msg"}
_FEW_NUMBERS: Final = 50  # a range with fewer whole numbers is too coarse for integer commands


def warn_of_unknown(root: XmlTag, problems: Problems) -> None:
    """Warn of unknown tags and attributes in `rbc` tags, and of misplaced tags."""
    for tag in root.children:
        if tag.name == "joint":
            _warn_in_joint(tag, problems)
        else:
            _warn_of_misplaced(tag, problems)


def _warn_in_joint(joint: XmlTag, problems: Problems) -> None:
    where = f"joint {joint.attributes.get('name', '')}"
    for tag in joint.children:
        if tag.name == "rbc":
            _warn_inside(tag, where, problems)
        elif tag.name.lower() == "rbc":
            problems.warn(tag.line, where, f"<{tag.name}> is ignored, did you mean <rbc>?")
        elif tag.name in _ATTRIBUTES:
            problems.warn(tag.line, where, f"<{tag.name}> is outside of <rbc>, and is ignored")


def _warn_inside(tag: XmlTag, where: str, problems: Problems) -> None:
    known, child = _ATTRIBUTES[tag.name], _CHILD[tag.name]
    for name in tag.attributes:
        if name not in known and not name.startswith("xml"):
            advice = suggestion(name, known) or f"; known: {', '.join(known)}"
            problems.warn(tag.line, where, f"<{tag.name}> has no attribute {name!r}, which is ignored{advice}")
    for inner in tag.children:
        if inner.name == child:
            _warn_inside(inner, where, problems)
        else:
            problems.warn(inner.line, where, f"<{inner.name}> within <{tag.name}> is ignored; write <{child}> there")


def _warn_of_misplaced(tag: XmlTag, problems: Problems) -> None:
    if tag.name.lower() == "rbc":
        problems.warn(tag.line, "document", f"<{tag.name}> is outside of a <joint>, and is ignored")
    for inner in tag.children:
        _warn_of_misplaced(inner, problems)


def warn_of_commands(joint: TreeJoint, problems: Problems) -> None:
    """Warn of a joint's commands that have an unused initial value or too coarse numbers."""
    limits = joint.limits
    widths = {CommandKind.POSITION: limits.upper - limits.lower, CommandKind.VELOCITY: 2 * limits.velocity}
    for variable in joint.variables:
        where = f"joint {joint.name}, variable {variable.name}"
        if variable.is_command and variable.init:
            text = f"init {variable.init:g} of a command is ignored: nothing is published before a reacher commands"
            problems.warn(variable.line, where, text)
        is_whole = bool(variable.path) and variable.path[-1].value_type in ("int", "bool")
        width = None if variable.kind is None else widths.get(variable.kind)
        if is_whole and width is not None and width < _FEW_NUMBERS:
            text = f"its {variable.path[-1].value_type} rounds commands to whole numbers of a range of {width:g}"
            problems.warn(variable.line, where, f"{text}: use a field of float where there is one")
