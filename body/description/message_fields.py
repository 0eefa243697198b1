"""Numbers in messages: checks the paths that lead to them, and returns functions that read and write them."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

from body.description.problems import Problems
from body.description.robot_tree import BodyVariable, FieldStep
from thymio_base.texts.decimal_text import whole_number

_INTEGERS: Final[Mapping[str, tuple[int, int]]] = {  # with their smallest and largest values
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    "octet": (0, 255),  # the type byte: rclpy has it as bytes of length 1
}
_NUMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "float": ("float", "double"),
    "int": tuple(_INTEGERS),
    "bool": ("boolean",),
}
_LARGEST_SINGLE: Final = float.fromhex("0x1.fffffep+127")  # largest 32-bit float of IEEE 754
_LONGEST: Final = 10_000  # most elements of an array in a command, which each message carries in full
_QUATERNION: Final = "geometry_msgs/Quaternion"

Read = Callable[[Any], float]
Write = Callable[[Any, float], None]


class MessageTypes(Protocol):
    """Looks up message types; on ROS, by importing them."""

    def fields(self, message_type: str) -> Mapping[str, str] | None:
        """Return the fields of a type with their rosidl types; None if there is no such type."""
        ...

    def create(self, message_type: str) -> Any:
        """Return a new message."""
        ...


def check_messages(variables: Iterable[BodyVariable], types: MessageTypes, problems: Problems) -> None:
    """Check that each variable's path leads to a number; incomplete paths have been reported already."""
    for variable in variables:
        if all(step.message_type and step.field for step in variable.path):
            _check_path(variable, types, problems)


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
        element, length = _element(fields[step.field])
        if not _is_index_right(step, length, variable, where, problems):
            return
        if following is None:
            _check_number(step, element, variable, where, problems)
        elif element != _rosidl_name(following.message_type):
            text = f"{step.field} is a {element}, and not the {following.message_type} of the tag inside"
            problems.add(following.line, where, text)
            return


def _element(field_type: str) -> tuple[str, float | None]:
    """Return the type of a field or of its elements, and the largest number of elements: None if it is not an array."""
    if field_type.startswith("sequence<"):
        element, _, bound = field_type.removeprefix("sequence<").removesuffix(">").partition(", ")
        return element, whole_number(bound) if bound else math.inf
    element, is_array, size = field_type.partition("[")
    return element, whole_number(size.removesuffix("]")) if is_array else None


def _is_index_right(
    step: FieldStep, length: float | None, variable: BodyVariable, where: str, problems: Problems
) -> bool:
    """Check that a step has an index exactly if its field is an array, and that the index is within the array."""
    if (length is None) != (step.index is None):
        has = "no array, so remove field_array" if length is None else "an array, so write field_array and index"
        problems.add(step.line, where, f"the field {step.field} of {step.message_type} is {has}")
        return False
    if length is not None and step.index is not None and step.index >= length:
        problems.add(step.line, where, f"index {step.index} is beyond the {length} elements of {step.field}")
        return False
    if variable.is_command and step.index is not None and step.index >= _LONGEST:
        text = f"index {step.index} makes each command longer than {_LONGEST} elements"
        problems.add(step.line, where, f"{text}; write 0 to {_LONGEST - 1}")
        return False
    return True


def _check_number(step: FieldStep, element: str, variable: BodyVariable, where: str, problems: Problems) -> None:
    if step.value_type == "yaw":
        if element != _QUATERNION or variable.is_command:
            problems.add(step.line, where, f"index_type yaw reads a {_QUATERNION}; {step.field} is {element}")
    elif element not in _NUMBERS[step.value_type]:
        fitting = next((name for name, known in _NUMBERS.items() if element in known), None)
        advice = f"write index_type {fitting}" if fitting else "choose a field that is a number"
        if "/" in element:
            advice = "nest a <msg> for one of its fields"
        problems.add(step.line, where, f"{step.field} is {element}, and index_type {step.value_type}: {advice}")


def _rosidl_name(message_type: str) -> str:
    package, _, rest = message_type.partition(".")
    return f"{package}/{rest.rpartition('.')[2]}"


def reader(path: Iterable[FieldStep]) -> Read:
    """Return a function that reads a number from a message.

    For a checked path, it raises IndexError if an array is too short, and never AttributeError.
    """
    steps = tuple(path)

    def read(message: Any) -> float:
        value = _inner(message, steps)
        return float(value[0] if isinstance(value, bytes) else value)

    def read_yaw(message: Any) -> float:
        quaternion = _inner(message, steps)
        return yaw(quaternion.x, quaternion.y, quaternion.z, quaternion.w)

    return read_yaw if steps[-1].value_type == "yaw" else read


def writer(path: Iterable[FieldStep], types: MessageTypes) -> Write:
    """Return a function that writes a finite number into a message with long enough arrays (`fill_arrays`).

    A number that the field cannot hold is replaced by the nearest that it can.
    """
    *steps, last = path
    convert = _converter(_type_of(last, types))

    def write(message: Any, value: float) -> None:
        inner = _inner(message, steps)
        if last.index is None:
            setattr(inner, last.field, convert(value))
        else:
            getattr(inner, last.field)[last.index] = convert(value)

    return write


def _converter(element: str) -> Callable[[float], Any]:
    """Return a function that converts a number to a type of rosidl."""
    if element == "boolean":
        return bool
    if element == "double":
        return float
    if element == "float":
        return lambda value: min(max(value, -_LARGEST_SINGLE), _LARGEST_SINGLE)
    smallest, largest = _INTEGERS[element]
    if element == "octet":
        return lambda value: bytes([min(max(round(value), smallest), largest)])
    return lambda value: min(max(round(value), smallest), largest)


def _type_of(step: FieldStep, types: MessageTypes) -> str:
    """Return the type at the end of a checked step."""
    fields = types.fields(step.message_type)
    assert fields is not None
    return _element(fields[step.field])[0]


def _inner(message: Any, steps: Iterable[FieldStep]) -> Any:
    for step in steps:
        message = getattr(message, step.field)
        if step.index is not None:
            message = message[step.index]
    return message


def fill_arrays(message: Any, variables: Iterable[BodyVariable], types: MessageTypes) -> None:
    """Extend the arrays of a new message to the length that the variables' indices need, with zeros or empty messages.

    Parameters
    ----------
    message
        message to change in place
    variables
        variables of its topic
    types
        source of the elements
    """
    for variable in variables:
        inner = message
        for step, following in zip(variable.path, (*variable.path[1:], None), strict=True):
            if step.index is not None:
                _lengthen(getattr(inner, step.field), step, following, types)
                inner = getattr(inner, step.field)[step.index]
            else:
                inner = getattr(inner, step.field)


def _lengthen(elements: Any, step: FieldStep, following: FieldStep | None, types: MessageTypes) -> None:
    assert step.index is not None
    zero = None if following is not None else _converter(_type_of(step, types))(0.0)
    while len(elements) <= step.index:
        elements.append(zero if following is None else types.create(following.message_type))


def yaw(x: float, y: float, z: float, w: float) -> float:
    """Return the heading of a quaternion of any length above 0 [rad]: the angle of its x axis in the x-y plane."""
    return math.atan2(2 * (w * z + x * y), w * w + x * x - y * y - z * z)
