"""Studies as a whole: a small sweep, its tables and figures, and how it is resumed and repeated."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from experiments.scenarios.file.study_file import load_study
from experiments.scenarios.paper_figures.figure_data import FigureError, shown_runs
from experiments.scenarios.perform import main
from thymio_base.exit_code import ExitCode

STUDY = """
title: A small study
world:
  arena: {width_m: 2, height_m: 2}
  robots: [{node_id: 1, x_m: 0.6, y_m: 0.6}, {node_id: 2, x_m: 0.6, y_m: 1.4}]
fleet:
  robots:
  - {id: 1, node_id: 1, home: {x_m: 0.6, y_m: 0.6}, pose_topic: /mocap/thymio_1/pose}
  - {id: 2, node_id: 2, home: {x_m: 0.6, y_m: 1.4}, pose_topic: /mocap/thymio_2/pose}
duration_s: 20
repetitions: 2
record_hz: 10
spread: {position_m: 0.01, wheel_gain: 0.02}
sweep:
  lag: {short: {world.motors.time_constant_s: 0.05}, long: {world.motors.time_constant_s: 0.15}}
  law: [pd_pursuit, lqr]
tasks:
- {id: lap, robot: 1, follow_path: {shape: straight, size_m: 0.3}, speed_mps: 0.05}
- {id: go, robot: 2, go_to: {x_m: 1.0, y_m: 1.4}}
"""
FIGURES = ("battery", "distribution", "error", "gantt", "space_time", "throughput", "trajectories")


def perform(folder: Path, out: str, *options: str, text: str = STUDY) -> int:
    (folder / "study.yaml").write_text(text)
    arguments = [str(folder / "study.yaml"), "--out", str(folder / out), "--jobs", "1", "--quiet", "--tables-only"]
    return main([*arguments, *options])


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study that was performed; tests must not change it."""
    folder = tmp_path_factory.mktemp("study")
    assert perform(folder, "out", "--figures", "pdf") == ExitCode.DONE
    return folder / "out"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "out")
    return tmp_path / "out"


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_tidy_tables_have_run_seed_condition_and_a_column_for_each_factor(made: Path) -> None:
    tasks = rows(made / "tasks.csv")
    assert [(row["run"], row["lag"], row["law"], row["task"]) for row in tasks[:5]] == [
        ("1", "short", "pd_pursuit", "lap"),
        ("1", "short", "pd_pursuit", "go"),
        ("2", "short", "pd_pursuit", "lap"),
        ("2", "short", "pd_pursuit", "go"),
        ("3", "short", "lqr", "lap"),
    ]
    assert (len(tasks), tasks[0]["seed"], tasks[0]["condition"]) == (16, "1", "lag=short, law=pd_pursuit")
    trajectories = rows(made / "trajectories.csv")
    assert {row["run"] for row in trajectories} == {str(number) for number in range(1, 9)}
    lap = [row for row in trajectories if row["run"] == "1" and row["robot"] == "1" and row["task"] == "lap"]
    assert float(lap[0]["x_m"]) == pytest.approx(0.6, abs=0.04)
    assert max(float(row["path_error_mm"]) for row in lap if row["path_error_mm"]) == pytest.approx(
        float(tasks[0]["max_mm"]), abs=1e-3
    )


def test_summary_describes_each_condition_and_compares_levels_in_pairs(made: Path) -> None:
    found = json.loads((made / "summary.json").read_text())
    assert [one["condition"] for one in found["conditions"]] == [
        "lag=short, law=pd_pursuit",
        "lag=short, law=lqr",
        "lag=long, law=pd_pursuit",
        "lag=long, law=lqr",
    ]
    first = found["conditions"][0]
    errors_mm = [float(row["max_mm"]) for row in rows(made / "tasks.csv")[:4] if row["max_mm"]]
    assert (first["runs"], first["succeeded"], first["measures"]["path_max_mm"]["n"]) == (2, 2, 2)
    assert first["measures"]["path_max_mm"]["mean"] == pytest.approx(sum(errors_mm) / 2, abs=1e-6)
    laws = [one for one in found["comparisons"] if one["measure"] == "path_max_mm" and one["factor"] == "law"]
    assert [(one["among"], one["baseline"], one["level"]) for one in laws] == [
        ("lag=short", "pd_pursuit", "lqr"),
        ("lag=long", "pd_pursuit", "lqr"),
    ]
    assert all(one["difference"]["mean"] < 0.0 and one["difference"]["effect"] == -1.0 for one in laws)
    page = (made / "summary.md").read_text()
    assert "### path_max_mm\n\n| law | lag short | lag long |\n| --- | --- | --- |\n| pd_pursuit | " in page
    assert "path_max_mm with lag=short: law=lqr is " in page
    assert "not significant at 5 %, which 2 pairs cannot be" in page


def test_booleans_of_a_figure_are_written_as_0_or_1(made: Path) -> None:
    assert {row["is_waiting"] for row in rows(made / "figures" / "space_time.csv")} <= {"0", "1"}


def test_each_figure_is_a_pdf_with_embedded_fonts_and_has_its_data_beside_it(made: Path) -> None:
    files = sorted(path.name for path in (made / "figures").iterdir())
    assert files == sorted(f"{name}.{kind}" for name in FIGURES for kind in ("csv", "pdf"))
    for name in FIGURES:
        assert len(rows(made / "figures" / f"{name}.csv")) >= 2
        content = (made / "figures" / f"{name}.pdf").read_bytes()
        assert b"/FontFile2" in content
        assert b"/CreationDate" not in content


