"""Sweeps: the conditions of an experiment file, what differs between them, and the report of problems."""

from pathlib import Path

import pytest

from experiments.scenarios.file.conditions import changed, conditions
from experiments.scenarios.file.experiment_file import ExperimentError
from experiments.scenarios.file.study_file import Study, load_study
from fleet.control.tracker_config import LawName
from thymio_base.texts.yaml_text import yaml_values

WORLD = "arena: {width_m: 3, height_m: 3}\nrobots: [{node_id: 1, x_m: 1, y_m: 1}, {node_id: 2, x_m: 2, y_m: 2}]\n"
TASKS = """
- {id: a, robot: 1, follow_path: {shape: square, size_m: 0.4}, speed_mps: 0.05}
- {id: b, robot: 2, go_to: {x_m: 2, y_m: 1}}
- {id: c, robot: 1, after: b, go_home: true}
"""


def study(folder: Path, sweep: str) -> Study:
    (folder / "worlds").mkdir(exist_ok=True)
    (folder / "worlds/world.yaml").write_text(WORLD)
    (folder / "worlds/small.yaml").write_text(WORLD.replace("width_m: 3", "width_m: 2.5"))
    (folder / "studies").mkdir(exist_ok=True)
    file = folder / "studies/study.yaml"
    file.write_text(f"""
title: t
world: ../worlds/world.yaml
fleet:
  robots:
  - {{id: 1, node_id: 1, home: {{x_m: 1, y_m: 1}}}}
  - {{id: 2, node_id: 2, home: {{x_m: 2, y_m: 2}}}}
duration_s: 5
sweep: {sweep}
tasks:
{TASKS}
faults: [{{at_s: 1, what: cancel, task: b}}, {{at_s: 1, what: stop}}]
""")
    return load_study(file)


def test_conditions_are_all_combinations_and_the_last_factor_changes_first(tmp_path: Path) -> None:
    found = study(tmp_path, "{law: [lqr, kanayama], 'tasks.a.speed_mps': [0.04, 0.05]}")
    assert [condition.name for condition, _ in found.conditions] == [
        "law=lqr, tasks.a.speed_mps=0.04",
        "law=lqr, tasks.a.speed_mps=0.05",
        "law=kanayama, tasks.a.speed_mps=0.04",
        "law=kanayama, tasks.a.speed_mps=0.05",
    ]
    paths = [experiment.tasks[0].work.path for _, experiment in found.conditions]
    assert [path.speed_mps for path in paths if path is not None] == [0.04, 0.05, 0.04, 0.05]
    assert [experiment.fleet.tracker.law for _, experiment in found.conditions][::2] == [LawName.LQR, LawName.KANAYAMA]


def test_named_levels_set_several_keys_also_in_a_file_that_the_experiment_names(tmp_path: Path) -> None:
    levels = "{calm: {world.motors.slip: 0}, rough: {world.motors.slip: 0.05, world.robots.*.x_m: 1.5}}"
    (_, calm), (condition, rough) = study(tmp_path, f"{{floor: {levels}}}").conditions
    assert (condition.name, calm.world.motors.slip, rough.world.motors.slip) == ("floor=rough", 0, 0.05)
    assert [robot.x_m for robot in rough.world.robots] == [1.5, 1.5]
    assert [robot.x_m for robot in calm.world.robots] == [1, 2]


def test_worlds_can_be_swept_and_all_of_them_are_inputs(tmp_path: Path) -> None:
    found = study(tmp_path, "{world: [../worlds/world.yaml, ../worlds/small.yaml]}")
    assert [experiment.world.arena.width_m for _, experiment in found.conditions] == [3, 2.5]
    assert list(found.input_names()) == ["studies/study.yaml", "worlds/world.yaml", "worlds/small.yaml"]


def test_fewer_robots_have_fewer_tasks_and_faults(tmp_path: Path) -> None:
    (_, one), (_, two) = study(tmp_path, "{robots: [1, 2]}").conditions
    assert [len(experiment.fleet.robots) for experiment in (one, two)] == [1, 2]
    assert [len(experiment.world.robots) for experiment in (one, two)] == [1, 2]
    assert [[task.task_id for task in experiment.tasks] for experiment in (one, two)] == [["a"], ["a", "b", "c"]]
    assert [len(experiment.faults) for experiment in (one, two)] == [1, 2]


@pytest.mark.parametrize("key", ["", ", uuid: ABCDEF00-0000-0000-0000-000000000002"])
def test_a_dropped_robot_that_is_given_by_uuid_leaves_the_world(key: str) -> None:
    uuid = "abcdef00000000000000000000000002" if key else f"{2:032x}"
    world = yaml_values(WORLD.replace("node_id: 2", f"node_id: 2{key}"))
    robots = [{"id": 1, "node_id": 1}, {"id": 2, "uuid": uuid}]
    (condition,) = conditions({"robots": [1]})
    found = changed({"world": world, "fleet": {"robots": robots}, "tasks": []}, condition, lambda _: {})
    assert [robot["node_id"] for robot in found["world"]["robots"]] == [1]


def test_runs_of_the_same_seed_and_repetition_are_in_all_conditions(tmp_path: Path) -> None:
    runs = study(tmp_path, "{law: [lqr, kanayama], seed: [4, 7]}").runs(1, 2)
    assert [run.number for run in runs] == list(range(1, 9))
    assert [(run.seed, run.repetition) for run in runs[:4]] == [(4, 1), (4, 2), (7, 1), (7, 2)]
    assert [(run.seed, run.repetition) for run in runs[:4]] == [(run.seed, run.repetition) for run in runs[4:]]


@pytest.mark.parametrize(
    ("sweep", "problem"),
    [
        ("{law: [lqr, lqx]}", "with law=lqx: tracker.law: 'lqx' is unknown, did you mean 'lqr'?"),
        ("{law: [lqr, lqr]}", "sweep.law: has a value twice"),
        ("{law: lqr}", "sweep.law: 'lqr' does not fit"),
        ("{robots: [3]}", "sweep.robots: needs numbers from 1 to 2, the robots of the fleet; has 3"),
        ("{seed: [-1]}", "sweep.seed: needs a list of whole numbers from 0, such as [1, 2, 3]"),
        ("{tasks.z.laps: [2]}", "sweep.tasks.z.laps: tasks has no 'z'; known: a, b, c, and * for all"),
        ("{duration_s.x: [2]}", "sweep.duration_s.x: duration_s has nothing below it, so there is no 'x'"),
        ("{world.motrs.slip: [0]}", "world.yaml: motrs: unknown key, did you mean 'motors'?"),
        ("{world: [none.yaml]}", "none.yaml: No such file or directory"),
    ],
)
def test_problems_of_a_sweep_name_the_condition_or_the_factor(sweep: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as caught:
        study(tmp_path, sweep)
    assert problem in str(caught.value)


def test_too_many_runs_are_refused(tmp_path: Path) -> None:
    found = study(tmp_path, "{law: [lqr, kanayama]}")
    with pytest.raises(ExperimentError, match="100000 runs; this one has 200000"):
        found.runs(1, 100_000)
