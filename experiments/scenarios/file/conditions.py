"""The conditions of a study: all combinations of the values in the section `sweep` of a file."""

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from experiments.lab.simulated_index import is_same_robot

SEED: Final = "seed"
ROBOTS: Final = "robots"
_SHORT: Final = {"law": "fleet.tracker.law"}
_EACH: Final = "*"
_IDS: Final = ("id", "node_id")  # keys that identify an item of a list

LoadSection = Callable[[str], dict[str, Any]]


class SweepError(ValueError):
    """A sweep cannot be applied to its file; `key` is the offending factor."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(problem)
        self.key = key


@dataclass(frozen=True, slots=True)
class Condition:
    """One combination of levels.

    Parameters
    ----------
    levels : levels by factor name
    changes : factor, key and value of each change, in the order of application
    """

    levels: Mapping[str, str]
    changes: tuple[tuple[str, str, Any], ...]

    @property
    def name(self) -> str:
        """Levels in words; "" for an experiment without a sweep."""
        return ", ".join(f"{factor}={level}" for factor, level in self.levels.items())


def conditions(sweep: Mapping[str, Any]) -> list[Condition]:
    """Return all combinations of the factors' levels, without seeds; the last factor varies fastest.

    Raises
    ------
    SweepError
        Two levels of a factor have the same name.
    """
    factors = [list(_levels(key, values)) for key, values in sweep.items() if key != SEED]
    return [
        Condition(
            {key: level for key, level, _ in combination},
            tuple((key, where, value) for key, _, changes in combination for where, value in changes.items()),
        )
        for combination in product(*factors)
    ]


def seeds(sweep: Mapping[str, Any], default: int) -> list[int]:
    """Return the seeds of a sweep, or the default seed.

    Raises
    ------
    SweepError
        A seed is not a whole number from 0, or is given twice.
    """
    found = sweep.get(SEED, [default])
    if isinstance(found, Mapping) or not all(type(one) is int and one >= 0 for one in found):
        raise SweepError(SEED, "needs a list of whole numbers from 0, such as [1, 2, 3]")
    if len(set(found)) < len(found):
        raise SweepError(SEED, "has a seed twice")
    return list(found)


def changed(values: Mapping[str, Any], condition: Condition, load: LoadSection) -> dict[str, Any]:
    """Return the content of an experiment file under a condition.

    Parameters
    ----------
    values
        content of the file
    condition
        condition to apply
    load
        returns the content of the file that a section names; needed for changes below `world` or `fleet`

    Raises
    ------
    SweepError
        A key does not exist.
    """
    found = {key: deepcopy(value) for key, value in values.items() if key != "sweep"}
    for factor, key, value in condition.changes:
        if key == ROBOTS:
            _keep_robots(found, factor, value, load)
        else:
            _set(found, factor, _SHORT.get(key, key).split("."), deepcopy(value), load)
    return found


def _levels(key: str, values: Any) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield each level of a factor: names of factor and level, and the values that it sets by key."""
    named = values if isinstance(values, Mapping) else {_label(value): {key: value} for value in values}
    if len(named) < len(values):
        raise SweepError(key, "has a value twice")
    for name, changes in named.items():
        yield key, name, changes


def _label(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _set(found: dict[str, Any], factor: str, keys: list[str], value: Any, load: LoadSection) -> None:
    if len(keys) > 1:
        _inline(found, keys[0], load)
    parents: list[Any] = [found]
    for depth, key in enumerate(keys):
        parents = [child for parent in parents for child in _places(parent, key, factor, keys[:depth])]
        if depth < len(keys) - 1:
            parents = [_below(parent, place) for parent, place in parents]
    for parent, place in parents:
        parent[place] = value


def _places(parent: Any, key: str, factor: str, above: list[str]) -> list[tuple[Any, Any]]:
    """Return the places of a key in a mapping or list, as pairs of the parent and the key or index in it."""
    if isinstance(parent, dict):
        return [(parent, key)]
    where = ".".join(above)
    if not isinstance(parent, list):
        raise SweepError(factor, f"{where} has nothing below it, so there is no {key!r}")
    found = [
        (parent, index)
        for index, item in enumerate(parent)
        if key == _EACH or (isinstance(item, dict) and any(str(item.get(name)) == key for name in _IDS))
    ]
    if not found:
        known = [str(item[name]) for item in parent if isinstance(item, dict) for name in _IDS if name in item]
        raise SweepError(factor, f"{where} has no {key!r}; known: {', '.join(known)}, and {_EACH} for all")
    return found


def _below(parent: Any, place: Any) -> Any:
    """Return the value at a place; create a missing mapping."""
    if isinstance(parent, dict) and parent.get(place) is None:
        parent[place] = {}
    return parent[place]


def _inline(found: dict[str, Any], section: str, load: LoadSection) -> None:
    if isinstance(found.get(section), str):
        found[section] = load(section)


def _keep_robots(found: dict[str, Any], factor: str, count: Any, load: LoadSection) -> None:
    """Keep the fleet's first robots; drop the others with their tasks, their faults, and tasks that wait for theirs."""
    _inline(found, "fleet", load)
    _inline(found, "world", load)
    robots = found["fleet"]["robots"]
    if type(count) is not int or not 1 <= count <= len(robots):
        raise SweepError(factor, f"needs numbers from 1 to {len(robots)}, the robots of the fleet; has {count!r}")
    dropped = robots[count:]
    ids = {robot["id"] for robot in dropped}
    found["fleet"]["robots"] = robots[:count]
    found["world"]["robots"] = [
        simulated
        for simulated in found["world"]["robots"]
        if not any(is_same_robot(robot, simulated) for robot in dropped)
    ]
    found["tasks"] = _without(found["tasks"], ids)
    left = {task["id"] for task in found["tasks"]}
    found["faults"] = [
        fault
        for fault in found.get("faults", [])
        if fault.get("robot") not in ids and fault.get("task", next(iter(left), "")) in left
    ]


def _without(tasks: list[dict[str, Any]], robot_ids: set[int]) -> list[dict[str, Any]]:
    """Return the tasks that neither are for these robots nor wait for such a task."""
    left = [task for task in tasks if task["robot"] not in robot_ids]
    while True:
        ids = {task["id"] for task in left}
        kept = [task for task in left if not task.get("after") or task["after"] in ids]
        if len(kept) == len(left):
            return kept
        left = kept
