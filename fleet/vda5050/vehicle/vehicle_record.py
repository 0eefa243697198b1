"""What is kept of a vehicle for a restart of the connector, as a text of JSON."""

import json
from dataclasses import fields
from enum import Enum
from typing import Any, Final

from fleet.errors import FleetError
from fleet.vda5050.order.action_book import ActionBook, ActionState, ActionStatus
from fleet.vda5050.order.order_graph import BlockingType, Order, OrderedAction, OrderEdge, OrderNode, OrderPlace
from fleet.vda5050.order.order_machine import OrderMachine
from fleet.vda5050.order.route_steps import RouteStep, StepKind

FORMAT: Final = 1


class RecordError(FleetError, ValueError):
    """A record that cannot be read: it is from another version, or was damaged."""


def machine_text(machine: OrderMachine) -> str:
    """Return all of a machine that must survive; its faults do not."""
    run = machine.run
    record = {
        "format": FORMAT,
        "order": machine.order,
        "message": machine.message,
        "last_node_id": machine.last_node_id,
        "last_sequence_id": machine.last_sequence_id,
        "is_canceled": machine.is_canceled,
        "is_paused": machine.is_paused,
        "load_id": machine.load_id,
        "actions": list(machine.actions),
        "instant_actions": list(machine.instant_actions),
        "run_id": run.run_id,
        "rest": run.rest,
        "given": run.given,
        "pending": run.pending,
        "done": run.done,
        "is_unwanted": run.is_unwanted,
    }
    return json.dumps(record, default=_plain)


def restore_machine(machine: OrderMachine, record: dict[str, Any]) -> None:
    """Let a new machine go on where another one was.

    Raises
    ------
    RecordError
        The record is not one of this version.
    """
    if record.get("format") != FORMAT:
        raise RecordError(f"its format is not {FORMAT}")
    try:
        machine.order, machine.message = _order(record["order"]), _order(record["message"])
        machine.last_node_id, machine.last_sequence_id = record["last_node_id"], record["last_sequence_id"]
        machine.is_canceled, machine.is_paused = record["is_canceled"], record["is_paused"]
        machine.load_id = record["load_id"]
        machine.actions = ActionBook(map(_action_state, record["actions"]))
        machine.instant_actions = ActionBook(map(_action_state, record["instant_actions"]))
        run = machine.run
        run.rest, run.given = [_step(one) for one in record["rest"]], [_step(one) for one in record["given"]]
        run.pending = [_step(one) for one in record["pending"]]
        run.run_id, run.done, run.is_unwanted = record["run_id"], record["done"], record["is_unwanted"]
        machine.resume_beside()
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{type(error).__name__}: {error}") from error


def _plain(value: Any) -> Any:
    """Return the value of a member, or the fields of an object."""
    return (
        value.value if isinstance(value, Enum) else {field.name: getattr(value, field.name) for field in fields(value)}
    )


def _order(values: dict[str, Any] | None) -> Order | None:
    if values is None:
        return None
    return Order(
        values["order_id"], values["update_id"], tuple(map(_node, values["nodes"])), tuple(map(_edge, values["edges"]))
    )


def _node(values: dict[str, Any]) -> OrderNode:
    place = None if values["place"] is None else OrderPlace(**values["place"])
    return OrderNode(**{**values, "place": place, "actions": tuple(map(_action, values["actions"]))})


def _edge(values: dict[str, Any]) -> OrderEdge:
    return OrderEdge(**{**values, "actions": tuple(map(_action, values["actions"]))})


def _action(values: dict[str, Any]) -> OrderedAction:
    return OrderedAction(**{**values, "blocking": BlockingType(values["blocking"])})


def _action_state(values: dict[str, Any]) -> ActionState:
    return ActionState(**{**values, "status": ActionStatus(values["status"])})


def _step(values: dict[str, Any]) -> RouteStep:
    action = None if values["action"] is None else _action(values["action"])
    return RouteStep(**{**values, "kind": StepKind(values["kind"]), "action": action})
