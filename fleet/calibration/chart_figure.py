"""Draws charts into an SVG file."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fleet.calibration.chart import Chart, Series

_COLOURS = ("#c0392b", "#1f77b4", "#2ca02c", "#9467bd", "#e08e0b", "#17a2b8", "#6c757d")
_WIDTH_IN, _HEIGHT_IN = 7.5, 3.5
_STYLE: dict[Any, Any] = {  # keys are a union of literals that matplotlib does not export
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "thymio_fleet",  # the same charts give the same file
}


def save_charts(charts: Sequence[Chart], path: Path) -> None:
    """Draw the charts into an SVG file, one below the other.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    charts_svg(charts, path)


def charts_svg(charts: Sequence[Chart], file: Path | IO[str]) -> None:
    """Draw the charts as SVG into a file, which may be open; raises OSError like `save_charts`."""
    with rc_context(_STYLE):
        charts_figure(charts).savefig(file, format="svg", metadata={"Date": None})


def charts_figure(charts: Sequence[Chart]) -> Figure:
    """Return a figure with a pair of axes for each chart."""
    figure = Figure(figsize=(_WIDTH_IN, _HEIGHT_IN * len(charts)), layout="constrained")
    for row, chart in enumerate(charts):
        _draw(figure.add_subplot(len(charts), 1, row + 1), chart)
    return figure


def _draw(axes: Axes, chart: Chart) -> None:
    axes.set(title=chart.title, xlabel=chart.x_label, ylabel=chart.y_label)
    for series in chart.series:
        _draw_series(axes, series)
    axes.locator_params(steps=[1, 2, 5, 10])
    if any(series.name for series in chart.series):
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _draw_series(axes: Axes, series: Series) -> None:
    colour, label = _COLOURS[series.colour % len(_COLOURS)], series.name or None
    if series.is_line:
        axes.plot(series.xs, series.ys, color=colour, label=label, zorder=3)  # above points
    else:
        axes.plot(series.xs, series.ys, "o", color=colour, label=label, markersize=4.5, alpha=0.6, markeredgewidth=0.0)
