"""Experiment files: their content, and the report of every problem with its line and the nearest name."""

import math
from pathlib import Path

import pytest

from experiments.scenarios.file.experiment import Experiment, FaultKind
from experiments.scenarios.file.experiment_check import contradictions
from experiments.scenarios.file.experiment_file import ExperimentError, experiment_schema, load_experiment
from experiments.scenarios.file.experiment_references import ExperimentReferences, resolve
from experiments.scenarios.file.study_file import load_study
from fleet.geometry import Pose2D
from fleet.paths.placement import Placement
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KIND_NAMES
from fleet.work.path_wish import path_of_work
from fleet.work.route_text import route_text
from fleet.work.work import Place
from thymio_base.settings_file import SettingsDocument, read_document

EXAMPLES = sorted((Path(__file__).parents[4] / "examples" / "experiments").glob("*.yaml"))
WORLD = "{arena: {width_m: 2, height_m: 2}, robots: [{node_id: 1, x_m: 1, y_m: 1}]}"
FLEET = "{robots: [{id: 1, node_id: 1, home: {x_m: 1, y_m: 1}}, {id: 2, node_id: 2, home: {x_m: 0.5, y_m: 0.5}}]}"
GO = "- {id: a, robot: 1, go_to: {x_m: 1.2, y_m: 1}}"


def read(folder: Path, tasks: str = GO, further: str = "", world: str = WORLD, fleet: str = FLEET) -> Experiment:
    file = folder / "experiment.yaml"
    file.write_text(f"title: t\nworld: {world}\nfleet: {fleet}\nduration_s: 5\ntasks:\n{tasks}\n{further}\n")
    return load_experiment(file)


def problems(folder: Path, tasks: str = GO, further: str = "", world: str = WORLD, fleet: str = FLEET) -> list[str]:
    with pytest.raises(ExperimentError) as caught:
        read(folder, tasks, further, world, fleet)
    return [line.removeprefix(str(folder)).lstrip("/") for line in str(caught.value).splitlines()]


