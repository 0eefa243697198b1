"""A figure together with the data that it shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A figure; `titles` and `rows` are the table of its data."""

    figure: Figure
    titles: tuple[str, ...]
    rows: Sequence[Row]
