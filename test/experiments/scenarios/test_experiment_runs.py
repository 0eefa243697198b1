"""Experiments: effects of faults, results of tasks, and reproducible bytes for a seed."""

import csv
import json
import re
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.file.experiment_file import load_experiment
from experiments.scenarios.file.study_file import PlannedRun, single
from experiments.scenarios.outcome_files import write_run
from experiments.scenarios.perform import main
from experiments.scenarios.run.repetition import Run, perform
from experiments.scenarios.run.results import run_result
from experiments.scenarios.study_runs import StudyOptions, run_experiment
from experiments.scenarios.summaries.run_result import TaskResult
from harness.budgets import examples
from thymio_base.exit_code import ExitCode

TASKS = """
- {id: a, robot: 1, go_to: {x_m: 1.2, y_m: 0.8, heading_rad: 0.5}}
- {id: b, robot: 2, follow_path: {shape: straight, size_m: 0.2}}
"""
FAR = "- {id: a, robot: 1, go_to: {x_m: 1.6, y_m: 0.6}}\n- {id: b, robot: 1, after: a, go_home: true}"


def experiment(folder: Path, tasks: str = TASKS, faults: str = "[]", duration_s: float = 20.0) -> Experiment:
    file = folder / "experiment.yaml"
    file.write_text(f"""
title: A test
world:
  arena: {{width_m: 2, height_m: 2}}
  motion_capture: {{latency_s: 0.03}}
  robots:
  - {{node_id: 1, x_m: 0.6, y_m: 0.6}}
  - {{node_id: 2, x_m: 0.6, y_m: 1.4}}
fleet:
  robots:
  - {{id: 1, node_id: 1, home: {{x_m: 0.6, y_m: 0.6}}, pose_topic: /mocap/thymio_1/pose}}
  - {{id: 2, node_id: 2, home: {{x_m: 0.6, y_m: 1.4}}, pose_topic: /mocap/thymio_2/pose}}
duration_s: {duration_s}
spread: {{position_m: 0.01, heading_rad: 0.05, wheel_gain: 0.02}}
tasks:
{tasks}
faults: {faults}
""")
    return load_experiment(file)


def planned(folder: Path) -> PlannedRun:
    return single(experiment(folder)).runs(1, 1)[0]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def results(folder: Path, tasks: str = FAR, faults: str = "[]", duration_s: float = 20.0) -> dict[str, TaskResult]:
    run = perform(experiment(folder, tasks, faults, duration_s), 1, 1)
    return {result.task: result for result in run_result(run).tasks}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return perform(experiment(tmp_path_factory.mktemp("run")), 1, 1)


def test_a_run_ends_a_second_after_its_last_task(run: Run) -> None:
    last_s = max(result.end_s or 0.0 for result in run_result(run).tasks)
    assert run.duration_s == pytest.approx(last_s + 1.0, abs=0.02)


def test_task_result_has_times_and_final_errors(run: Run) -> None:
    result = run_result(run).tasks[0]
    assert (result.state, result.reason, result.start_s) == ("SUCCEEDED", "", 0.0)
    assert result.duration_s == pytest.approx(result.end_s)
    assert result.off_mm is not None
    assert result.off_mm < 3.0
    assert result.driven_m == pytest.approx(0.63, abs=0.05)
    assert result.max_mm is None


def test_path_result_has_true_and_estimated_distances(run: Run) -> None:
    result = run_result(run).tasks[1]
    assert result.rms_mm is not None
    assert result.max_mm is not None
    assert result.seen_max_mm is not None
    assert 0.0 < result.rms_mm < result.max_mm < 10.0


def test_robot_results_have_distances_driven(run: Run) -> None:
    first, second = run_result(run).robots
    assert first.distance_m == pytest.approx(0.63, abs=0.05)
    assert second.distance_m == pytest.approx(0.4, abs=0.05)
    assert first.estimate_rms_mm is not None
    assert first.estimate_rms_mm < 2.0


def test_task_starts_when_the_one_before_it_has_ended(tmp_path: Path) -> None:
    found = results(tmp_path)
    assert found["b"].start_s == found["a"].end_s
    assert found["b"].state == "SUCCEEDED"


def test_busy_robot_rejects_a_second_task_of_an_experiment(tmp_path: Path) -> None:
    found = results(tmp_path, f"{FAR}\n- {{id: c, robot: 1, at_s: 1, go_home: true}}")
    assert (found["c"].state, found["c"].reason, found["c"].driven_m) == ("REJECTED", "BUSY", None)


