"""Draws docs/rooms.svg: the folders of our packages as rooms, on the floors defined in pyproject.toml.

The picture follows from the tree, from the contracts of import-linter and from tools/compiled.txt, so the same tree
always gives the same bytes. `python tools/draw_rooms.py` writes it; a test fails where it is stale.
"""

import ast
import runpy
import textwrap
import tomllib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

PICTURE: Final = "docs/rooms.svg"
GROUND: Final = "thymio_base"  # lies below all columns
# widths [px], left to right
COLUMNS: Final = {
    "aseba_link": 250,
    "fleet": 314,
    "experiments": 236,
    "simulator": 196,
    "body": 190,
    "conformance": 190,
}
LEGEND_COLUMN: Final = "experiments"  # has free space below its few rooms

MARGIN: Final = 14
WIDTH: Final = sum(COLUMNS.values()) + 2 * MARGIN  # of the picture; all lengths are pixels
GAP: Final = 12  # between columns
TOP: Final = 62  # height of the title
HEADER: Final = 50  # height of a package's name
TALL: Final = 40  # height of a room
HEAD: Final = 38  # height of the name of a room with several rooms inside it
INNER: Final = 36  # height of a room inside another one
INNER_LEAST: Final = 58  # least width of such a room, if several share their room
FLAT: Final = 22  # height of a single module
SPACE: Final = 8  # between rooms
INK: Final = "#263238"
FAINT: Final = "#607d8b"
LETTER: Final = 0.69  # the mean width of a bold letter, with some room around the word, as a share of its size
THIN_LETTER: Final = 0.62  # the same of other letters
FONT: Final = "DejaVu Sans, Verdana, Helvetica, sans-serif"


class Kind(Enum):
    """What the modules of a room may touch, with the colour of the room."""

    PURE = "#dcedc8"  # no clock, chance, socket, thread or ROS
    ROS = "#bbdefb"  # the edge: may import ROS, clocks and threads
    SYSTEM = "#ffe0b2"  # files, sockets and threads, but no ROS
    MODULE = "#ffffff"  # a single module at the root of its package


STRIPE: Final = "#558b2f"
LEGEND: Final = {
    Kind.PURE: "pure: no clock, chance, socket, thread",
    Kind.ROS: "the edge: may import ROS",
    Kind.SYSTEM: "files, sockets, threads; no ROS",
    Kind.MODULE: "one module, at the root",
}
RULES: Final = "A room may import the rooms on the floors below it. Rooms on one floor do not import each other."
NOTES: Final = (
    "A box in a box is a folder in a folder.",
    "fleet and simulator never import each other; aseba_link imports neither; body and conformance none of these.",
    "Every package may import thymio_base, which imports none; thymio_fleet, the public one, is above all.",
)


@dataclass(frozen=True, slots=True)
class Room:
    """A folder of the tree, or a single module at the root of its package.

    Parameters
    ----------
    name : as it is imported
    kind : what its modules may touch
    contract : the first sentence of its docstring
    modules : number of its modules, without those of inner rooms
    compiled : number of these that are compiled ahead of time
    inner : the rooms inside it
    """

    name: str
    kind: Kind
    contract: str
    modules: int
    compiled: int
    inner: tuple["Room", ...] = ()

    @property
    def package(self) -> str:
        """The package at the top."""
        return self.name.partition(".")[0]

    @property
    def label(self) -> str:
        """The name of its folder."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the picture."""

    x: float
    y: float
    width: float
    height: float

    def split(self, shares: Sequence[int], space: float) -> list["Box"]:
        """Return boxes side by side that fill this one, with widths in proportion to the shares."""
        unit = (self.width + space) / sum(shares)
        starts = [sum(shares[:index]) * unit for index in range(len(shares))]
        return [
            Box(self.x + start, self.y, share * unit - space, self.height)
            for start, share in zip(starts, shares, strict=True)
        ]


