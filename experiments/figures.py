"""The style of all figures, and how they are saved."""

from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

STYLE: dict[Any, Any] = {  # keys are a union of literals that matplotlib does not export
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "savefig.dpi": 110,
    "figure.constrained_layout.use": True,
}


def save(figure: Figure, file: Path) -> None:
    """Save a figure in bytes that do not depend on the time or the library version."""
    FigureCanvasAgg(figure)
    figure.savefig(file, metadata={"Software": None})
