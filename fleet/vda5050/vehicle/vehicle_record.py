"""The record of a vehicle for a restart of the connector, as JSON text."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from types import UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from fleet.errors import FleetError
from fleet.vda5050.order.action_book import ActionBook, ActionState
from fleet.vda5050.order.order_graph import Order
from fleet.vda5050.order.order_machine import OrderMachine
from fleet.vda5050.order.route_steps import RouteStep

FORMAT: Final = 1
_OF_MACHINE: Final = {
    "order": Order,
    "message": Order,
    "last_node_id": str,
    "last_sequence_id": int,
    "is_canceled": bool,
    "is_paused": bool,
    "load_id": str,
    "actions": list[ActionState],
    "instant_actions": list[ActionState],
}
_OF_RUN: Final = {
    "run_id": str,
    "rest": list[RouteStep],
    "given": list[RouteStep],
    "pending": list[RouteStep],
    "done": int,
    "is_unwanted": bool,
}


class RecordError(FleetError, ValueError):
    """A record cannot be read: it is from another version, or damaged."""


def machine_text(machine: OrderMachine, number: int = 0) -> str:
    """Return everything of a machine that must survive, as a single line; its faults are left out."""
    values = {name: getattr(owner, name) for owner, names in _owners(machine) for name in names}
    return json.dumps({"format": FORMAT, "number": number} | values, default=_plain)


def restore_machine(machine: OrderMachine, record: dict[str, Any]) -> None:
    """Restore a new machine from a record.

    Raises
    ------
    RecordError
        The record is not from this version.
    """
    if record.get("format") != FORMAT:
        raise RecordError(f"its format is not {FORMAT}")
    try:
        found = {name: _rebuilt(kind, record[name]) for _, kinds in _owners(machine) for name, kind in kinds.items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{type(error).__name__}: {error}") from error
    for owner, names in _owners(machine):
        for name in names:
            is_book = isinstance(getattr(owner, name), ActionBook)
            setattr(owner, name, ActionBook(found[name]) if is_book else found[name])
    machine.resume_beside()


def _owners(machine: OrderMachine) -> Iterator[tuple[object, dict[str, Any]]]:
    """Yield each object with kept fields, and the types of these by name."""
    yield machine, _OF_MACHINE
    yield machine.run, _OF_RUN


def _plain(value: Any) -> Any:
    """Return a JSON form: an enum's value, a book's elements, or an object's fields."""
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, Iterable) else {one.name: getattr(value, one.name) for one in fields(value)}


def _rebuilt(kind: Any, value: Any) -> Any:
    """Return a value of a type from its JSON form."""
    if isinstance(kind, UnionType):
        return None if value is None else _rebuilt(get_args(kind)[0], value)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        build: Any = kind
        return build(**{name: _rebuilt(hints[name], one) for name, one in value.items()})
    origin = get_origin(kind) or kind
    if origin in (tuple, list):
        return origin(_rebuilt(get_args(kind)[0], one) for one in value)
    if issubclass(origin, Enum):
        return kind(value)
    if not isinstance(value, (int, float) if origin is float else origin):
        raise TypeError(f"{value!r} is not of type {origin.__name__}")
    return value
