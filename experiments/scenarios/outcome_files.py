"""Writes an experiment's files: tables, a bag and pictures of each run; tables and a summary of all runs."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.file.study_file import PlannedRun
from experiments.scenarios.pictures.path_pictures import draw_paths
from experiments.scenarios.pictures.robot_tones import report_of
from experiments.scenarios.provenance import RESULTS
from experiments.scenarios.run.bag import write_bag
from experiments.scenarios.run.repetition import Run
from experiments.scenarios.run.trajectories import write_trajectories
from experiments.scenarios.statistics.study_words import statistics_page
from experiments.scenarios.study_findings import StudyFindings
from experiments.scenarios.summaries.run_result import RunResult, TaskResult
from experiments.scenarios.summaries.summary_tables import markdown_page
from thymio_base.drawing.gantt import Gantt

TRAJECTORIES: Final = "trajectories.csv"
_LARGE: Final = ("run.mcap", "paths.png", "gantt.png")
_KEYS: Final = ("run", "seed", "repetition", "condition")


def write_run(folder: Path, plan: PlannedRun, run: Run, result: RunResult, *, tables_only: bool = False) -> None:
    """Write the tables of one run, and unless `tables_only` its bag and pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RESULTS).unlink(missing_ok=True)  # written last, so it is missing if writing was interrupted
    _write_csv(folder / "tasks.csv", result.tasks)
    write_trajectories(folder / TRAJECTORIES, run)
    for name in _LARGE:
        (folder / name).unlink(missing_ok=True)
    if not tables_only:
        write_bag(folder / "run.mcap", run.recording, plan.experiment.fleet.frame)
        draw_paths(folder / "paths.png", plan.experiment, run)
        _draw_gantt(folder / "gantt.png", plan.experiment, run)


def write_summary(folder: Path, title: str, found: StudyFindings) -> None:
    """Write the results of all runs to summary.json, and as a page to summary.md."""
    text = json.dumps(summary_values(title, found), indent=1, allow_nan=False, ensure_ascii=False)
    (folder / "summary.json").write_text(f"{text}\n", encoding="utf-8")
    (folder / "summary.md").write_text(_page(title, found), encoding="utf-8")


def summary_values(title: str, found: StudyFindings) -> dict[str, Any]:
    """Return the content of summary.json."""
    conditions = [
        asdict(statistics) | asdict(one) for statistics, one in zip(found.statistics, found.summaries, strict=True)
    ]
    common = {"title": title, "seed": found.seed, "runs": len(found.outcomes)}
    if not found.has_sweep:
        return common | asdict(found.summaries[0]) | {"conditions": [asdict(found.statistics[0])]}
    return common | {"conditions": conditions, "comparisons": [asdict(one) for one in found.comparisons]}


def _page(title: str, found: StudyFindings) -> str:
    statistics = statistics_page(found.statistics, found.comparisons)
    if not found.has_sweep:
        return f"{markdown_page(title, found.summaries[0])}\n{statistics}\n"
    failures = [f"- {line}" for line in found.failures()]
    parts = [f"# {title}", statistics, *(["## Failures", "\n".join(failures)] if failures else [])]
    return "\n\n".join(parts) + "\n"


def write_tidy_tables(folder: Path, plans: Sequence[PlannedRun], run_folders: Sequence[Path]) -> None:
    """Write tasks.csv and trajectories.csv of all runs: each row starts with run, seed, repetition and condition."""
    for name in ("tasks.csv", TRAJECTORIES):
        with (folder / name).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            for index, (plan, run_folder) in enumerate(zip(plans, run_folders, strict=True)):
                with (run_folder / name).open(encoding="utf-8", newline="") as rows:
                    titles = next(csv.reader([rows.readline()]))
                    if index == 0:
                        writer.writerow([*_KEYS, *_factor_titles(plan, titles), *titles])
                    levels = plan.condition.levels.values()
                    start = _line([plan.number, plan.seed, plan.repetition, plan.condition.name, *levels])
                    stream.writelines(f"{start},{row}" for row in rows)


def _factor_titles(plan: PlannedRun, titles: Sequence[str]) -> list[str]:
    taken = {*_KEYS, *titles}
    return [f"level of {factor}" if factor in taken else factor for factor in plan.condition.levels]


def _line(cells: Sequence[object]) -> str:
    """Return cells as the start of a line of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _draw_gantt(file: Path, experiment: Experiment, run: Run) -> None:
    stations_m = {one.name: (one.pose.x_m, one.pose.y_m) for one in experiment.fleet.stations}
    chart = Gantt(run.recording.robot_ids, stations_m)
    for record in run.recording.statuses:
        report = report_of(record.status)
        robot_id, is_waiting = report.robot_id, report.is_waiting
        chart.note(record.time_s, robot_id, report.occupation, report.tone, is_waiting=is_waiting)
    chart.save(file)


def _write_csv(file: Path, tasks: Sequence[TaskResult]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(TaskResult)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(task) for task in tasks)
