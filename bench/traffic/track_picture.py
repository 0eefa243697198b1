"""Draws the tracks of all robots of a run."""

from pathlib import Path

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bench.traffic.floor_plan import FloorPlan
from experiments.figures import STYLE, save
from simulator.outlines.outline import thymio
from thymio_base.drawing import floor_drawing
from thymio_base.palette import INK, LIGHT_GROUND

_SIZE_IN = 5.0


def draw_tracks(file: Path, title: str, plan: FloorPlan, tracks: NDArray[np.float64]) -> None:
    """Draw the tracks of all robots, (times, robots, 2), in colours of their own, and robots at their starts."""
    with rc_context(STYLE):
        figure = Figure(figsize=(_SIZE_IN, _SIZE_IN * plan.height_m / plan.width_m))
        axes = figure.add_subplot(aspect="equal", xlim=(0.0, plan.width_m), ylim=(0.0, plan.height_m))
        axes.set_title(title, loc="left")
        axes.set(xlabel="x [m]", ylabel="y [m]")
        axes.grid(visible=False)
        floor_drawing.draw_walls(axes, [((x1, y1), (x2, y2)) for x1, y1, x2, y2 in (*plan.walls, *plan.borders)])
        outline_m = thymio().vertices_m.tolist()
        count = len(plan.starts)
        for index, start in enumerate(plan.starts):
            colour = colormaps["turbo"]((index + 0.5) / count)
            axes.plot(*tracks[:, index].T, color=colour, linewidth=1.0)
            corners = floor_drawing.placed(outline_m, (start.x_m, start.y_m, start.heading_rad))
            axes.fill(*zip(*corners, strict=True), facecolor=LIGHT_GROUND, edgecolor=colour, linewidth=1.0, zorder=3)
            axes.text(start.x_m, start.y_m, str(index + 1), color=INK, ha="center", va="center", fontsize=6, zorder=4)
        save(figure, file)
