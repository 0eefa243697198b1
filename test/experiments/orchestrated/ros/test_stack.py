"""The files and commands of an experiment's stack; what an orchestrated run cannot have is refused."""

import json
from pathlib import Path

import jsonschema
import pytest

from experiments.orchestrated.stack import write_stack
from experiments.scenarios.file.experiment_file import ExperimentError
from simulator.conductor.launch_file import schema

ROOT = Path(__file__).parents[4]
EXAMPLES = sorted((ROOT / "examples/orchestrated").glob("*.yaml"))
EXPERIMENT = """
title: little
world:
  arena: {width_m: 2, height_m: 2}
  robots: [{node_id: 1, x_m: 1.0, y_m: 1.0}]
fleet:
  FLEET
  robots: [{id: 1, node_id: 1, home: {x_m: 1.0, y_m: 1.0}, pose_topic: /mocap/thymio_1/pose}]
duration_s: 5
tasks: [TASK]
"""
TASK = "{id: home, robot: 1, go_home: true}"


def write(folder: Path, fleet: str = "frame: map", task: str = TASK, more: str = "") -> Path:
    file = folder / "little.yaml"
    file.write_text(EXPERIMENT.replace("FLEET", fleet).replace("TASK", task) + more)
    return file


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_have_valid_configurations(file: Path, tmp_path: Path) -> None:
    stack = write_stack(file, tmp_path)
    launch = json.loads((tmp_path / "launch.json").read_text())
    jsonschema.validate(launch, schema("launch_config"))
    for node in launch["nodes"].values():
        jsonschema.validate(json.loads(Path(node["config_file"]).read_text()), schema("node_config"))
    assert {node.name for node in stack.nodes} == {"/thymio_simulator", *stack.others}


def test_inputs_and_clock_of_each_node_come_from_the_orchestrator(tmp_path: Path) -> None:
    stack = write_stack(write(tmp_path), tmp_path)
    player = stack.others["/task_player"]
    assert "/clock:=/intercepted/task_player/sub/clock" in player
    assert "/factory/robot_1/status:=/intercepted/task_player/sub/factory/robot_1/status" in player
    assert "/aseba/to_host:=/intercepted/multi_thymio_driver/sub/aseba/to_host" in stack.others["/multi_thymio_driver"]


def test_ros2_def_gets_its_nodes_in_a_namespace(tmp_path: Path) -> None:
    stack = write_stack(write(tmp_path), tmp_path, orchestrator="ros2_def")
    assert set(stack.others) == {"/stack/multi_thymio_driver", "/stack/task_player"}
    assert "__ns:=/stack" in stack.others["/stack/task_player"]


def test_driver_is_called_by_the_player(tmp_path: Path) -> None:
    stack = write_stack(write(tmp_path), tmp_path)
    assert stack.callers_of("/multi_thymio_driver") == ["/task_player"]
    assert stack.callers_of("/task_player") == []


def test_files_that_an_inline_fleet_names_are_found_from_another_folder(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    write_stack(write(tmp_path, fleet="calibration_file: mine.yaml"), run)
    assert str(tmp_path / "mine.yaml") in (run / "fleet.yaml").read_text()


@pytest.mark.parametrize(
    ("fleet", "task", "more", "words"),
    [
        ("link: {targets: [tcp:host=a;port=1, tcp:host=b;port=1]}", TASK, "", "link.targets: 2 targets"),
        ("link: {switch_port: 33334}", TASK, "", "link.switch_port: 33334"),
        ("link: {bridge: true}", TASK, "", "link.bridge: true"),
        ("hosts: {name: lab}", TASK, "", "hosts.name: 'lab'"),
        ("frame: map", TASK, "faults: [{at_s: 1, what: stop}]", "faults: an orchestrated run has none"),
        ("frame: map", TASK, "sweep: {law: [lqr, kanayama]}", "the sweep over law makes several"),
        (
            "dispatch: {enabled: true}", "{id: a, robot: any, go_to: {x_m: 1.2, y_m: 1.0}}", "",
            "task 'a' is for any robot",
        ),
        (
            "frame: map", TASK, "orchestrated: {nodes: {mine: {run: mine.py, config: mine.json}}}",
            "there is no file",
        ),
    ],
)  # fmt: skip
def test_impossible_stack_is_refused_with_its_reason(
    tmp_path: Path, fleet: str, task: str, more: str, words: str
) -> None:
    with pytest.raises(ExperimentError, match=words):
        write_stack(write(tmp_path, fleet, task, more), tmp_path)


def test_node_that_calls_a_service_without_a_server_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").touch()
    callback = {"trigger": {"type": "timer", "period": 50_000_000}, "outputs": [], "service_calls": ["/nobody"]}
    (tmp_path / "mine.json").write_text(json.dumps({"name": "mine", "callbacks": [callback]}))
    more = "orchestrated: {nodes: {mine: {run: mine.py, config: mine.json}}}"
    run = tmp_path / "run"
    run.mkdir()
    with pytest.raises(ExperimentError, match="no node provides the service /nobody"):
        write_stack(write(tmp_path, more=more), run)


DETECTOR = {"name": "detector", "callbacks": [{"name": "Input processing", "trigger": "input", "outputs": ["output"]}]}
POSE = "/factory/robot_1/pose"


def detector(folder: Path, remappings: str) -> Path:
    """Write an experiment with a node whose names are renamed."""
    (folder / "mine.py").touch()
    (folder / "mine.json").write_text(json.dumps(DETECTOR))
    more = f"orchestrated: {{nodes: {{detector: {{run: mine.py, config: mine.json, remappings: {{{remappings}}}}}}}}}"
    return write(folder, more=more)


def test_names_of_a_node_are_renamed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    stack = write_stack(detector(tmp_path, f"input: {POSE}, output: /found"), run)
    rules = stack.others["/detector"][-4:]
    assert rules == ("-r", f"input:=/intercepted/detector/sub{POSE}", "-r", "output:=/found")
    (node,) = [one for one in stack.nodes if one.name == "/detector"]
    assert (node.inputs, node.callbacks[0].outputs) == ((POSE,), ("/found",))


@pytest.mark.parametrize(
    ("remappings", "expected"),
    [
        ("", "/detector reads /input, which no node of the stack publishes"),
        (
            "input: /factory/robot_1/poze",
            "poze, which no node of the stack publishes, did you mean '/factory/robot_1/pose'?",
        ),
        (f"input: {POSE}, inptu: /x", "remappings: mine.json has no name 'inptu', did you mean 'input'?"),
    ],
)
def test_unknown_names_of_nodes_are_reported_at_once(tmp_path: Path, remappings: str, expected: str) -> None:
    run = tmp_path / "run"
    run.mkdir()
    with pytest.raises(ExperimentError) as caught:
        write_stack(detector(tmp_path, remappings), run)
    assert expected in str(caught.value)
