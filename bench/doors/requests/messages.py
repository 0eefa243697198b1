"""Makes messages of any type: valid ones from the names of their fields, and ones with a fault in one place."""

import importlib
import math
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.random import Generator
from rosidl_parser.definition import (
    AbstractNestedType,
    AbstractString,
    Array,
    BasicType,
    BoundedSequence,
    NamespacedType,
)

from bench.doors.requests.odd_values import odd_float, odd_integer, odd_text, pick

_INTEGER_BITS: Final = {"int8": 8, "int16": 16, "int32": 32, "int64": 64, "char": 8, "octet": 8}
_FLOATS: Final = ("float", "double", "long double")
_LARGEST_FLOAT: Final = 3.402823466e38  # the limit that messages check
_LONG: Final = 300  # items of an odd list

Path: TypeAlias = tuple[str | int, ...]


def message_class(name: str) -> Any:
    """Return the class of a type such as std_srvs/srv/Trigger or ricaip_interfaces/action/TaskGoTo_SendGoal."""
    package, kind, own = name.split("/")
    module = importlib.import_module(f"{package}.{kind}")
    if kind != "action":
        return getattr(module, own)
    action, _, part = own.rpartition("_")
    return getattr(getattr(module, action).Impl, f"{part}Service")


class Messages:
    """Makes messages.

    Parameters
    ----------
    words : make a usual value of a field, by `type.field` or `field`; types are such as `geometry_msgs/Quaternion`
    """

    def __init__(self, words: dict[str, Callable[[Generator], Any]]) -> None:
        self._words = words

    def usual(self, message_type: Any, chance: Generator) -> Any:
        """Return a message that a well-behaved client could send."""
        message = message_type()
        own = _type_name(message_type)
        for field, slot in _slots(message):
            word = self._words.get(f"{own}.{field}") or self._words.get(field)
            if word is None or not _is_set(message, field, word(chance)):
                setattr(message, field, self._usual_value(slot, chance))
        return message

    def bad(self, message_type: Any, chance: Generator) -> Any:
        """Return a message that is mostly wrong in one place, and rarely valid or wrong everywhere."""
        message = self.usual(message_type, chance)
        kind = chance.random()
        if kind < 0.12:
            return message
        if kind < 0.2:
            for path, slot in reversed(list(_places(message))):
                if chance.random() < 0.4:
                    _change(message, path, slot, chance)
            return message
        for _ in range(1 if kind < 0.8 else 2):
            places = list(_places(message))
            if places:
                path, slot = pick(chance, places)
                _change(message, path, slot, chance)
        return message

    def _usual_value(self, slot: Any, chance: Generator) -> Any:
        if isinstance(slot, NamespacedType):
            return self.usual(_class_of(slot), chance)
        if isinstance(slot, AbstractNestedType):
            size = slot.size if isinstance(slot, Array) else int(chance.integers(3))
            items = [self._usual_value(slot.value_type, chance) for _ in range(size)]
            return _sequence(slot, items)
        if isinstance(slot, AbstractString):
            return pick(chance, ("", "a", "robot_1", "map", "first"))
        if slot.typename in _FLOATS:
            return float(np.round(chance.uniform(-1.0, 2.0), 3))
        if slot.typename == "boolean":
            return bool(chance.random() < 0.5)
        value = int(chance.integers(5))
        return bytes([value]) if slot.typename == "octet" else value


def _type_name(message_type: Any) -> str:
    return f"{message_type.__module__.split('.')[0]}/{message_type.__name__}"


def _is_set(message: Any, field: str, value: Any) -> bool:
    """Set a field; return False if its type differs from that of equally named fields."""
    try:
        setattr(message, field, value)
    except (AssertionError, TypeError):
        return False
    return True


def _slots(message: Any) -> Iterator[tuple[str, Any]]:
    return zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True)


