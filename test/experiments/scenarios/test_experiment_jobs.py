"""Tasks of an experiment for any robot: the fleet chooses who performs them."""

from pathlib import Path

import pytest

from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.file.experiment_file import ExperimentError, load_experiment
from experiments.scenarios.file.study_file import single
from experiments.scenarios.run.repetition import perform
from experiments.scenarios.run.results import run_result
from experiments.scenarios.study_runs import StudyOptions, run_experiment
from experiments.scenarios.summaries.run_result import TaskResult

JOBS = """
- {id: near 2, robot: any, go_to: {x_m: 1.2, y_m: 1.4}}
- {id: near 1, robot: any, transport: {from: {x_m: 1.0, y_m: 0.6}, to: {x_m: 1.4, y_m: 0.6}}}
- {id: later, robot: any, after: near 2, at_s: 1, go_to: {x_m: 0.8, y_m: 1.0}}
"""


def experiment(folder: Path, tasks: str = JOBS, faults: str = "[]", dispatch: str = "{enabled: true}") -> Experiment:
    file = folder / "experiment.yaml"
    file.write_text(f"""
title: Jobs
world:
  arena: {{width_m: 2, height_m: 2}}
  robots: [{{node_id: 1, x_m: 0.6, y_m: 0.6}}, {{node_id: 2, x_m: 0.6, y_m: 1.4}}]
fleet:
  dispatch: {dispatch}
  tasks: {{dwell_s: 1}}
  robots:
  - {{id: 1, node_id: 1, home: {{x_m: 0.6, y_m: 0.6}}, pose_topic: /mocap/thymio_1/pose}}
  - {{id: 2, node_id: 2, home: {{x_m: 0.6, y_m: 1.4}}, pose_topic: /mocap/thymio_2/pose}}
duration_s: 60
tasks:
{tasks}
faults: {faults}
""")
    return load_experiment(file)


def results(folder: Path, faults: str = "[]") -> dict[str, TaskResult]:
    run = perform(experiment(folder, faults=faults), 1, 1)
    return {result.task: result for result in run_result(run).tasks}


def test_fleet_chooses_the_robots(tmp_path: Path) -> None:
    found = results(tmp_path)
    assert {task: (result.state, result.robot) for task, result in found.items()} == {
        "near 2": ("SUCCEEDED", 2),
        "near 1": ("SUCCEEDED", 1),
        "later": ("SUCCEEDED", 2),
    }
    assert all((result.off_mm or 99.0) < 15.0 and result.contacts == 0 for result in found.values())
    assert (found["later"].start_s or 0.0) >= (found["near 2"].end_s or 0.0) + 1.0


DOCK = """
- {id: direct, robot: 1, dock: {x_m: 1.4, y_m: 1.0}}
- {id: away, robot: 1, after: direct, go_home: true}
- {id: job, robot: any, after: away, dock: {x_m: 1.4, y_m: 1.0}}
"""


def test_experiment_docks_at_chargers(tmp_path: Path) -> None:
    file = tmp_path / "experiment.yaml"
    experiment(tmp_path, DOCK)
    text = file.read_text().replace("  arena:", "  chargers: [{x_m: 1.4, y_m: 1.0}]\n  arena:")
    station = "  stations: [{name: dock, role: charge, pose: {x_m: 1.4, y_m: 1.0}}]"
    file.write_text(text.replace("fleet:\n", f"fleet:\n{station}\n").replace("duration_s: 60", "duration_s: 120"))
    found = {result.task: result for result in run_result(perform(load_experiment(file), 1, 1)).tasks}
    assert [found[task].state for task in ("direct", "away", "job")] == ["SUCCEEDED"] * 3
    assert (found["direct"].kind, found["direct"].contacts) == ("dock", 0)


@pytest.mark.slow
def test_same_file_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("first", "second")]
    for processes, folder in enumerate(folders, 1):
        run_experiment(single(experiment(tmp_path)), 3, 2, folder, how=StudyOptions(jobs=processes))
    first, second = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")} for folder in folders
    )
    assert first == second
    assert first


def test_job_that_is_canceled_ends_as_canceled(tmp_path: Path) -> None:
    found = results(tmp_path, "[{at_s: 2, what: cancel, task: near 1}]")
    assert found["near 1"].state == "CANCELED"
    assert found["near 2"].state == "SUCCEEDED"


def test_stopped_jobs_go_on_when_the_fleet_is_resumed(tmp_path: Path) -> None:
    found = results(tmp_path, "[{at_s: 2, what: stop, for_s: 3}]")
    assert {result.state for result in found.values()} == {"SUCCEEDED"}


def test_job_goes_to_the_other_robot_when_one_is_lost(tmp_path: Path) -> None:
    found = results(tmp_path, "[{at_s: 0.5, what: cut_link, robot: 2}]")
    assert (found["near 2"].state, found["near 2"].robot) == ("SUCCEEDED", 1)


@pytest.mark.parametrize(
    ("task", "dispatch", "problem"),
    [
        ("{id: a, robot: any, go_to: {x_m: 1, y_m: 1}}", "{}", "any needs `dispatch: {enabled: true}` in the fleet"),
        ("{id: a, robot: some, go_to: {x_m: 1, y_m: 1}}", "{enabled: true}", "robot"),
    ],
)
def test_jobs_that_no_fleet_could_take_are_refused(tmp_path: Path, task: str, dispatch: str, problem: str) -> None:
    with pytest.raises(ExperimentError, match=problem):
        experiment(tmp_path, f"- {task}", dispatch=dispatch)


SHELF = """[
  {x1_m: 1.3, y1_m: 0.9, x2_m: 1.9, y2_m: 0.9}, {x1_m: 1.9, y1_m: 0.9, x2_m: 1.9, y2_m: 1.5},
  {x1_m: 1.9, y1_m: 1.5, x2_m: 1.3, y2_m: 1.5}, {x1_m: 1.3, y1_m: 1.5, x2_m: 1.3, y2_m: 0.9}]"""


def test_jobs_to_the_inside_of_a_closed_shelf_are_rejected_and_others_performed(tmp_path: Path) -> None:
    file = tmp_path / "shelf.yaml"
    experiment(tmp_path)
    text = (tmp_path / "experiment.yaml").read_text()
    tasks = """
- {id: inside, robot: any, at_s: 1, go_to: {x_m: 1.6, y_m: 1.2}}
- {id: into, robot: any, at_s: 1, transport: {from: {x_m: 1.0, y_m: 0.6}, to: {x_m: 1.6, y_m: 1.2}}}
- {id: beside, robot: any, at_s: 1, go_to: {x_m: 1.0, y_m: 1.7}}
- {id: direct, robot: 1, at_s: 1, go_to: {x_m: 1.6, y_m: 1.2}}
"""
    text = text.replace(JOBS, tasks).replace("  robots: [{", f"  walls: {SHELF}\n  robots: [{{", 1)
    file.write_text(text.replace("  tasks: {dwell", f"  floor: {{walls: {SHELF}}}\n  tasks: {{dwell", 1))
    run = perform(load_experiment(file), 1, 1)
    found = {result.task: (result.state, result.reason) for result in run_result(run).tasks}
    assert found == {
        "inside": ("REJECTED", "UNREACHABLE"),
        "into": ("REJECTED", "UNREACHABLE"),
        "beside": ("SUCCEEDED", ""),
        "direct": ("REJECTED", "UNREACHABLE"),
    }
