"""Writes the parts of commands that are not numbers: time stamps and names of joints."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from body.description.message_fields import MessageTypes
from body.description.robot_tree import BodyVariable, FieldStep

_STAMPS: Final = {"header": "std_msgs/Header", "stamp": "builtin_interfaces/Time"}
_NAMES: Final = ("name", "names", "joint_name", "joint_names")
_STRINGS: Final = ("sequence<string", "string[")  # prefixes of the types of string arrays
Place = tuple[tuple[str, int | None], ...]  # fields and indices that lead from a message to a nested one


def stamp_writer(variables: Iterable[BodyVariable], types: MessageTypes) -> Callable[[Any, Any], None] | None:
    """Return a function that writes a time into all headers and stamps on the variables' paths; None without any.

    Parameters
    ----------
    variables
        variables of one topic, with checked paths
    types
        source of the fields of message types
    """
    found: dict[tuple[Place, str], None] = {}  # in order, each once
    for variable in variables:
        for depth, step in enumerate(variable.path):
            fields = types.fields(step.message_type) or {}
            names = (name for name, kind in _STAMPS.items() if fields.get(name) == kind)
            found |= {(_place(variable.path[:depth]), name): None for name in names}
    places = tuple(found)

    def write(message: Any, time: Any) -> None:
        for place, name in places:
            inner = _at(message, place)
            (inner.header if name == "header" else inner).stamp = time

    return write if places else None


def fill_names(message: Any, variables: Iterable[BodyVariable], types: MessageTypes) -> None:
    """Write the names of joints into the arrays of names next to the arrays of their numbers.

    Parameters
    ----------
    message
        message to change in place; its arrays are long enough (`fill_arrays`)
    variables
        variables of its topic
    types
        source of the fields of message types
    """
    for variable in variables:
        for depth, step in enumerate(variable.path):
            fields = types.fields(step.message_type) or {}
            index = _index_of_names(variable.path[depth:], types)
            for name in _NAMES:
                if index is not None and fields.get(name, "").startswith(_STRINGS):
                    names = getattr(_at(message, _place(variable.path[:depth])), name)
                    names += [""] * (index + 1 - len(names))
                    names[index] = variable.joint


def _index_of_names(path: tuple[FieldStep, ...], types: MessageTypes) -> int | None:
    """Return the index for names in the first message: the innermost index before a message with string arrays."""
    index = path[0].index
    for step in path[1:]:
        if any(kind.startswith(_STRINGS) for kind in (types.fields(step.message_type) or {}).values()):
            break
        index = index if step.index is None else step.index
    return index


def _place(steps: tuple[FieldStep, ...]) -> Place:
    return tuple((step.field, step.index) for step in steps)


def _at(message: Any, place: Place) -> Any:
    for field, index in place:
        message = getattr(message, field)
        if index is not None:
            message = message[index]
    return message
