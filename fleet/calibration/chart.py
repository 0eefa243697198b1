"""The content of a chart: points and lines over two axes; `chart_figure` draws it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Series:
    """Points, or a line through them; series of one colour belong together, and an empty name needs no legend."""

    name: str
    colour: int
    xs: Sequence[float]
    ys: Sequence[float]
    is_line: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """One pair of axes; the labels name the units."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
