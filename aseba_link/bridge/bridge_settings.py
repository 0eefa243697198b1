"""The bridge's settings, read from ROS parameters with the names of asebaros; bridge.schema.json documents them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aseba_link.bridge.acceptance import Rule
from aseba_link.link.target import target_problems
from thymio_base.errors import SettingsError
from thymio_base.names.ros_names import topic_problem
from thymio_base.settings_file import check_values
from thymio_base.texts.json_text import shipped_schema

_ALIASES = {  # alternative names of parameters in asebaros' documentation and launch files
    "max_number": "maximal_number",
    "type": "name",
}
_RELOAD_ALIAS = "reload_script_on_reconnect"
_FOREIGN = ("use_sim_time", "diagnostic_updater", "qos_overrides", "start_type_description_service")


@dataclass(frozen=True, slots=True)
class BridgeSettings:
    """All settings of the bridge."""

    targets: tuple[str, ...]
    port: int
    address: str
    loop: bool
    join_targets: bool
    shutdown_on_unconnect: bool
    reset_on_closing: bool
    set_id_variable: bool
    highest_acceptable_protocol_version: int
    rules: tuple[Rule, ...]
    script_path: str
    script_constants: Mapping[str, int]
    reload_on_reconnect: bool


def read_parameters(parameters: Mapping[str, Any]) -> BridgeSettings:
    """Return the settings in ROS parameters; dots in their names separate levels of nesting.

    Raises
    ------
    SettingsError
        A parameter is unknown or invalid, or two rules match the same nodes; all problems are listed.
    """
    problems = _collisions(parameters)
    if problems:
        raise SettingsError("parameter", [f"parameter: {problem}" for problem in problems])
    values = check_values("parameter", _tree(parameters), shipped_schema("aseba_link.bridge", "bridge.schema.json"))
    problems = [f"targets[{index}]: {text}" for index, text in target_problems(values["targets"], values["port"])]
    problems += _rule_problems(values["nodes"])
    if problems:
        raise SettingsError("parameter", [f"parameter: {problem}" for problem in problems])
    script, rules, targets = values.pop("script"), values.pop("nodes"), values.pop("targets")
    return BridgeSettings(
        **values,
        targets=tuple(targets),
        rules=tuple(map(_rule, rules.values())),
        script_path=script["path"],
        script_constants=script["constants"],
        reload_on_reconnect=script["reload_on_reconnect"],
    )


def _collisions(parameters: Mapping[str, Any]) -> list[str]:
    """Return naming problems: two names for a setting, or a name that is both a value and a group of values."""
    problems = []
    first_names: dict[str, str] = {}
    for name in sorted(parameters):
        first = first_names.setdefault(_canonical_name(name), name)
        if first != name:
            problems.append(f"{name}: is the same as {first}")
    for name in first_names:
        problems += [
            f"{name}: cannot be a value and hold {other}" for other in first_names if other.startswith(f"{name}.")
        ]
    return problems


def _tree(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as nested dictionaries, without ROS's own."""
    tree: dict[str, Any] = {}
    for name, value in parameters.items():
        path = _canonical_name(name).split(".")
        if path[0] in _FOREIGN:
            continue
        branch = tree
        for part in path[:-1]:
            branch = branch.setdefault(part, {})
        branch[path[-1]] = value
    return tree


def _canonical_name(name: str) -> str:
    if name == _RELOAD_ALIAS:
        return "script.reload_on_reconnect"
    before, _, last = name.rpartition(".")
    return f"{before}.{_ALIASES.get(last, last)}" if before.startswith("nodes.") else name


def _rule_problems(rules: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what the schema cannot detect: rules for the same nodes, and names that are invalid in ROS."""
    problems = []
    first_names: dict[tuple[str, int], str] = {}
    for key, rule in rules.items():
        first = first_names.setdefault((rule["name"], rule["id"]), key)
        if first != key:
            problems.append(f"nodes.{key}: is for the same nodes as nodes.{first}")
        for word in ("prefix", "namespace"):
            if rule[word] and (problem := topic_problem(rule[word])):
                problems.append(f"nodes.{key}.{word}: {rule[word]!r} does not fit: {problem}")
    return problems


def _rule(values: Mapping[str, Any]) -> Rule:
    node_id, number = values["id"], values["maximal_number"]
    return Rule(**{**values, "id": None if node_id < 0 else node_id, "maximal_number": max(0, number)})
