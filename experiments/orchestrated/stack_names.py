"""Checks that the nodes of a stack use names that exist, before any program starts."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.file.experiment_file import ExperimentError
from simulator.conductor.launch_file import absolute, schema
from simulator.conductor.node_model import NodeModel
from simulator.conductor.provided_topics import provided_topics
from thymio_base.argument_types import suggestion
from thymio_base.settings_file import load_settings


def check_names(nodes: Sequence[NodeModel], own: Mapping[str, Any], experiment: Experiment, file: Path) -> None:
    """Check that each topic a node reads is published by a node, and that remappings name the node's own names.

    Parameters
    ----------
    nodes
        nodes of the stack
    own
        section `orchestrated` of the experiment
    experiment
        experiment with the simulator's robots
    file
        file of the experiment

    Raises
    ------
    ExperimentError
        There are unknown names; all are listed.
    """
    problems = [*_unpublished(nodes, experiment), *_unknown_inside(own, file.parent)]
    if problems:
        raise ExperimentError("\n".join(f"{file}: {problem}" for problem in problems))


def _unpublished(nodes: Sequence[NodeModel], experiment: Experiment) -> Iterator[str]:
    ids = [robot.node_id for robot in experiment.world.robots]
    known = {*provided_topics(ids, has_capture=experiment.world.motion_capture.enabled)}
    known |= {output for node in nodes for callback in node.callbacks for output in callback.outputs}
    advice = "the driver publishes what `orchestrated.outputs` lists"
    for node in nodes:
        for topic in node.inputs:
            if topic not in known:
                nearest = suggestion(topic, known)
                yield f"{node.name} reads {topic}, which no node of the stack publishes{nearest}; {advice}"


def _unknown_inside(own: Mapping[str, Any], folder: Path) -> Iterator[str]:
    for name, node in own.get("nodes", {}).items():
        inside = _names_inside(folder / node["config"])
        for inner in node.get("remappings", {}):
            if absolute(inner) not in map(absolute, inside):
                text = f"{node['config']} has no name {inner!r}{suggestion(inner, inside)}"
                yield f"orchestrated.nodes.{name}.remappings: {text}"


def _names_inside(config: Path) -> list[str]:
    """Return the names of topics and services in a node configuration, as written."""
    values = load_settings(config, schema("node_config"))
    found: list[str] = list(values.get("services", ()))
    for callback in values["callbacks"]:
        trigger = callback["trigger"]
        found += [trigger] if isinstance(trigger, str) else [trigger.get("name"), *trigger.get("input_topics", ())]
        found += [*callback["outputs"], *callback.get("service_calls", ())]
    return [name for name in found if name]