def test_short_loss_of_one_robot_does_not_abort_its_task(tmp_path: Path) -> None:
    assert results(tmp_path, FAR, "[{at_s: 2, what: cut_link, robot: 1, for_s: 1}]")["a"].state == "SUCCEEDED"


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("{at_s: 2, what: cut_link, robot: 1}", "ROBOT_LOST"),
        ("{at_s: 2, what: cut_link}", "ROBOT_LOST"),
        ("{at_s: 2, what: hide}", "POSE_LOST"),
        ("{at_s: 2, what: hide, robot: 1, for_s: 3}", "POSE_LOST"),
        ("{at_s: 2, what: stop, for_s: 1}", "STOPPED"),
    ],
)
def test_long_fault_aborts_a_task(fault: str, reason: str, tmp_path: Path) -> None:
    assert (results(tmp_path, FAR, f"[{fault}]")["a"].reason) == reason


def test_cut_off_robot_does_not_affect_the_others(tmp_path: Path) -> None:
    both = f"{FAR}\n- {{id: c, robot: 2, go_to: {{x_m: 1.5, y_m: 1.4}}}}"
    found = results(tmp_path, both, "[{at_s: 2, what: cut_link, robot: 1}]")
    assert (found["a"].state, found["c"].state) == ("ABORTED", "SUCCEEDED")


def test_a_task_can_be_canceled(tmp_path: Path) -> None:
    assert results(tmp_path, FAR, "[{at_s: 2, what: cancel, task: a}]")["a"].state == "CANCELED"


def test_empty_battery_only_allows_going_home(tmp_path: Path) -> None:
    tasks = "- {id: a, robot: 1, at_s: 60, go_to: {x_m: 0.7, y_m: 0.6}}\n- {id: b, robot: 1, after: a, go_home: true}"
    empty = "[{at_s: 0, what: battery, robot: 1, charge: 0.02}]"
    found = results(tmp_path, tasks, empty, 90.0)
    assert (found["a"].reason, found["b"].state) == ("BATTERY_CRITICAL", "SUCCEEDED")


@pytest.mark.parametrize(
    "fault",
    ["{what: push, robot: 1, y_m: 0.05, heading_rad: 0.3, at_s: 2}", "{what: slip, robot: 1, left: 0.9, at_s: 1}"],
)
def test_robots_recover_from_pushes_and_slip(fault: str, tmp_path: Path) -> None:
    calm, shaken = results(tmp_path)["a"], results(tmp_path, FAR, f"[{fault}]")["a"]
    assert shaken.state == "SUCCEEDED"
    assert shaken.driven_m != calm.driven_m


def test_pushed_robot_counts_its_contact_and_closes_its_gap(tmp_path: Path) -> None:
    beside = "[{at_s: 1, what: teleport, robot: 2, x_m: 0.75, y_m: 0.6}]"
    found = run_result(perform(experiment(tmp_path, "- {id: a, robot: 1, at_s: 2, go_home: true}", beside), 1, 1))
    assert [robot.contacts for robot in found.robots] == [0, 0]
    assert 0.0 < (found.least_gap_mm or 0.0) < 100.0
    against = "[{at_s: 1, what: teleport, robot: 2, x_m: 0.65, y_m: 0.6}]"
    found = run_result(perform(experiment(tmp_path, "- {id: a, robot: 1, at_s: 2, go_home: true}", against), 1, 1))
    assert [robot.contacts for robot in found.robots] == [1, 1]
    assert (found.contacts, found.least_gap_mm) == (1, 0.0)


def test_robot_of_an_experiment_can_be_teleported(tmp_path: Path) -> None:
    faults = "[{at_s: 0.5, what: teleport, robot: 2, x_m: 1.4, y_m: 1.5, heading_rad: 1}]"
    run = perform(experiment(tmp_path, "- {id: a, robot: 1, at_s: 1, go_home: true}", faults), 1, 1)
    place = run_result(run).robots[1]
    assert (place.x_m, place.y_m, place.heading_rad) == pytest.approx((1.4, 1.5, 1.0), abs=1e-6)


