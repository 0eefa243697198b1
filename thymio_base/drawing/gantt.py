"""A Gantt chart: what each robot did when, and when it waited for others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from thymio_base.palette import INK, LIGHT_GROUND, QUIET, Tone

_WIDTH_IN: Final = 9.0
_ROW_IN, _AROUND_IN = 0.26, 0.75  # of a robot; of axis and legend together
_BAR, _FACE_ALPHA = 0.72, 0.3  # share of a row's height; opacity of a bar
_POINTS, _LETTER_IN = 6.5, 0.051
_LETTERS_MIN: Final = 3  # fewer letters say nothing
_DOTS_PER_INCH = 150
_LEAST_S = 10.0  # length of the axis
_WAITING: Final = "waiting for others"
_BY_ITSELF: Final = "standing by itself"  # an idle robot that still does something, such as charging
_STYLE: Final[dict[Any, Any]] = {  # equal runs give equal files
    "svg.hashsalt": "thymio_fleet",
    "font.family": "DejaVu Sans",
    "hatch.linewidth": 0.6,
    "figure.constrained_layout.use": True,
}


@dataclass(slots=True)
class GanttBar:
    """A period [s] in which a robot did one thing; `words` say what, `tone` how urgent it is."""

    begin_s: float
    end_s: float
    words: str
    tone: Tone


class Gantt:
    """Collects what robots do and draws it.

    Parameters
    ----------
    robot_ids : rows, from top to bottom
    stations_m : positions by station name; the names replace coordinates (x.xx, y.yy) in texts

    Attributes
    ----------
    work, waits : what robots did and when they waited for others, in order of time; `words` is "" in between
    """

    def __init__(self, robot_ids: Sequence[int], stations_m: Mapping[str, tuple[float, float]]) -> None:
        self._names = {f"({x_m:.2f}, {y_m:.2f})": name for name, (x_m, y_m) in stations_m.items()}
        self.work: dict[int, list[GanttBar]] = {robot_id: [] for robot_id in robot_ids}
        self.waits: dict[int, list[GanttBar]] = {robot_id: [] for robot_id in robot_ids}

    def note(self, time_s: float, robot_id: int, words: str, tone: Tone, *, is_waiting: bool) -> None:
        """Record what a robot does at a time [s]; "" means nothing. Times must not decrease."""
        for place, name in self._names.items():
            words = words.replace(place, name)
        _extend(self.work[robot_id], time_s, words, tone)
        _extend(self.waits[robot_id], time_s, _WAITING if is_waiting else "", Tone.WARNING)

    def save(self, file: Path) -> None:
        """Save the chart as SVG, PNG or PDF, depending on the file's extension.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        metadata = {"Date": None} if file.suffix.lower() == ".svg" else {"Software": None}
        with rc_context(_STYLE):
            figure = Figure(figsize=(_WIDTH_IN, _AROUND_IN + _ROW_IN * len(self.work)), facecolor=LIGHT_GROUND)
            FigureCanvasAgg(figure)
            self._draw(figure.add_subplot())
            figure.savefig(file, dpi=_DOTS_PER_INCH, metadata=metadata)

    def _draw(self, axes: Axes) -> None:
        spans = [span for row in self.work.values() for span in row]
        from_s = min((span.begin_s for span in spans), default=0.0)
        until_s = max((*(span.end_s for span in spans), from_s + _LEAST_S))
        letter_s = _LETTER_IN / _WIDTH_IN * (until_s - from_s)
        for row, robot_id in enumerate(self.work):
            for span in self.work[robot_id]:
                _draw_bar(axes, row, span, letter_s)
            waits = [(span.begin_s, span.end_s - span.begin_s) for span in self.waits[robot_id] if span.words]
            axes.broken_barh(waits, (row - _BAR / 2, _BAR), facecolor="none", edgecolor=INK, linewidth=0, hatch="////")
        axes.set_yticks(range(len(self.work)), [str(robot_id) for robot_id in self.work], fontsize=8)
        axes.set_ylim(len(self.work) - 0.5, -0.5)
        axes.set_xlim(from_s, until_s)
        axes.tick_params(length=0, labelsize=8, colors=QUIET)
        axes.set_xlabel("time [s]", fontsize=8, color=QUIET)
        axes.set_ylabel("robot", fontsize=8, color=QUIET)
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        for spine in axes.spines.values():
            spine.set_visible(False)
        self._draw_legend(axes)

    def _draw_legend(self, axes: Axes) -> None:
        tones = {span.tone for row in self.work.values() for span in row if span.words}
        handles = [
            Patch(facecolor=tone.light, alpha=_FACE_ALPHA, label=_BY_ITSELF if tone is Tone.IDLE else tone.label)
            for tone in Tone
            if tone in tones
        ]
        if any(span.words for row in self.waits.values() for span in row):
            handles.append(Patch(facecolor="none", edgecolor=INK, linewidth=0, hatch="////", label=_WAITING))
        if handles:
            axes.legend(
                handles=handles,
                fontsize=7,
                ncols=len(handles),
                frameon=False,
                loc="lower right",
                bbox_to_anchor=(1.0, 1.0),
            )


def _extend(spans: list[GanttBar], time_s: float, words: str, tone: Tone) -> None:
    """Extend the last span to a time; start a new span if the robot does something else from then on."""
    if spans:
        spans[-1].end_s = time_s
    if not spans or (spans[-1].words, spans[-1].tone) != (words, tone):
        spans.append(GanttBar(time_s, time_s, words, tone))


def _draw_bar(axes: Axes, row: int, span: GanttBar, letter_s: float) -> None:
    """Draw what a robot did, with as much of its text as fits."""
    length_s = span.end_s - span.begin_s
    if not span.words or length_s <= 0.0:
        return
    box = (row - _BAR / 2, _BAR)
    axes.broken_barh([(span.begin_s, length_s)], box, facecolor=span.tone.light, alpha=_FACE_ALPHA, linewidth=0)
    axes.vlines(span.begin_s, row - _BAR / 2, row + _BAR / 2, color=span.tone.light, linewidth=1.2)
    room = int(length_s / letter_s) - 1
    text = span.words if len(span.words) <= room else f"{span.words[: room - 1]}…" if room > _LETTERS_MIN else ""
    axes.text(span.begin_s + letter_s, row, text, fontsize=_POINTS, color=INK, va="center")
