"""The files that an experiment writes: results, tasks, a bag and pictures of each run; its summary."""

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.pictures.path_pictures import draw_paths
from experiments.scenarios.pictures.robot_tones import report_of
from experiments.scenarios.run.bag import write_bag
from experiments.scenarios.run.repetition import Run
from experiments.scenarios.summaries.run_result import RunResult, TaskResult
from experiments.scenarios.summaries.summary import ExperimentSummary
from experiments.scenarios.summaries.summary_tables import markdown_page
from thymio_base.drawing.gantt import Gantt


def write_run(folder: Path, experiment: Experiment, seed: int, run: Run, result: RunResult) -> None:
    """Write the results of one run; results.json comes last, so it is missing where writing was interrupted."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").unlink(missing_ok=True)
    _write_csv(folder / "tasks.csv", result.tasks)
    write_bag(folder / "run.mcap", run.recording, experiment.fleet.frame)
    draw_paths(folder / "paths.png", experiment, run)
    _draw_gantt(folder / "gantt.png", experiment, run)
    _write_json(folder / "results.json", {"title": experiment.title, "seed": seed, "run": run.number} | asdict(result))


def write_summary(folder: Path, experiment: Experiment, seed: int, found: ExperimentSummary) -> None:
    """Write the results of all runs together: summary.json, and the same as a page, summary.md."""
    _write_json(folder / "summary.json", summary_values(experiment, seed, found))
    (folder / "summary.md").write_text(markdown_page(experiment.title, found), encoding="utf-8")


def summary_values(experiment: Experiment, seed: int, found: ExperimentSummary) -> dict[str, Any]:
    """Return the content of summary.json."""
    return {"title": experiment.title, "seed": seed} | asdict(found)


def _draw_gantt(file: Path, experiment: Experiment, run: Run) -> None:
    stations_m = {one.name: (one.pose.x_m, one.pose.y_m) for one in experiment.fleet.stations}
    chart = Gantt(run.recording.robot_ids, stations_m)
    for record in run.recording.statuses:
        report = report_of(record.status)
        robot_id, is_waiting = report.robot_id, report.is_waiting
        chart.note(record.time_s, robot_id, report.occupation, report.tone, is_waiting=is_waiting)
    chart.save(file)


def _write_json(file: Path, values: Any) -> None:
    file.write_text(json.dumps(values, indent=1, allow_nan=False, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_csv(file: Path, tasks: Sequence[TaskResult]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(TaskResult)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(task) for task in tasks)
