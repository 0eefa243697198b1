"""Parameters of a reacher or extender: checked together, then applied or rejected with the reason."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from body.errors import ReacherError
from thymio_base.texts.bounds import is_number

Value: TypeAlias = float | str | tuple[float, ...] | tuple[str, ...]
Values: TypeAlias = Mapping[str, Any]


class MemberParameters:
    """Declares parameters, and stores their values.

    rclpy treats an empty list as an array of bytes, and rejects 1 for a double; here, a parameter has the type of its
    default, an empty list is valid for every array, and whole numbers are valid for doubles.

    Parameters
    ----------
    node : node of the parameters
    defaults : default values by name; tuples become arrays
    apply : applies all values together, or raises ReacherError and changes nothing
    """

    def __init__(self, node: Node, defaults: Mapping[str, Value], apply: Callable[[Values], None]) -> None:
        self._defaults = dict(defaults)
        self._apply = apply
        self._values: dict[str, Value] = {}
        for name, default in defaults.items():
            declared = list(default) if isinstance(default, tuple) else default
            found = node.declare_parameter(name, declared, ParameterDescriptor(dynamic_typing=True))
            self._values[name] = _converted(name, found.value, default)
        apply(self._values)
        node.add_on_set_parameters_callback(self._on_set)

    def _on_set(self, parameters: list[Parameter]) -> SetParametersResult:
        try:
            changed = {
                one.name: _converted(one.name, one.value, self._defaults[one.name])
                for one in parameters
                if one.name in self._defaults
            }
            values = self._values | changed
            self._apply(values)
        except ReacherError as error:
            return SetParametersResult(successful=False, reason=str(error))
        self._values = values
        return SetParametersResult(successful=True)


def _converted(name: str, value: Any, default: Value) -> Value:
    """Return a value, converted to the type of its default.

    Raises
    ------
    ReacherError
        The value has another type, or is not finite.
    """
    if isinstance(default, str) and isinstance(value, str):
        return value
    if isinstance(default, float) and is_number(value):
        return float(value)
    if isinstance(default, tuple) and not isinstance(value, str) and hasattr(value, "__len__"):
        items = list(value)
        if all(isinstance(item, str) for item in items) and not _holds_numbers(name):
            return tuple(items)
        if all(map(is_number, items)) and (_holds_numbers(name) or not items):
            return tuple(map(float, items))
    raise ReacherError(f"{name} is {value!r}; write {_kind(name, default)}")


def _holds_numbers(name: str) -> bool:
    return name != "joints"  # the only array of strings


def _kind(name: str, default: Value) -> str:
    if isinstance(default, str):
        return "a string"
    if isinstance(default, float):
        return "a finite number"
    return "a list of finite numbers" if _holds_numbers(name) else "a list of strings"


def positive(values: Values, *names: str) -> None:
    """Check that numbers are above 0.

    Raises
    ------
    ReacherError
        A number is not; the message names it.
    """
    for name in names:
        if values[name] <= 0:
            raise ReacherError(f"{name} is {values[name]:g}; it must be above 0")
