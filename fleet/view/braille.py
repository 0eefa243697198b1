"""Dot pictures in a terminal: every character is two dots wide and four high."""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from rich.text import Text

_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of Unicode's braille patterns, by row and column
_FIRST_PATTERN = 0x2800

Point = tuple[float, float]


class Canvas:
    """A window onto a plane, y upward; a character takes the style of its latest drawing.

    Parameters
    ----------
    columns, rows : size in characters
    bounds : x_min, y_min, x_max, y_max of the required view; both directions have the same scale
    """

    def __init__(self, columns: int, rows: int, bounds: tuple[float, float, float, float]) -> None:
        self._columns, self._rows = columns, rows
        x_min, y_min, x_max, y_max = bounds
        width, height = max(x_max - x_min, 1e-9), max(y_max - y_min, 1e-9)
        self._scale = min((2 * columns - 1) / width, (4 * rows - 1) / height)
        self._left, self._top = x_min, y_max
        self._dots = [[0] * columns for _ in range(rows)]
        self._styles = [[""] * columns for _ in range(rows)]
        self._letters: dict[tuple[int, int], str] = {}

    @property
    def width_m(self) -> float:
        """The width of the window, in the plane's units."""
        return 2 * self._columns / self._scale

    @property
    def characters_per_m(self) -> float:
        """Columns for each unit of the plane."""
        return 0.5 * self._scale

    def line(self, ends: Iterable[Point], style: str, *, closed: bool = False) -> None:
        """Draw a line through points."""
        dots = [self._dot(point) for point in ends]
        for start, end in pairwise([*dots, dots[0]] if closed else dots):
            self._stroke(start, end, style)

    def points(self, points: Iterable[Point], style: str) -> None:
        """Draw a dot at each point."""
        for point in points:
            self._set(*self._dot(point), style)

    def fill(self, corners: Sequence[Point], style: str, *, every: int = 1) -> None:
        """Fill a polygon with every `every`-th dot in both directions."""
        dots = [self._dot(point) for point in corners]
        for y in range(min(y for _, y in dots), max(y for _, y in dots) + 1):
            crossings = _crossings(dots, y)
            for start, end in zip(crossings[::2], crossings[1::2], strict=False):
                for x in range(start, end + 1):
                    if x % every == 0 and y % every == 0:
                        self._set(x, y, style)

    def label(self, point: Point, text: str, style: str, *, is_centered: bool = False) -> None:
        """Write a text rightward from a point, or centred on it, moved left if it would end outside."""
        x, y = self._dot(point)
        row = min(max(y // 4, 0), self._rows - 1)
        start = x // 2 - (len(text) - 1) // 2 if is_centered else x // 2
        column = max(min(start, self._columns - len(text)), 0)
        for offset, letter in enumerate(text[: self._columns - column]):
            self._letters[row, column + offset] = letter
            self._styles[row][column + offset] = style

    def text(self) -> Text:
        """Return the picture as lines of text, down to the last row with a dot."""
        lines = []
        used = max((row for row in range(self._rows) if any(self._dots[row])), default=0)
        for row in range(used + 1):
            line = Text(no_wrap=True)
            for style, columns in groupby(range(self._columns), key=self._styles[row].__getitem__):
                line.append("".join(self._character(row, column) for column in columns), style or None)
            lines.append(line)
        return Text("\n", no_wrap=True).join(lines)

    def _character(self, row: int, column: int) -> str:
        dots = self._dots[row][column]
        return self._letters.get((row, column), chr(_FIRST_PATTERN + dots) if dots else " ")

    def _dot(self, point: Point) -> tuple[int, int]:
        return round((point[0] - self._left) * self._scale), round((self._top - point[1]) * self._scale)

    def _stroke(self, start: tuple[int, int], end: tuple[int, int], style: str) -> None:
        count = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
        for step in range(count + 1):
            share = step / count
            x, y = (round(one + share * (other - one)) for one, other in zip(start, end, strict=True))
            self._set(x, y, style)

    def _set(self, x: int, y: int, style: str) -> None:
        if 0 <= x < 2 * self._columns and 0 <= y < 4 * self._rows:
            self._dots[y // 4][x // 2] |= _BITS[y % 4][x % 2]
            self._styles[y // 4][x // 2] = style


def _crossings(dots: Sequence[tuple[int, int]], y: int) -> list[int]:
    """Return where a row of dots enters and leaves a polygon, from the left."""
    found = []
    for (x1, y1), (x2, y2) in pairwise([*dots, dots[0]]):
        if min(y1, y2) <= y < max(y1, y2):  # a corner counts once
            found.append(round(x1 + (y - y1) / (y2 - y1) * (x2 - x1)))
    return sorted(found)