class Tree:
    """Reads rooms from a source tree.

    Parameters
    ----------
    root : the folder with pyproject.toml
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        text = (root / "pyproject.toml").read_text(encoding="utf-8")
        self.contracts: list[Mapping[str, Any]] = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
        self._compiled = set(runpy.run_path(str(root / "tools/compiled.py"))["compiled_modules"](root))
        self._pure = set(self._forbidding("socket")["source_modules"])
        ignored = self._forbidding("rclpy")["ignore_imports"]
        self._edge = {line.partition(" ")[0].removesuffix(".**") for line in ignored}

    def floors(self) -> list[list[Room]]:
        """Return the rooms of each floor, from the top, without those of the ground floor."""
        layers = next(contract["layers"] for contract in self.contracts if contract["type"] == "layers")
        rows = [[name.strip() for name in layer.split("|")] for layer in layers]
        return [[self.room(name) for name in row if not name.startswith(GROUND)] for row in rows]

    def room(self, name: str) -> Room:
        """Return a folder or a module by the name under which it is imported."""
        path = self._root / name.replace(".", "/")
        if not path.is_dir():
            file = path.with_suffix(".py")
            return Room(name, Kind.MODULE, _contract(file), 1, self._count_compiled([file]))
        files = modules(path)
        inner = tuple(self.room(f"{name}.{file.parent.name}") for file in sorted(path.glob("*/__init__.py")))
        contract = _contract(path / "__init__.py")
        return Room(name, self._kind(name), contract, len(files), self._count_compiled(files), inner)

    def modules_at_root(self, package: str) -> int:
        """Return how many modules stand at the root of a package."""
        return len(modules(self._root / package))

    def _forbidding(self, module: str) -> Mapping[str, Any]:
        return next(each for each in self.contracts if module in each.get("forbidden_modules", ()))

    def _kind(self, name: str) -> Kind:
        if any(name == edge or name.startswith(f"{edge}.") for edge in self._edge):
            return Kind.ROS
        is_pure = any(name == pure or name.startswith(f"{pure}.") for pure in self._pure)
        return Kind.PURE if is_pure else Kind.SYSTEM

    def _count_compiled(self, files: Iterable[Path]) -> int:
        return sum(file.relative_to(self._root).as_posix() in self._compiled for file in files)


def modules(folder: Path) -> list[Path]:
    """Return the modules of a folder, without `__init__`."""
    return sorted(path for path in folder.glob("*.py") if path.stem != "__init__")


def _contract(file: Path) -> str:
    """Return the first line of a module's docstring."""
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]


def picture(root: Path) -> str:
    """Return the picture of a source tree as the text of an SVG file."""
    tree = Tree(root)
    floors = tree.floors()
    heights = [_height_of(floor) for floor in floors]
    first_y = TOP + HEADER
    tops = [first_y + sum(heights[:index]) + index * SPACE for index in range(len(floors))]
    ground = Box(MARGIN + GAP / 2, tops[-1] + heights[-1] + 2 * SPACE, WIDTH - 2 * MARGIN - GAP, TALL + SPACE)
    height = ground.y + ground.height + MARGIN
    columns = Box(MARGIN, TOP, WIDTH - 2 * MARGIN, ground.y - SPACE - TOP).split(list(COLUMNS.values()), 0.0)
    lines = [*_title(tree)]
    storeys = list(zip(floors, tops, heights, strict=True))
    for package, column in zip(COLUMNS, columns, strict=True):
        place = Box(column.x + GAP / 2, column.y, column.width - GAP, column.height)
        lines += _tower(package, place, tree.modules_at_root(package))
        for floor, top, tall in storeys:
            rooms = [room for room in floor if room.package == package]
            lines += _floor(rooms, Box(place.x + SPACE, top, place.width - 2 * SPACE, tall))
        if package == LEGEND_COLUMN:
            y = max(top + tall for floor, top, tall in storeys if any(room.package == package for room in floor))
            lines += _legend(Box(place.x + SPACE, y + 4 * SPACE, place.width - 2 * SPACE, 0.0))
    lines += _room(tree.room(GROUND), ground)
    return _document(lines, height)


def _document(lines: Iterable[str], height: float) -> str:
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" '
        f'font-family="{FONT}" fill="{INK}">'
    )
    background = f'<rect width="{WIDTH}" height="{height:g}" fill="#ffffff"/>'
    return "\n".join([start, "<!-- made by tools/draw_rooms.py -->", background, *lines, "</svg>", ""])


def _title(tree: Tree) -> Iterator[str]:
    rooms = [room for floor in tree.floors() for room in floor if room.kind is not Kind.MODULE]
    subtitle = f"{len(rooms)} rooms on {len(tree.floors())} floors. {RULES}"
    yield _text("The rooms of thymio_fleet", MARGIN + GAP / 2, 28, 18, weight="bold")
    yield _text(subtitle, MARGIN + GAP / 2, 48, 12, FAINT)


def _tower(package: str, place: Box, at_root: int) -> Iterator[str]:
    """Yield the background of a package, with its name."""
    yield _rect(place, "#f5f7f8", "#cfd8dc")
    yield _text(f"{package}/", place.x + SPACE, place.y + 22, 14, weight="bold")
    yield _text(f"{_counted(at_root)} at its root", place.x + SPACE, place.y + 37, 10, FAINT)


def _height_of(floor: Sequence[Room]) -> float:
    """Return the height of a floor: that of its highest room."""
    height = FLAT
    for package, width in COLUMNS.items():
        rooms = [room for room in floor if room.package == package]
        for room, box in _beside_each_other(rooms, Box(0.0, 0.0, width - GAP - 2 * SPACE, 0.0)):
            height = max(height, _height(room, box.width))
    return height


