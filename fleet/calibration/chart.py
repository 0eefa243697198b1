"""Charts as SVG: points and lines over two axes, stacked in one picture; plain text, no library."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

COLOURS = ("#c0392b", "#1f77b4", "#2ca02c", "#9467bd", "#e08e0b", "#17a2b8", "#6c757d")

_WIDTH, _HEIGHT = 720, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 160, 36, 52
_TICKS = 5


@dataclass(frozen=True, slots=True)
class Series:
    """Points, or a line through them; `colour` cycles through `COLOURS`, the name "" needs no legend."""

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


@dataclass(frozen=True, slots=True)
class _Axis:
    """Maps values to pixels."""

    low: float
    high: float
    begin_px: float
    end_px: float

    def px(self, value: float) -> float:
        """Return the pixel of a value."""
        return self.begin_px + (value - self.low) / (self.high - self.low) * (self.end_px - self.begin_px)

    def ticks(self) -> list[float]:
        """Return round values within the axis."""
        step = _round_step((self.high - self.low) / _TICKS)
        return [step * index for index in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def draw(charts: Sequence[Chart]) -> str:
    """Return an SVG document with the charts one below the other."""
    height = _HEIGHT * len(charts)
    body = "\n".join(
        f'<g transform="translate(0 {_HEIGHT * index})">\n{_chart(chart)}\n</g>' for index, chart in enumerate(charts)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )


def _chart(chart: Chart) -> str:
    across = _axis([x for series in chart.series for x in series.xs], _LEFT, _WIDTH - _RIGHT)
    up = _axis([y for series in chart.series for y in series.ys], _HEIGHT - _BOTTOM, _TOP)
    middle = 0.5 * (_LEFT + _WIDTH - _RIGHT)
    parts = [
        f'<text x="{middle}" y="20" text-anchor="middle" font-size="14">{escape(chart.title)}</text>',
        f'<text x="{middle}" y="{_HEIGHT - 12}" text-anchor="middle">{escape(chart.x_label)}</text>',
        f'<text transform="translate(18 {0.5 * (_TOP + _HEIGHT - _BOTTOM)}) rotate(-90)" text-anchor="middle">'
        f"{escape(chart.y_label)}</text>",
        *(_vertical(across.px(tick), f"{tick:g}") for tick in across.ticks()),
        *(_horizontal(up.px(tick), f"{tick:g}") for tick in up.ticks()),
    ]
    for series in sorted(chart.series, key=lambda series: series.is_line):
        parts.append(_marks(series, across, up))
    parts += [_legend(series, row) for row, series in enumerate(s for s in chart.series if s.name)]
    return "\n".join(parts)


def _axis(values: Sequence[float], begin_px: float, end_px: float) -> _Axis:
    low, high = min(values, default=0.0), max(values, default=1.0)
    margin = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    return _Axis(low - margin, high + margin, begin_px, end_px)


def _round_step(step: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least `step`."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= step * (1.0 - 1e-9))


def _vertical(x_px: float, text: str) -> str:
    return (
        f'<line x1="{x_px:.1f}" x2="{x_px:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" stroke="#ddd"/>'
        f'<text x="{x_px:.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{text}</text>'
    )


def _horizontal(y_px: float, text: str) -> str:
    return (
        f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y_px:.1f}" y2="{y_px:.1f}" stroke="#ddd"/>'
        f'<text x="{_LEFT - 6}" y="{y_px + 4:.1f}" text-anchor="end">{text}</text>'
    )


def _marks(series: Series, across: _Axis, up: _Axis) -> str:
    colour = COLOURS[series.colour % len(COLOURS)]
    points = [(across.px(x), up.px(y)) for x, y in zip(series.xs, series.ys, strict=True)]
    if series.is_line:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    return "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}" fill-opacity="0.6"/>' for x, y in points)


def _legend(series: Series, row: int) -> str:
    y_px = _TOP + 8 + 18 * row
    colour = COLOURS[series.colour % len(COLOURS)]
    return (
        f'<rect x="{_WIDTH - _RIGHT + 14}" y="{y_px - 8}" width="10" height="10" fill="{colour}"/>'
        f'<text x="{_WIDTH - _RIGHT + 30}" y="{y_px + 1}">{escape(series.name)}</text>'
    )