def test_error_figure_shows_medians_of_the_trajectories(made: Path) -> None:
    shown = [row for row in rows(made / "figures/error.csv") if row["condition"] == "short, lqr"]
    row = shown[len(shown) // 2]
    errors_mm = [
        float(one["path_error_mm"])
        for one in rows(made / "trajectories.csv")
        if (one["law"], one["lag"]) == ("lqr", "short")
        and one["robot"] == "1"
        and float(one["time_s"]) == float(row["time_s"])
    ]
    assert float(row["median_mm"]) == pytest.approx(sum(errors_mm) / len(errors_mm), abs=1e-6)


def test_resumed_study_does_missing_cut_and_changed_runs_and_writes_the_same_bytes(made: Path, copy: Path) -> None:
    shutil.rmtree(copy / "run_002")
    results = copy / "run_003/results.json"
    results.write_bytes(results.read_bytes()[:200])
    (copy / "run_004/results.json").write_bytes(b"\0" * 100)
    (copy / "run_005/trajectories.csv").write_text("time_s\n")
    (copy / "run_006/results.json").write_bytes(b"")
    kept = copy / "run_001/results.json"
    before_ns = kept.stat().st_mtime_ns
    assert perform(copy.parent, "out", "--resume", "--figures", "pdf") == ExitCode.DONE
    assert contents(copy) == contents(made)
    assert kept.stat().st_mtime_ns == before_ns


@pytest.mark.parametrize("content", ["[1, 2]", '{"a": 1}', '{"provenance": 3}'])
def test_file_that_is_not_a_result_is_refused_by_a_resumed_study(
    content: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / "run_003/results.json").write_text(content)
    assert perform(copy.parent, "out", "--resume") == ExitCode.USAGE
    assert "run_003/results.json is not a result of this program's experiments" in capsys.readouterr().err


def test_results_of_another_experiment_are_refused_by_a_resumed_study(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = STUDY.replace("duration_s: 20", "duration_s: 21")
    assert perform(copy.parent, "out", "--resume", text=other) == ExitCode.USAGE
    assert "is a result of another experiment" in capsys.readouterr().err
    assert perform(copy.parent, "out", "--resume", "--seed", "2") == ExitCode.USAGE
    assert "options differ" in capsys.readouterr().err


def test_result_is_repeated_with_the_same_bytes_from_the_copies_of_its_inputs(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--repeat-result", str(copy / "run_007/results.json")]) == ExitCode.DONE
    printed = capsys.readouterr().out.splitlines()
    assert printed[:3] == ["same    tasks.csv", "same    trajectories.csv", "same    results.json"]
    assert printed[3].endswith("3 files of 3 the same")


def test_repeated_result_names_the_files_that_differ(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = copy / "run_007/results.json"
    made = json.loads(results.read_text())
    made["provenance"]["outputs"]["tasks.csv"] = "0" * 64
    made["provenance"]["commit"] = "1" * 40
    results.write_text(json.dumps(made))
    assert main(["--repeat-result", str(results)]) == ExitCode.FAILED
    printed = capsys.readouterr().out
    assert f"note: commit then: {'1' * 40}; now: " in printed
    assert "differs tasks.csv" in printed


def test_result_of_other_inputs_is_not_repeated(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / "inputs/study.yaml").write_text(STUDY.replace("duration_s: 20", "duration_s: 21"))
    assert main(["--repeat-result", str(copy / "run_007/results.json")]) == ExitCode.USAGE
    assert "was made from other inputs: study.yaml differ" in capsys.readouterr().err
    assert main(["--repeat-result", str(copy / "summary.json")]) == ExitCode.USAGE
    assert "has no provenance: it needs a results.json of a run" in capsys.readouterr().err


def test_experiment_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == ExitCode.USAGE
    assert "an experiment FILE is needed" in capsys.readouterr().err


def test_figures_show_chosen_levels_and_refuse_unknown_ones(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY)
    plans = load_study(tmp_path / "study.yaml").runs(1, 2)
    assert [plan.number for plan in shown_runs(plans, {"law": "lqr"})] == [3, 4, 7, 8]
    with pytest.raises(FigureError, match="no level 'lqx', did you mean 'lqr'"):
        shown_runs(plans, {"law": "lqx"})
    with pytest.raises(FigureError, match="no factor 'lags', did you mean 'lag'"):
        shown_runs(plans, {"lags": "long"})


def test_study_of_rejected_tasks_says_why_and_its_figures_are_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fast = STUDY.replace("speed_mps: 0.05", "speed_mps: 0.5").replace("repetitions: 2", "repetitions: 1")
    (tmp_path / "study.yaml").write_text(fast.replace("- {id: go, robot: 2, go_to: {x_m: 1.0, y_m: 1.4}}\n", ""))
    options = ["--out", str(tmp_path / "out"), "--jobs", "1", "--tables-only", "--figures", "svg"]
    assert main([str(tmp_path / "study.yaml"), *options]) == ExitCode.DONE
    printed = " ".join(capsys.readouterr().out.split())
    assert "lag=short, law=lqr: lap (robot 1): REJECTED: the speed is not allowed on this path (BAD_SPEED): " in printed
    found = json.loads((tmp_path / "out/summary.json").read_text())
    assert all("makespan_s" not in one["measures"] for one in found["conditions"])
    assert (tmp_path / "out/figures/distribution.csv").read_text() == "condition,makespan_s\n"


def test_figures_of_too_many_conditions_are_refused_before_the_first_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = STUDY.replace("law: [pd_pursuit, lqr]", "duration_s: [1, 2, 3, 4, 5, 6, 7]")
    assert perform(tmp_path, "out", "--figures", "svg", text=many) == ExitCode.USAGE
    assert "figures show at most 12 conditions, and these are 14" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
