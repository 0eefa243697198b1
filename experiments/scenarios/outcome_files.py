"""The files that an experiment writes: results.json, tasks.csv, run.mcap, paths.png of each run; summary.json."""

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from experiments.scenarios.bag import write_bag
from experiments.scenarios.experiment import Experiment
from experiments.scenarios.path_pictures import draw_paths
from experiments.scenarios.repetition import Run
from experiments.scenarios.results import TaskResult, TaskSummary, robot_results, task_results


def write_run(folder: Path, experiment: Experiment, seed: int, run: Run) -> None:
    """Write the results of one run."""
    folder.mkdir(parents=True, exist_ok=True)
    tasks = task_results(run)
    values = {
        "title": experiment.title,
        "seed": seed,
        "run": run.number,
        "duration_s": run.duration_s,
        "tasks": [asdict(task) for task in tasks],
        "robots": [asdict(robot) for robot in robot_results(run.recording)],
    }
    _write_json(folder / "results.json", values)
    _write_csv(folder / "tasks.csv", tasks)
    write_bag(folder / "run.mcap", run.recording, experiment.fleet.frame)
    draw_paths(folder / "paths.png", experiment, run)


def write_summary(folder: Path, experiment: Experiment, seed: int, count: int, found: Sequence[TaskSummary]) -> None:
    """Write the results of all runs together."""
    tasks = [asdict(summary) for summary in found]
    _write_json(folder / "summary.json", {"title": experiment.title, "seed": seed, "runs": count, "tasks": tasks})


def _write_json(file: Path, values: Any) -> None:
    file.write_text(json.dumps(values, indent=1, allow_nan=False, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_csv(file: Path, tasks: Sequence[TaskResult]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(TaskResult)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(task) for task in tasks)