def test_a_file_with_a_sweep_is_not_a_single_experiment(tmp_path: Path) -> None:
    expected = "sweep: this needs one experiment, and the sweep over law makes several; remove it, or use"
    assert expected in "\n".join(problems(tmp_path, further="sweep: {law: [lqr, kanayama]}"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_examples_are_valid(file: Path) -> None:
    assert load_study(file).base.tasks


def test_there_are_examples() -> None:
    assert [file.stem for file in EXAMPLES] == ["circle", "outage", "park_study", "relay", "squares"]


def test_tasks_are_of_every_kind(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        """
- {id: a, robot: 1, go_to: {x_m: 1.2, y_m: 1}}
- {id: b, robot: 1, after: a, at_s: 2, go_home: true}
- {id: c, robot: 1, after: b, transport: {from: {x_m: 1, y_m: 1.2}, to: {x_m: 1, y_m: 0.8, heading_rad: 1}}}
- {id: d, robot: 1, after: c, follow_path: circle, speed_mps: 0.05, laps: 2, relative_to: map}
- {id: e, robot: 1, after: d, follow_route: "1,1.2 turn:90deg wait:1"}
- {id: f, robot: 1, after: e, dock: {x_m: 1, y_m: 0.5}}
""",
    ).tasks
    assert [task.work.kind for task in found] == list(TaskKind)
    assert found[0].work.places == (Place(Pose2D(1.2, 1.0, 0.0)),)
    assert (found[1].after, found[1].at_s) == ("a", 2)
    assert found[2].work.places == (Place(Pose2D(1.0, 1.2, 0.0)), Place(Pose2D(1.0, 0.8, 1.0)))
    path = path_of_work(found[3].work)
    assert (path.laps, path.speed_mps, path.placement) == (2, 0.05, Placement.MAP)
    assert route_text(found[4].work.route) == f"1.0,1.2 turn:{math.pi / 2!r} wait:1.0"
    assert found[5].work.places == (Place(Pose2D(1.0, 0.5, 0.0)),)


def test_paths_are_names_files_or_inline(tmp_path: Path) -> None:
    (tmp_path / "way.csv").write_text("0,0\n1,0\n")
    (tmp_path / "way.yaml").write_text("shape: square\nsize_m: 0.5\n")
    found = read(
        tmp_path,
        """
- {id: a, robot: 1, follow_path: way.csv}
- {id: b, robot: 1, follow_path: way.yaml}
- id: c
  robot: 1
  follow_path:
    pieces:
    - {line_m: 0.3}
    - {turn_rad: 1}
""",
    ).tasks
    lengths_m = [path_of_work(task.work).lap.length_m for task in found]
    assert lengths_m == pytest.approx([1.0, 2.0, 0.3])


def test_yaml_merge_keys_are_supported(tmp_path: Path) -> None:
    (task,) = read(tmp_path, "- {<<: {follow_path: {shape: circle, size_m: 0.4}}, id: a, robot: 1}").tasks
    assert path_of_work(task.work).lap.length_m == pytest.approx(math.pi * 0.4)


def test_world_and_fleet_may_be_files(tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(WORLD)
    (tmp_path / "f.yaml").write_text(FLEET)
    found = read(tmp_path, world="w.yaml", fleet="f.yaml")
    assert (found.world.arena.width_m, len(found.fleet.robots)) == (2, 2)


def test_world_in_place_of_an_experiment_is_recognized(tmp_path: Path) -> None:
    file = tmp_path / "world.yaml"
    file.write_text("arena: {width_m: 2, height_m: 2}\nrobots: []\n")
    with pytest.raises(ExperimentError, match=r"world.yaml: this is a world or a fleet, not an experiment"):
        load_experiment(file)


def test_faults_are_read(tmp_path: Path) -> None:
    found = read(tmp_path, further="faults:\n- {at_s: 1, what: push, robot: 1, x_m: 0.1}\n- {at_s: 2, what: stop}")
    assert [fault.kind for fault in found.faults] == [FaultKind.PUSH, FaultKind.STOP]
    assert found.faults[0].pose == Pose2D(0.1, 0.0, 0.0)
    assert found.faults[1].for_s is None


def test_problem_of_an_inline_world_is_reported_with_its_line_in_the_file(tmp_path: Path) -> None:
    world = "\n  arena: {width_m: 2, height_m: 2}\n  robots:\n  - {node_id: 1, x_m: 1, y_m: 1, hedding_rad: 1}"
    expected = "experiment.yaml:5: robots[0].hedding_rad: unknown key, did you mean 'heading_rad'?"
    assert problems(tmp_path, world=world) == [expected]


def test_problems_of_all_parts_are_reported_together(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").write_text("robots: []\n")
    found = problems(tmp_path, "- {id: a, robot: 1}", "repetitions: 0", fleet="f.yaml")
    assert found == [
        f"experiment.yaml:6: tasks[0]: task 'a' needs exactly one of {', '.join(KIND_NAMES)}, has none",
        "experiment.yaml:7: repetitions: 0 is less than the minimum of 1",
        "f.yaml:1: robots: [] should be non-empty",
    ]


@pytest.mark.parametrize(
    ("task", "problem"),
    [
        ("{id: a, robot: 7, go_home: true}", "tasks[0].robot: robot 7 is not in the fleet; known: 1, 2"),
        (
            "{id: a, robot: 2, go_home: true}",
            "tasks[0].robot: robot 2 is not in the world: no node there has its node_id or uuid",
        ),
        ("{id: a, robot: 1, go_home: true, laps: 2}", "tasks[0].laps: is valid only with follow_path"),
        ("{id: a, robot: 1, go_home: true, after: b}", "tasks[0].after: there is no task 'b'; known: a"),
        ("{id: a, robot: 1, go_home: true, after: a}", "tasks[0].after: 'a' waits for itself"),
        ("{id: a, robot: 1, go_too: {x_m: 1, y_m: 1}}", "tasks[0].go_too: unknown key, did you mean 'go_to'?"),
        (
            "{id: a, robot: 1, go_to: [1.6, 0.9]}",
            "tasks[0].go_to: [1.6, 0.9] has no keys: write { x_m: 1.6, y_m: 0.9 }",
        ),
        (
            "{id: a, robot: 1, go_to: {x_m: 1, y_m: 1, heading_rad: 90deg}}",
            "tasks[0].go_to.heading_rad: '90deg' is not a number: angles are in radians, 1.5708",
        ),
        (
            "{id: a, robot: 1, follow_path: {shape: sqare}}",
            "tasks[0].follow_path: shape: there is no path 'sqare'; there are straight, square, star, circle, eight",
        ),
        (
            "{id: a, robot: 1, follow_path: {shape: straight}, laps: 0}",
            "tasks[0].laps: 0 is less than the minimum of 1",
        ),
    ],
)
def test_problem_of_a_task_names_its_key(task: str, problem: str, tmp_path: Path) -> None:
    assert problems(tmp_path, f"- {task}") == [f"experiment.yaml:6: {problem}"]


def test_missing_path_file_is_reported(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, "- {id: a, robot: 1, follow_path: squre.yaml}")
    assert problem.startswith("experiment.yaml:6: tasks[0].follow_path: ")
    assert problem.endswith("squre.yaml: No such file or directory")


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ("{at: 1, at_s: 1, what: stop}", "faults[0].at: unknown key, did you mean 'at_s'?"),
        ("{at_s: 1, what: pusch, robot: 1}", "faults[0].what: 'pusch' is unknown, did you mean 'push'?"),
        ("{at_s: 1, what: push}", "faults[0]: push needs robot"),
        ("{at_s: 1, what: battery, robot: 1}", "faults[0]: battery needs charge"),
        ("{at_s: 1, what: stop, robot: 1}", "faults[0].robot: is not valid for stop"),
        ("{at_s: 1, what: cancel, task: b}", "faults[0].task: there is no task 'b'; known: a"),
        ("{at_s: 1, what: hide, robot: 9}", "faults[0].robot: robot 9 is not in the fleet; known: 1, 2"),
    ],
)
def test_problem_of_a_fault_names_its_key(fault: str, problem: str, tmp_path: Path) -> None:
    assert problems(tmp_path, further=f"faults:\n- {fault}") == [f"experiment.yaml:8: {problem}"]


def test_fault_of_a_file_without_tasks_is_not_a_further_problem(tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(
        f"title: t\nworld: {WORLD}\nfleet: {FLEET}\nduration_s: 5\nfaults:\n- {{at_s: 1, what: cancel, task: a}}\n"
    )
    with pytest.raises(ExperimentError, match=r"^\S+experiment\.yaml:1: key 'tasks' is missing$"):
        load_experiment(tmp_path / "experiment.yaml")


def document(text: str) -> SettingsDocument:
    return read_document(text, "experiment.yaml", experiment_schema())


NAMING = (
    f"title: t\nworld: w.yaml\nfleet: f.yaml\nduration_s: 5\ntasks:\n{GO}\n- {{id: b, robot: 1, follow_path: p.csv}}\n"
)


def test_reading_the_text_opens_no_other_file() -> None:
    assert document(NAMING).problems == ()


def test_resolving_collects_the_problems_of_every_file_that_is_named(tmp_path: Path) -> None:
    found = resolve(document(NAMING).values, NAMING, tmp_path / "experiment.yaml")
    assert (found.world, found.fleet, found.paths) == (None, None, {})
    assert [Path(problem.split(":")[0]).name for problem in found.problems] == ["w.yaml", "f.yaml"]
    assert list(found.path_problems) == [1]


def test_checking_needs_only_what_was_loaded() -> None:
    unresolved = ExperimentReferences(None, None, {}, {1: "no such path"}, ())
    assert list(contradictions(document(NAMING).values, unresolved)) == [(("tasks", 1, "follow_path"), "no such path")]


def test_tasks_that_wait_for_each_other_are_reported(tmp_path: Path) -> None:
    tasks = "- {id: a, robot: 1, after: b, go_home: true}\n- {id: b, robot: 1, after: a, go_home: true}"
    assert [line.split(": ", 1)[1] for line in problems(tmp_path, tasks)] == [
        "tasks[0].after: 'a' waits for itself",
        "tasks[1].after: 'b' waits for itself",
    ]


def test_missing_experiment_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"none\.yaml: No such file"):
        load_experiment(tmp_path / "none.yaml")


def test_experiment_file_that_is_not_yaml_is_reported_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("title: [\n")
    with pytest.raises(ExperimentError, match=r"bad\.yaml:2: not YAML"):
        load_experiment(tmp_path / "bad.yaml")
