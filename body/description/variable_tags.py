"""Reads the `var` and `msg` tags of a joint."""

import math
import re
from typing import Final

from body.description.problems import Problems
from body.description.robot_tree import BodyVariable, CommandKind, FieldStep
from thymio_base.texts.decimal_text import whole_number
from thymio_base.texts.xml_text import XmlTag

DEFAULT_TIMEOUT_S: Final = 0.5
VALUE_TYPES: Final = ("float", "int", "bool", "yaw")

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_MESSAGE_TYPE: Final = re.compile(r"[a-z][a-z0-9_]*\.msg\.[A-Z][A-Za-z0-9]*")  # the names that rosidl allows
_BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False, "": False}


def read_variables(rbc: XmlTag, joint: str, problems: Problems) -> tuple[BodyVariable, ...]:
    """Return the variables of one `rbc` tag, without those that have problems.

    Parameters
    ----------
    rbc
        the tag
    joint
        name of the joint
    problems
        collects the problems
    """
    found = (_variable(tag, joint, problems) for tag in rbc.all("var"))
    return tuple(variable for variable in found if variable is not None)


def _variable(tag: XmlTag, joint: str, problems: Problems) -> BodyVariable | None:
    where = f"joint {joint}"
    name = problems.text(tag, "name", where)
    if name and not name.isidentifier():
        problems.add(tag.line, where, f"the variable's name {name!r} is not an identifier: letters, digits, _")
    where = f"joint {joint}, variable {name}"
    kind = problems.text(tag, "type", where)
    if kind not in ("state", "cmd", ""):
        problems.add(tag.line, where, f"type is {kind!r}; write state or cmd")
    path = _path(tag, where, problems)
    timeout_s = problems.number(tag, "timeout", where, DEFAULT_TIMEOUT_S)
    limit = problems.number(tag, "limit", where, math.inf)
    for attribute, value in (("timeout", timeout_s), ("limit", limit)):
        if value <= 0:
            problems.add(tag.line, where, f"{attribute} is {value:g}; it must be above 0")
    variable = BodyVariable(
        joint=joint,
        name=name,
        init=problems.number(tag, "init", where),
        topic=problems.text(tag, "topic", where),
        is_command=kind == "cmd",
        path=path,
        timeout_s=timeout_s,
        limit=limit if math.isfinite(limit) else None,
        line=tag.line,
    )
    if variable.is_command and variable.kind is None and name:
        known = "q_ref, qv_ref, v_ref, vx_ref, vy_ref, w_ref, or a name that ends in _torques"
        problems.add(tag.line, where, f"no reacher writes a command of this name; known: {known}")
    if variable.limit is not None and variable.kind is not CommandKind.VELOCITY:
        problems.add(tag.line, where, "limit is for commands of velocity; a joint's own limits belong in its <limit>")
    return variable if path else None


def _path(tag: XmlTag, where: str, problems: Problems) -> tuple[FieldStep, ...]:
    inner = tag.all("msg")
    if len(inner) > 1:
        problems.add(
            inner[1].line, where, f"<{tag.name}> has {len(inner)} <msg>; write one, and nest further ones in it"
        )
    if not inner:
        if tag.name == "var":
            problems.add(tag.line, where, "<var> has no <msg>, which names the field of the message")
        return ()
    return (_step(inner[0], where, problems), *_path(inner[0], where, problems))


def _step(tag: XmlTag, where: str, problems: Problems) -> FieldStep:
    is_array = _BOOLEANS.get(tag.attributes.get("field_array", "").strip().lower())
    if is_array is None:
        problems.add(tag.line, where, f"field_array is {tag.attributes['field_array']!r}; write true or false")
    value_type = tag.attributes.get("index_type", "float").strip()
    if value_type not in VALUE_TYPES:
        problems.add(tag.line, where, f"index_type is {value_type!r}; write one of {', '.join(VALUE_TYPES)}")
        value_type = "float"
    message_type = problems.text(tag, "type", where)
    if message_type and not _MESSAGE_TYPE.fullmatch(message_type):
        problems.add(tag.line, where, f"type is {message_type!r}; write it as package.msg.Type")
        message_type = ""
    field = problems.text(tag, "field", where)
    return FieldStep(message_type, field, _index(tag, where, problems) if is_array else None, value_type, tag.line)


def _index(tag: XmlTag, where: str, problems: Problems) -> int:
    text = tag.attributes.get("index", "").strip()
    if not _INDEX.fullmatch(text):
        problems.add(tag.line, where, f"index is {text[:40]!r}; the field is an array, so write a number, 0 or above")
        return 0
    return whole_number(text)