def _class_of(slot: NamespacedType) -> Any:
    module = importlib.import_module(".".join(slot.namespaces))
    if slot.namespaces[-1] != "action":
        return getattr(module, slot.name)
    action, _, part = slot.name.rpartition("_")
    return getattr(getattr(module, action), part)


def _places(message: Any, before: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the places of all values and lists in a message, with their types."""
    for field, slot in _slots(message):
        value, path = getattr(message, field), (*before, field)
        if isinstance(slot, NamespacedType):
            yield from _places(value, path)
            continue
        yield path, slot
        if isinstance(slot, AbstractNestedType) and isinstance(slot.value_type, NamespacedType):
            for index, item in enumerate(value):
                yield from _places(item, (*path, index))


def _change(message: Any, path: Path, slot: Any, chance: Generator) -> None:
    """Put an odd value into a place, unless it cannot be sent."""
    for key in path[:-1]:
        message = message[key] if isinstance(key, int) else getattr(message, key)
    field = str(path[-1])
    setattr(message, field, _odd_of(slot, getattr(message, field), chance))


def _odd_of(slot: Any, value: Any, chance: Generator) -> Any:
    if isinstance(slot, AbstractNestedType):
        return _odd_list(slot, list(value), chance)
    if isinstance(slot, AbstractString):
        return _sendable(odd_text(chance, value))
    if slot.typename in _FLOATS:
        found = odd_float(chance)
        is_single = slot.typename == "float" and math.isfinite(found)
        return min(max(found, -_LARGEST_FLOAT), _LARGEST_FLOAT) if is_single else found
    if slot.typename == "boolean":
        return not value
    low, high = _limits(slot)
    found = odd_integer(chance, low, high)
    return bytes([found]) if slot.typename == "octet" else found


def _odd_list(slot: Any, items: list[Any], chance: Generator) -> Any:
    kind = int(chance.integers(5))
    if not isinstance(slot, Array) and kind > 0:
        fresh = [_fresh(slot.value_type, chance) for _ in range(pick(chance, (1, 1, 2, 3)))]
        fresh = fresh * _LONG if chance.random() < 0.1 else fresh
        items = ([], items + fresh, items[:-1], items + items, fresh)[kind]
    elif items and not isinstance(slot.value_type, NamespacedType):
        index = int(chance.integers(len(items)))
        items[index] = _odd_of(slot.value_type, items[index], chance)
    if isinstance(slot, BoundedSequence):
        items = items[: slot.maximum_size]
    return _sequence(slot, items)


def _fresh(slot: Any, chance: Generator) -> Any:
    """Return an item of a list."""
    if isinstance(slot, NamespacedType):
        item = _class_of(slot)()
        for path, part in reversed(list(_places(item))):
            if chance.random() < 0.4:
                _change(item, path, part, chance)
        return item
    if isinstance(slot, AbstractString):
        return _sendable(odd_text(chance))
    if slot.typename == "boolean":
        return bool(chance.random() < 0.5)
    return _odd_of(slot, b"\0" if slot.typename == "octet" else 0, chance)


def _sequence(slot: Any, items: list[Any]) -> Any:
    """Return items in the form that the field accepts: not always a list."""
    if isinstance(slot, Array) and isinstance(slot.value_type, BasicType) and slot.value_type.typename in _NUMPY:
        return np.array(items, dtype=_NUMPY[slot.value_type.typename])
    return items


_NUMPY: Final[dict[str, Any]] = {
    "float": np.float32,
    "double": np.float64,
    **{f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def _limits(slot: BasicType) -> tuple[int, int]:
    name = slot.typename
    if name == "octet":
        return 0, 255
    if name.startswith("u") or name == "char":
        return 0, 2 ** _INTEGER_BITS.get(name.removeprefix("u"), 8) - 1
    bits = _INTEGER_BITS[name]
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def _sendable(text: str) -> str:
    """Return a text that a message can hold: C ends texts at a zero, and surrogates have no UTF-8."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