def _height(room: Room, width: float) -> int:
    if room.kind is Kind.MODULE:
        return FLAT
    if len(room.inner) < 2:
        return TALL
    return HEAD + len(_rows(room, width)) * (INNER + SPACE // 2)


def _rows(room: Room, width: float) -> list[tuple[Room, ...]]:
    """Return the rooms inside of one, row by row."""
    count = max(1, int((width - SPACE) // (INNER_LEAST + SPACE // 2)))
    return [tuple(room.inner[first : first + count]) for first in range(0, len(room.inner), count)]


def _beside_each_other(rooms: Sequence[Room], place: Box) -> Iterator[tuple[Room, Box]]:
    """Yield the rooms of one package on one floor; those with rooms inside are twice as wide."""
    if rooms:
        yield from zip(rooms, place.split([2 if room.inner else 1 for room in rooms], SPACE), strict=True)


def _floor(rooms: Sequence[Room], place: Box) -> Iterator[str]:
    """Yield the rooms of one package on one floor, at its bottom."""
    for room, box in _beside_each_other(rooms, place):
        height = _height(room, box.width)
        yield from _room(room, Box(box.x, box.y + box.height - height, box.width, height))


def _room(room: Room, place: Box) -> Iterator[str]:
    own, inner = _divided(room, place)
    yield "<g>"
    yield f"<title>{escape(room.name)}: {escape(room.contract)}</title>"
    yield _rect(place, room.kind.value, "#90a4ae")
    if room.compiled:
        share = room.compiled / room.modules
        yield _stripe(own.x + 4, own.y + own.height - 5, share * (own.width - 8))
    middle = own.x + own.width / 2
    if room.kind is Kind.MODULE:
        yield _text(room.label, middle, own.y + 13.5, 11.5, anchor="middle")
    else:
        y, count = own.y + min(own.height, TALL) / 2, _counted(room.modules)
        size = min(12.0, own.width / (LETTER * len(room.label)))
        yield _text(room.label, middle, y - 3, size, anchor="middle", weight="bold")
        size = min(10.0, own.width / (THIN_LETTER * len(count)))
        yield _text(count, middle, y + 10, size, FAINT, anchor="middle")
    yield "</g>"
    for one, box in inner:
        yield from _room(one, box)


def _divided(room: Room, place: Box) -> tuple[Box, list[tuple[Room, Box]]]:
    """Return where a room's own name stands, and the places of the rooms inside it: beside the name, or below it."""
    if len(room.inner) < 2:
        own, *others = place.split([1] * (1 + len(room.inner)), SPACE)
        boxes = [Box(box.x + 2, box.y + 4, box.width - 6, box.height - 8) for box in others]
        return own, list(zip(room.inner, boxes, strict=True))
    inner = []
    gap = SPACE // 2
    for number, row in enumerate(_rows(room, place.width)):
        line = Box(place.x + gap, place.y + HEAD + number * (INNER + gap), place.width - 2 * gap, INNER)
        inner += list(zip(row, line.split([1] * len(row), gap), strict=True))
    return Box(place.x, place.y, place.width, HEAD), inner


def _legend(place: Box) -> Iterator[str]:
    """Yield the legend of colours and stripes, from the top of a place."""
    y = place.y
    for kind, text in LEGEND.items():
        yield _rect(Box(place.x, y, 22, 14), kind.value, "#90a4ae")
        y = yield from _paragraph(text, place.x + 30, y + 11)
    yield _stripe(place.x, y + 6, 22)
    y = yield from _paragraph("share of its modules that is compiled ahead of time", place.x + 30, y + 11)
    y += 2 * SPACE
    for note in NOTES:
        y = yield from _paragraph(note, place.x, y + 6, 30)


def _paragraph(text: str, x: float, y: float, columns: int = 26) -> Generator[str, None, float]:
    """Yield text in lines of at most `columns` letters; return the y of the next paragraph."""
    for line in textwrap.wrap(text, columns):
        yield _text(line, x, y, 10.5)
        y += 14
    return y + 2


def _counted(count: int) -> str:
    return f"{count} module" if count == 1 else f"{count} modules"


def _rect(place: Box, fill: str, stroke: str) -> str:
    return (
        f'<rect x="{place.x:.1f}" y="{place.y:.1f}" width="{place.width:.1f}" height="{place.height:.1f}" rx="4" '
        f'fill="{fill}" stroke="{stroke}"/>'
    )


def _stripe(x: float, y: float, width: float) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="3" rx="1.5" fill="{STRIPE}"/>'


def _text(
    text: str, x: float, y: float, size: float, fill: str = INK, *, anchor: str = "start", weight: str = "normal"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.3g}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(text)}</text>'
    )


if __name__ == "__main__":
    top = Path(__file__).parent.parent
    (top / PICTURE).write_text(picture(top), encoding="utf-8")
