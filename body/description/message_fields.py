"""Numbers in messages: whether a path leads to one, and closures that read and write it."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from body.description.problems import Problems
from body.description.robot_tree import BodyVariable, FieldStep, RobotTree

_INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_NUMBERS = {
    "float": ("float", "double"),
    "int": (*_INTEGERS, "octet"),
    "bool": ("boolean",),
}
_QUATERNION = "geometry_msgs/Quaternion"

Read = Callable[[Any], float]
Write = Callable[[Any, float], None]


class MessageTypes(Protocol):
    """Finds message types; on ROS, it imports them."""

    def fields(self, message_type: str) -> Mapping[str, str] | None:
        """Return a type's fields with their types in the form of rosidl, None if there is no such type."""
        ...

    def create(self, message_type: str) -> Any:
        """Return a new message."""
        ...


def check_messages(robot: RobotTree, types: MessageTypes) -> None:
    """Check that each variable's path leads to a number.

    Raises
    ------
    DescriptionError
        With all problems.
    """
    problems = Problems()
    for variable in robot.variables:
        _check_path(variable, types, problems)
    problems.raise_if_any()


def _check_path(variable: BodyVariable, types: MessageTypes, problems: Problems) -> None:
    where = f"joint {variable.joint}, variable {variable.name}"
    for step, following in zip(variable.path, (*variable.path[1:], None), strict=True):
        fields = types.fields(step.message_type)
        if fields is None:
            problems.add(step.line, where, f"the message type {step.message_type} cannot be imported: is it built?")
            return
        if step.field not in fields:
            known = ", ".join(fields)
            problems.add(step.line, where, f"{step.message_type} has no field {step.field}; it has {known}")
            return
        element = _element(step, fields[step.field], where, problems)
        if element is None:
            return
        if following is None:
            _check_number(step, element, variable, where, problems)
        elif element != _rosidl_name(following.message_type):
            text = f"{step.field} is a {element}, and not the {following.message_type} of the tag inside"
            problems.add(following.line, where, text)
            return


def _element(step: FieldStep, field_type: str, where: str, problems: Problems) -> str | None:
    """Return the type of the field, or of its elements; None with a problem if the index does not fit."""
    element, _, size = field_type.partition("[")
    is_sequence = field_type.startswith("sequence<")
    if is_sequence:
        element, _, bound = field_type.removeprefix("sequence<").removesuffix(">").partition(", ")
        size = bound
    is_array = is_sequence or "[" in field_type
    if is_array != (step.index is not None):
        has = "an array, so write field_array and index" if is_array else "no array, so remove field_array"
        problems.add(step.line, where, f"the field {step.field} of {step.message_type} is {has}")
        return None
    length = size.rstrip("]")
    if step.index is not None and length.isdecimal() and step.index >= int(length):
        problems.add(step.line, where, f"index {step.index} is beyond the {length} elements of {step.field}")
        return None
    return element


def _check_number(step: FieldStep, element: str, variable: BodyVariable, where: str, problems: Problems) -> None:
    if step.value_type == "yaw":
        if element != _QUATERNION or variable.is_command:
            problems.add(step.line, where, f"index_type yaw reads a {_QUATERNION}; {step.field} is {element}")
    elif element not in _NUMBERS[step.value_type]:
        fitting = next((name for name, known in _NUMBERS.items() if element in known), None)
        advice = f"write index_type {fitting}" if fitting else "nest a <msg> for one of its fields"
        problems.add(step.line, where, f"{step.field} is {element}, and index_type {step.value_type}: {advice}")


def _rosidl_name(message_type: str) -> str:
    package, _, rest = message_type.partition(".")
    return f"{package}/{rest.rpartition('.')[2]}"


def reader(path: Iterable[FieldStep]) -> Read:
    """Return a function that reads a number from a message.

    It raises IndexError for an array that is too short, and AttributeError never, if the path was checked.
    """
    steps = tuple(path)

    def read(message: Any) -> float:
        return float(_inner(message, steps))

    def read_yaw(message: Any) -> float:
        quaternion = _inner(message, steps)
        return yaw(quaternion.x, quaternion.y, quaternion.z, quaternion.w)

    return read_yaw if steps[-1].value_type == "yaw" else read


def writer(path: Iterable[FieldStep]) -> Write:
    """Return a function that writes a number into a message, whose arrays are long enough (`fill_arrays`)."""
    *steps, last = path
    converters: dict[str, Callable[[float], float]] = {"float": float, "int": round, "bool": bool}
    convert = converters[last.value_type]

    def write(message: Any, value: float) -> None:
        inner = _inner(message, steps)
        if last.index is None:
            setattr(inner, last.field, convert(value))
        else:
            getattr(inner, last.field)[last.index] = convert(value)

    return write


def _inner(message: Any, steps: Iterable[FieldStep]) -> Any:
    """Return what the steps lead to."""
    for step in steps:
        message = getattr(message, step.field)
        if step.index is not None:
            message = message[step.index]
    return message


def fill_arrays(message: Any, variables: Iterable[BodyVariable], types: MessageTypes) -> None:
    """Make the arrays of a new message as long as the variables' indices need, with zeros or empty messages.

    Parameters
    ----------
    message
        changed in place
    variables
        of its topic
    types
        creates the elements
    """
    for variable in variables:
        inner = message
        for step, following in zip(variable.path, (*variable.path[1:], None), strict=True):
            if step.index is not None:
                _lengthen(inner, step, following, types)
                inner = getattr(inner, step.field)[step.index]
            else:
                inner = getattr(inner, step.field)


def _lengthen(message: Any, step: FieldStep, following: FieldStep | None, types: MessageTypes) -> None:
    assert step.index is not None
    elements = getattr(message, step.field)
    while len(elements) <= step.index:
        zero = {"float": 0.0, "int": 0, "bool": False}
        elements.append(zero[step.value_type] if following is None else types.create(following.message_type))


def yaw(x: float, y: float, z: float, w: float) -> float:
    """Return the heading of a quaternion of any length above 0 [rad]: the angle of its x axis in the plane x, y."""
    return math.atan2(2 * (w * z + x * y), w * w + x * x - y * y - z * z)
