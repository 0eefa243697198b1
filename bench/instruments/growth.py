"""A plot of cost over the number of robots: both axes are logarithmic, so a power law is a line."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.figures import STYLE, save
from thymio_base.palette import BLUE, VERMILION

_FITTED_FROM = 10  # robots: with fewer, the driver's fixed cost dominates
_COLOURS = (BLUE, VERMILION)
_MARKERS = ("o", "s")
_CORES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cores that a driver used, and whether it kept up; only points that did are fitted."""

    robots: int
    cores: float
    has_kept_up: bool


def exponent(costs: Sequence[Cost]) -> float:
    """Return the growth exponent of cost with the number of robots, from 10 robots on; 1 is proportional.

    NaN with fewer than two such rows in which the driver kept up.
    """
    fitted = _fitted(costs)
    return _fit(fitted)[0] if len(fitted) > 1 else math.nan


def draw_growth(file: Path, designs: Mapping[str, Sequence[Cost]]) -> None:
    """Plot the cost of each design; points where it did not keep up are hollow."""
    with rc_context(STYLE):
        figure = Figure(figsize=(7.0, 4.2))
        axes = figure.add_subplot()
        axes.set_xscale("log")
        axes.set_yscale("log")
        for number, (design, costs) in enumerate(designs.items()):
            if costs:
                _draw(axes, design, costs, number)
        ticks = sorted({cost.robots for costs in designs.values() for cost in costs})
        axes.minorticks_off()
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.set_yticks(_CORES, [f"{cores:g}" for cores in _CORES])
        axes.set_xlabel("robots, all driving; hollow: poses below 9.5 Hz")
        axes.set_ylabel("cores used by the driver")
        axes.legend(loc="upper left")
        save(figure, file)


def _draw(axes: Axes, design: str, costs: Sequence[Cost], number: int) -> None:
    colour, marker, power = _COLOURS[number], _MARKERS[number], exponent(costs)
    for cost in costs:
        face = colour if cost.has_kept_up else "white"
        axes.plot(cost.robots, cost.cores, marker, color=colour, markerfacecolor=face, zorder=3)
    label = design if math.isnan(power) else f"{design}: grows with the power {power:.2f} from 10 robots on"
    if math.isnan(power):
        axes.plot([], [], marker, color=colour, label=label)
        return
    _, factor = _fit(_fitted(costs))
    ends = np.array([_FITTED_FROM, max(cost.robots for cost in _fitted(costs))], dtype=float)
    axes.plot(ends, factor * ends**power, color=colour, linewidth=1.0, label=label)


def _fitted(costs: Sequence[Cost]) -> list[Cost]:
    return [cost for cost in costs if cost.has_kept_up and cost.robots >= _FITTED_FROM]


def _fit(costs: Sequence[Cost]) -> tuple[float, float]:
    """Return exponent and factor, by least squares of logarithms."""
    robots, cores = np.log([(cost.robots, cost.cores) for cost in costs]).T
    power, offset = np.polyfit(robots, cores, 1)
    return float(power), math.exp(offset)
