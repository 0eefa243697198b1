"""An experiment as a stack of nodes: its files in a folder, and the command of each program."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.orchestrated.stack_names import check_names
from experiments.orchestrated.task_goals import goal_messages
from experiments.orchestrated.task_player import declaration
from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.file.experiment_file import ExperimentError, load_experiment
from fleet.ros.orchestrated.node_config import DRIVER, PLAYER, SIMULATOR, driver_config, robot_outputs, simulator_config
from fleet.ros.orchestrated.refusals import refusals
from simulator.conductor.callback_schedule import CallbackSchedule
from simulator.conductor.launch_file import absolute, load_stack
from simulator.conductor.node_model import NodeModel, TimerTrigger, intercepted_name
from simulator.errors import ConductorError
from thymio_base.settings_file import load_text
from thymio_base.texts.user_file import may_exist
from thymio_base.texts.yaml_text import write_yaml, yaml_values

CONDUCTOR = "conductor"
_NAMESPACE = "/stack"
_LAUNCH_FILE = "launch.json"
_RELATIVE_FILES = {"fleet": ("calibration_file",), "world": ("ground_image", "file")}


@dataclass(frozen=True, slots=True)
class Stack:
    """The programs of a stack.

    Parameters
    ----------
    nodes : the nodes, as the conductor sees them
    simulator : command of the data provider, without the file of its record
    others : commands of the other nodes, by name
    orchestrator : orchestrator of the stack
    """

    nodes: tuple[NodeModel, ...]
    simulator: tuple[str, ...]
    others: Mapping[str, tuple[str, ...]]
    orchestrator: str = CONDUCTOR

    def callers_of(self, node: str) -> list[str]:
        """Return the names of the nodes that call services of a node."""
        services = {service for one in self.nodes if one.name == node for service in one.services}
        return [
            one.name for one in self.nodes if any(services & set(callback.service_calls) for callback in one.callbacks)
        ]


def write_stack(file: Path, folder: Path, duration_s: float | None = None, orchestrator: str = CONDUCTOR) -> Stack:
    """Write the files of an experiment's stack into a folder, and return its programs.

    Parameters
    ----------
    file
        file of the experiment
    folder
        existing folder for the files
    duration_s
        simulated duration; None means the experiment's
    orchestrator
        CONDUCTOR, or ros2_def, which finds nodes only if they are in a namespace

    Raises
    ------
    ExperimentError
        The experiment has problems, or needs things that an orchestrated run does not support; all are listed.
    """
    experiment = load_experiment(file)
    goal_messages(experiment, file)
    _check(experiment, file)
    values = yaml_values(load_text(file))
    own = values.get("orchestrated", {})
    namespace = "" if orchestrator == CONDUCTOR else _NAMESPACE
    launch = _write_configs(experiment, own, file, folder, namespace)
    nodes = _nodes(launch, file)
    check_names(nodes, own, experiment, file)
    world, fleet = (_settings_file(key, values[key], file, folder) for key in ("world", "fleet"))
    commands = {
        DRIVER: _module("fleet.ros", "--config", fleet, "--orchestrated", folder / f"{DRIVER}.json"),
        PLAYER: _module("experiments.orchestrated.task_player", file),
        **{name: _command(node["run"], file) for name, node in own.get("nodes", {}).items()},
    }
    duration = experiment.duration_s if duration_s is None else duration_s
    simulator = _module("simulator", "--world", world, "--orchestrated", launch, "--duration", duration)
    simulator += ["--orchestrator", orchestrator]
    return Stack(
        tuple(nodes),
        tuple(simulator),
        {
            node.name: (*commands[_own_name(node)], *ros_arguments(node, _remappings(own, _own_name(node))))
            for node in nodes
            if node.name != f"{namespace}/{SIMULATOR}"
        },
        orchestrator,
    )


def _write_configs(experiment: Experiment, own: Mapping[str, Any], file: Path, folder: Path, namespace: str) -> Path:
    """Write the node configurations and a launch configuration into a folder; return the file of the latter."""
    configs = {
        DRIVER: driver_config(experiment.fleet, own.get("outputs", robot_outputs(experiment.fleet))),
        SIMULATOR: simulator_config(),
        **({PLAYER: declaration(experiment.tasks)} if experiment.tasks else {}),
    }
    files = {name: folder / f"{name}.json" for name in configs}
    for name, config in configs.items():
        files[name].write_text(json.dumps(config, indent=2), encoding="utf-8")
    for name, node in own.get("nodes", {}).items():
        files[name] = _existing(file.parent / node["config"], file).resolve()
    renamed = {name: node.get("remappings", {}) for name, node in own.get("nodes", {}).items()}
    nodes = {
        f"{namespace}/{name}": {"config_file": str(config_file), "remappings": renamed.get(name, {})}
        for name, config_file in files.items()
    }
    launch = folder / _LAUNCH_FILE
    launch.write_text(json.dumps({"nodes": nodes}, indent=2), encoding="utf-8")
    return launch


def ros_arguments(node: NodeModel, remappings: Mapping[str, str]) -> list[str]:
    """Return the ROS arguments that connect a node's inputs to the orchestrator, and apply its remappings.

    Parameters
    ----------
    node
        node with its outside names
    remappings
        outside names by inside names
    """
    inputs = [*node.inputs, *(["/clock"] if node.timers else [])]
    inner = {absolute(outer): name for name, outer in remappings.items()}
    rules = {inner.pop(topic, topic): intercepted_name(node.name, topic) for topic in inputs}
    rules |= {name: outer for outer, name in inner.items()}
    namespace = node.name.rpartition("/")[0]
    return [
        "--ros-args",
        *(["-r", f"__ns:={namespace}"] if namespace else []),
        *(part for name, outer in rules.items() for part in ("-r", f"{name}:={outer}")),
    ]


def _own_name(node: NodeModel) -> str:
    return node.name.rpartition("/")[2]


def _remappings(own: Mapping[str, Any], name: str) -> Mapping[str, str]:
    found: Mapping[str, str] = own.get("nodes", {}).get(name, {}).get("remappings", {})
    return found


def _module(name: str, *arguments: object) -> list[str]:
    return [sys.executable, "-m", name, *map(str, arguments)]


def _nodes(launch: Path, file: Path) -> list[NodeModel]:
    try:
        nodes = load_stack(launch, _no_package)
        CallbackSchedule(nodes)
    except ConductorError as error:
        raise ExperimentError(f"{file}: {error}") from error
    if not any(isinstance(call.trigger, TimerTrigger) for node in nodes for call in node.callbacks):
        raise ExperimentError(f"{file}: no node has a timer")
    return nodes


def _no_package(package: str) -> Path:
    raise LookupError(package)


def _check(experiment: Experiment, file: Path) -> None:
    problems = refusals(experiment.fleet)
    if experiment.faults:
        problems.append(f"{file}: faults: an orchestrated run has none; remove them, or use `thymio-fleet experiment`")
    if problems:
        raise ExperimentError("\n".join(problems))


def _settings_file(key: str, value: str | dict[str, Any], file: Path, folder: Path) -> Path:
    """Return the file of the world or the fleet; an inline section is first written into the folder."""
    if isinstance(value, str):
        return (file.parent / value).resolve()
    *sections, name = _RELATIVE_FILES[key]
    owner: Any = value
    for section in sections:
        owner = owner.get(section) or {}
    if name in owner:
        owner[name] = str((file.parent / owner[name]).resolve())
    written = folder / f"{key}.yaml"
    written.write_text(write_yaml(value), encoding="utf-8")
    return written


def _command(run: str | list[str], file: Path) -> list[str]:
    """Return the command of a user's node: a Python file relative to the experiment, or a command as given."""
    if isinstance(run, str):
        return [sys.executable, str(_existing(file.parent / run, file).resolve())]
    return run


def _existing(named: Path, file: Path) -> Path:
    if not (may_exist(named) and named.is_file()):
        raise ExperimentError(f"{file}: there is no file {named}")
    return named
