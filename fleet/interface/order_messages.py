"""Reads the order of a master control that a robot performs; a connector publishes it on `x/order` as JSON."""

from collections.abc import Mapping
from typing import Any, Final

from thymio_base.texts.bounds import is_near, is_number
from thymio_base.texts.json_text import read_json

_TEXT_MAX: Final = 200  # characters
_NODES_MAX: Final = 100  # of base and horizon together
_ERRORS_MAX: Final = 5
_TEXTS: Final = ("master", "mode", "order")


def order_of_text(text: str) -> dict[str, Any] | None:
    """Return an order as pages show it; None for an empty text: no master controls the robot.

    Missing parts are empty, and invalid parts are left out.

    Raises
    ------
    ValueError
        The text is not a JSON object.
    """
    if not text:
        return None
    values = read_json(text)
    if not isinstance(values, dict):
        raise ValueError("an order is an object of JSON")
    base = _nodes(values.get("base"), _NODES_MAX)
    last = values.get("last")
    errors = values.get("errors")
    return {
        **{name: _text(values.get(name)) for name in _TEXTS},
        "update": update if isinstance(update := values.get("update"), int) else 0,
        "is_connected": values.get("connected") is True,
        "is_paused": values.get("paused") is True,
        "base": base,
        "horizon": _nodes(values.get("horizon"), _NODES_MAX - len(base)),
        "last": _text(last.get("id")) if isinstance(last, dict) else "",
        "errors": [_text(error) for error in errors[:_ERRORS_MAX]] if isinstance(errors, list) else [],
    }


def _text(value: object) -> str:
    return value[:_TEXT_MAX] if isinstance(value, str) else ""


def _nodes(values: object, most: int) -> list[dict[str, Any]]:
    found = [_node(value) for value in values[:most] if isinstance(value, dict)] if isinstance(values, list) else []
    return [node for node in found if node is not None]


def _node(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a node with its place; None without one."""
    x_m, y_m = _metres(value.get("x")), _metres(value.get("y"))
    if x_m is None or y_m is None or not is_near(x_m, y_m):
        return None
    return {"id": _text(value.get("id")), "x_m": x_m, "y_m": y_m}


def _metres(value: Any) -> float | None:
    return float(value) if is_number(value) else None
