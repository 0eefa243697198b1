"""How cost grows with the number of robots, as a picture: both axes logarithmic, so that a power is a line."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.pictures import STYLE, save

Points = Sequence[tuple[int, float]]  # number of robots, cores

_FITTED_FROM = 10  # robots: below, what a driver costs without any robot counts
_COLOURS = ("#0072B2", "#D55E00")
_MARKERS = ("o", "s")


def exponent(points: Points) -> float:
    """Return the power of the number of robots with which cost grows, from 10 robots on: 1 is in proportion.

    NaN where there are fewer than two such points.
    """
    fitted = [point for point in points if point[0] >= _FITTED_FROM]
    return float(_fit(fitted)[0]) if len(fitted) > 1 else math.nan


def draw_growth(file: Path, costs: Mapping[str, Points]) -> None:
    """Draw the cores that each design uses."""
    with rc_context({**STYLE, "svg.hashsalt": "growth"}):
        figure = Figure(figsize=(7.0, 4.2))
        axes = figure.add_subplot()
        for number, (design, points) in enumerate(costs.items()):
            if not points:
                continue
            robots, cores = zip(*points, strict=True)
            power = exponent(points)
            label = design if math.isnan(power) else f"{design}, grows with the power {power:.2f} from 10 robots on"
            axes.plot(robots, cores, _MARKERS[number % 2], color=_COLOURS[number % 2], label=label)
            if not math.isnan(power):
                _draw_fit(axes, points, _COLOURS[number % 2])
        axes.set_xscale("log")
        axes.set_yscale("log")
        ticks = sorted({robots for points in costs.values() for robots, _ in points})
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("robots, all driving")
        axes.set_ylabel("cores used by the driver")
        axes.legend(loc="upper left")
        save(figure, file)


def _draw_fit(axes: Axes, points: Points, colour: str) -> None:
    fitted = [point for point in points if point[0] >= _FITTED_FROM]
    power, offset = _fit(fitted)
    ends = np.array([fitted[0][0], fitted[-1][0]], dtype=float)
    axes.plot(ends, np.exp(offset) * ends**power, color=colour, linewidth=1.0)


def _fit(points: Points) -> tuple[float, float]:
    """Return power and logarithm of the factor, of the least squares of logarithms."""
    robots, cores = np.log(np.array(points, dtype=float)).T
    power, offset = np.polyfit(robots, cores, 1)
    return float(power), float(offset)