@pytest.mark.slow
def test_repetitions_write_the_same_bytes_with_any_number_of_processes(tmp_path: Path) -> None:
    short = experiment(tmp_path, duration_s=1.0)
    count = examples(15)
    run_experiment(single(short), 5, count, tmp_path / "one", how=StudyOptions(jobs=1))
    run_experiment(single(short), 5, count, tmp_path / "two", how=StudyOptions(jobs=2))
    first, second = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert len(first) == 6 * count + 4
    assert [name for name in first if first[name] != second.get(name)] == []
    assert len({first[f"run_{number:03}/run.mcap"] for number in range(1, count + 1)}) == count


def test_result_files_do_not_contain_their_folder(run: Run, tmp_path: Path) -> None:
    write_run(tmp_path / "out", planned(tmp_path), run, run_result(run))
    assert [name for name, data in contents(tmp_path / "out").items() if str(tmp_path).encode() in data] == []


def test_ros_reads_poses_and_statuses_from_the_bag(run: Run, tmp_path: Path) -> None:
    write_run(tmp_path, planned(tmp_path), run, run_result(run))
    with (tmp_path / "run.mcap").open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        decoded = [(channel.topic, message, ros) for _, channel, message, ros in reader.iter_decoded_messages()]
        header = reader.get_header()
    assert (header.profile, header.library) == ("ros2", "thymio_fleet")
    assert {topic for topic, _, _ in decoded} == {
        *(f"/simulator/thymio_{number}/truth" for number in (1, 2)),
        *(f"/factory/robot_{number}/{name}" for number in (1, 2) for name in ("pose", "status")),
    }
    last = [ros for topic, _, ros in decoded if topic == "/simulator/thymio_1/truth"][-1]
    place = run_result(run).robots[0]
    assert (last.pose.position.x, last.pose.position.y) == pytest.approx((place.x_m, place.y_m), abs=1e-6)
    assert last.header.frame_id == "map"
    status = [ros for topic, _, ros in decoded if topic == "/factory/robot_1/status"][-1]
    assert (status.name, status.values[0].key, status.values[0].value) == ("robot_1", "battery", "ok")


def test_experiment_command_prints_a_table_and_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiment(tmp_path, duration_s=1.0)
    animation, out = tmp_path / "a.gif", tmp_path / "out"
    arguments = [str(tmp_path / "experiment.yaml"), "--repeat", "2", "--jobs", "1", "--out", str(out)]
    assert main([*arguments, "--animate", str(animation)]) == ExitCode.DONE
    printed = capsys.readouterr()
    assert re.search(r"^b +2 +0/2 ", printed.out, re.MULTILINE)
    assert "b (robot 2) in 2 of 2 runs: it had not ended when the run ended" in printed.out
    assert printed.err.splitlines()[-1] == "100 % of the time: 2 of 2 runs done"
    assert animation.read_bytes().startswith(b"GIF89a")
    with (out / "run_002" / "tasks.csv").open(newline="") as stream:
        assert [row["state"] for row in csv.DictReader(stream)] == ["EXECUTING", "EXECUTING"]
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["runs"], summary["tasks"][0]["task"]) == (2, "a")


def test_experiment_command_prints_json_and_no_progress_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment(tmp_path, duration_s=1.0)
    arguments = [str(tmp_path / "experiment.yaml"), "--repeat", "1", "--out", str(tmp_path / "out"), "--json"]
    assert main(arguments) == ExitCode.DONE
    printed = capsys.readouterr()
    assert printed.err == ""
    assert json.loads(printed.out) == json.loads((tmp_path / "out" / "summary.json").read_text())


def test_quiet_experiment_command_prints_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiment(tmp_path, duration_s=1.0)
    arguments = [str(tmp_path / "experiment.yaml"), "--repeat", "1", "--out", str(tmp_path / "out"), "--quiet"]
    assert main(arguments) == ExitCode.DONE
    assert capsys.readouterr() == ("", "")


def test_unsupported_animation_format_is_refused_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment(tmp_path)
    out = tmp_path / "out"
    arguments = [str(tmp_path / "experiment.yaml"), "--out", str(out), "--animate", "a.webp"]
    assert main(arguments) == ExitCode.USAGE
    assert "a.webp: animations are .gif or .mp4" in capsys.readouterr().err


def test_bad_experiment_file_is_reported_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none.yaml")]) == ExitCode.USAGE
    assert "none.yaml: No such file" in capsys.readouterr().err
