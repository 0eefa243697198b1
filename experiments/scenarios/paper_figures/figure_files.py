"""Draws all figures of a study, and writes each with a table of its data."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg

from experiments.scenarios.file.study_file import PlannedRun
from experiments.scenarios.paper_figures.condition_figures import (
    distribution_figure,
    error_figure,
    throughput_figure,
    trajectories_figure,
)
from experiments.scenarios.paper_figures.drawn_figure import DrawnFigure
from experiments.scenarios.paper_figures.figure_data import ShownRun, load_runs
from experiments.scenarios.paper_figures.figure_style import METADATA, STYLE
from experiments.scenarios.paper_figures.single_run_figures import battery_figure, gantt_figure, space_time_figure
from experiments.scenarios.summaries.run_result import RunResult

FIGURES: Final = "figures"


def write_figures(folder: Path, kind: str, shown: Sequence[PlannedRun], results: Sequence[RunResult]) -> None:
    """Draw the figures of the shown runs into the folder `figures`, as `kind`: pdf, svg or png."""
    place = folder / FIGURES
    place.mkdir(exist_ok=True)
    runs = load_runs(folder, shown, results)
    with rc_context(STYLE):
        for name, drawn in _drawn(runs):
            FigureCanvasAgg(drawn.figure)
            drawn.figure.savefig(place / f"{name}.{kind}", metadata=METADATA[kind])
            _write_table(place / f"{name}.csv", drawn)


def _drawn(runs: Sequence[ShownRun]) -> Iterator[tuple[str, DrawnFigure]]:
    yield "trajectories", trajectories_figure(runs)
    yield "error", error_figure(runs)
    yield "distribution", distribution_figure(runs)
    yield "throughput", throughput_figure(runs)
    yield "space_time", space_time_figure(runs[0])
    yield "gantt", gantt_figure(runs[0])
    yield "battery", battery_figure(runs[0])


def _write_table(file: Path, drawn: DrawnFigure) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(drawn.titles)
        writer.writerows([_plain(value) for value in row] for row in drawn.rows)


def _plain(value: object) -> object:
    """Return a value for CSV: floats with ten significant digits, booleans as 0 or 1."""
    return f"{value:.10g}" if isinstance(value, float) else int(value) if isinstance(value, bool | np.bool_) else value
