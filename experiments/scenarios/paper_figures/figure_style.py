"""The style of figures for papers: column widths, embedded fonts, and series that differ in greyscale, too."""

from collections.abc import Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from thymio_base.palette import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION

COLUMN_IN: Final = 3.5  # IEEE; Elsevier and Springer use 3.54 and 3.3
PAGE_IN: Final = 7.16  # both columns
MOST_SERIES: Final = 7  # most series that a legend can distinguish
STYLE: Final[dict[Any, Any]] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 8,
    "axes.labelsize": 8,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.1,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.5,
    "legend.frameon": False,
    "legend.handlelength": 2.8,
    "savefig.dpi": 600,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,  # TrueType, embedded
    "svg.fonttype": "path",
    "svg.hashsalt": "thymio_fleet",
}
METADATA: Final[dict[str, dict[str, Any]]] = {  # without dates, so that the same study gives the same bytes
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
_COLOURS: Final = ("#000000", ORANGE, BLUE, SKY, VERMILION, GREEN, PURPLE)  # neighbours differ in grey
_DASHES: Final = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
_HATCHES: Final = ("", "////", "....", "xxxx", "\\\\\\\\", "----", "++++")
_FACES: Final = ("#ffffff", "#c9c9c9", "#ededed", "#a8a8a8", "#dddddd", "#f6f6f6", "#bbbbbb")


def colour(index: int) -> str:
    """Return the colour of a series."""
    return _COLOURS[index % len(_COLOURS)]


def dashes(index: int) -> Any:
    """Return the dashes of a series."""
    return _DASHES[index % len(_DASHES)]


def hatch(index: int) -> str:
    """Return the hatching of a box."""
    return _HATCHES[index % len(_HATCHES)]


def face(index: int) -> str:
    """Return the grey fill of a box."""
    return _FACES[index % len(_FACES)]


def figure_of(width_in: float, height_in: float) -> tuple[Figure, Axes]:
    """Return a figure with one pair of axes."""
    figure = Figure(figsize=(width_in, height_in))
    return figure, figure.add_subplot()


def add_legend(figure: Figure, axes: Axes, columns: int) -> None:
    """Put a legend above the axes, if there is more than one series."""
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > 1 or "waits for others" in labels:
        figure.legend(handles, labels, loc="outside upper left", ncols=columns, columnspacing=1.2, borderaxespad=0.2)


def columns_for(labels: Sequence[str], width_in: float) -> int:
    """Return the number of columns that fit a legend with these labels."""
    longest_in = 0.5 + 0.062 * max(map(len, labels), default=1)
    return max(1, min(len(labels), int(width_in / longest_in)))
