"""Reads the files of a stack: a launch configuration, and the node configurations it refers to."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.conductor.node_model import CallbackModel, NodeModel, SyncTrigger, TimerTrigger, TopicTrigger
from simulator.errors import ConductorError
from thymio_base.errors import SettingsError
from thymio_base.settings_file import load_settings
from thymio_base.texts.json_text import shipped_schema

PackageFolder = Callable[[str], Path]  # returns the share folder of an installed package; LookupError without one


def load_stack(file: Path, package_folder: PackageFolder) -> list[NodeModel]:
    """Return the nodes of a launch configuration in reverse order of their names, like ros2_def.

    Parameters
    ----------
    file
        the launch configuration
    package_folder
        finds the packages it refers to

    Raises
    ------
    ConductorError
        A file cannot be read, or has problems; all are listed, each with file and line.
    """
    try:
        values = load_settings(file, schema("launch_config"))
    except SettingsError as error:
        raise ConductorError(str(error)) from error
    nodes: list[NodeModel] = []
    problems: list[str] = []
    for name, launched in sorted(values["nodes"].items(), reverse=True):  # the order of ros2_def
        try:
            config_file = _config_file(launched["config_file"], file.parent, package_folder)
            config = load_settings(config_file, schema("node_config"))
            nodes.append(node_model(absolute(name), config, launched.get("remappings", {})))
        except (ConductorError, SettingsError) as error:
            problems.append(str(error))
    if problems:
        raise ConductorError("\n".join(problems))
    return nodes


def node_model(name: str, config: Mapping[str, Any], remappings: Mapping[str, str]) -> NodeModel:
    """Return a node made from its configuration, which fits the schema, and its remappings."""
    outside = {absolute(inner): absolute(outer) for inner, outer in remappings.items()}

    def external(topic: str) -> str:
        return outside.get(absolute(topic), absolute(topic))

    callbacks = [
        CallbackModel(
            callback.get("name") or f"callback {number}",
            _trigger(callback["trigger"], external),
            tuple(map(external, callback["outputs"])),
            tuple(map(external, callback.get("service_calls", ()))),
            bool(callback.get("changes_dataprovider_state", False)),
            bool(callback.get("may_cause_reconfiguration", False)),
        )
        for number, callback in enumerate(config["callbacks"], 1)
    ]
    return NodeModel(name, tuple(callbacks), tuple(map(external, config.get("services", ()))))


def absolute(name: str) -> str:
    """Return a name with a leading slash."""
    return f"/{name.lstrip('/')}"


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema `launch_config` or `node_config`."""
    return shipped_schema("simulator.conductor", f"{name}.schema.json")


def _trigger(
    trigger: str | Mapping[str, Any], external: Callable[[str], str]
) -> TopicTrigger | TimerTrigger | SyncTrigger:
    if isinstance(trigger, str):
        return TopicTrigger(external(trigger))
    if trigger["type"] == "timer":
        return TimerTrigger(trigger["period"])
    if trigger["type"] == "topic":
        return TopicTrigger(external(trigger["name"]))
    return SyncTrigger(tuple(map(external, trigger["input_topics"])), trigger["slop"], trigger["queue_size"])


def _config_file(named: str | Sequence[str], folder: Path, package_folder: PackageFolder) -> Path:
    if isinstance(named, str):
        return folder / named
    package, name = named
    try:
        return package_folder(package) / "config" / name
    except LookupError as error:
        raise ConductorError(f"config_file [{package}, {name}]: the package {package} is not installed") from error
