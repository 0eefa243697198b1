"""Reads worlds of the Aseba playground and Thymio Suite: XML in centimetres, converted to values of a world.yaml.

All robots join one network on the first robot's port; duplicate node ids are replaced. Elements that are not simulated
(doors, feeders, e-pucks...) are left out and noted; so are unknown elements, unless they look misspelled.
"""

import difflib
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.entities import name2codepoint
from pathlib import PurePath
from typing import Any

from thymio_base.errors import TextError
from thymio_base.settings_file import Problem
from thymio_base.texts.decimal_text import real_number
from thymio_base.texts.shortened import shortened
from thymio_base.texts.xml_text import XmlTag, read_xml
from thymio_base.texts.yaml_text import KeyPath

_CM, _GRAM = 0.01, 0.001
_DEFAULT_PORT = 33333
_MAX_NODE_ID = 65535
_NOT_NEEDED = {"author", "thanks", "description", "camera", "externalLink"}  # not about the world itself
_NOT_SIMULATED = {"door", "activation", "area", "feeder", "process", "networks", "e-puck"}
_ROBOTS = {"robot", "thymio2"}
_KNOWN_ELEMENTS = {"world", "color", "wall", "cylinder"} | _ROBOTS | _NOT_NEEDED | _NOT_SIMULATED
_ROOT = "aseba-playground"
_PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".gif"}
_NAMED_CHARACTER = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_DESCRIPTION = re.compile(rb"<description\b[^>]*(?<!/)>.*?</description\s*>", re.DOTALL)
_OF_XML = {"amp", "lt", "gt", "quot", "apos"}


@dataclass(slots=True)
class Playground:
    """The content of a file: the values of a world.yaml, their lines, problems, and notes on omitted elements."""

    values: dict[str, Any] = field(default_factory=lambda: {"robots": []})
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # each starts with its line number


def read_playground(data: bytes) -> Playground:
    """Return the content of a .playground file; errors in it become `problems`.

    Raises
    ------
    TextError
        The file is not XML, or not a playground.
    """
    playground = Playground()
    root = _root(_NAMED_CHARACTER.sub(_numbered, data), playground.notes)
    if root.name != _ROOT:
        raise TextError(f"the root element is <{shortened(root.name)}>; that of a playground is <{_ROOT}>", root.line)
    _Reader(playground).read(root)
    _make_node_ids_unique(playground)
    return playground


def _root(data: bytes, notes: list[str]) -> XmlTag:
    """Return the root element; if the file is not XML, without its descriptions, which people write as HTML."""
    try:
        return read_xml(data)
    except TextError as error:
        root = read_xml(_DESCRIPTION.sub(_blank_lines, data))
        notes.append(f"{error.line}: <description> is left out: {error.problem}")
        return root


def _blank_lines(found: re.Match[bytes]) -> bytes:
    return b"\n" * found[0].count(b"\n")


def _numbered(found: re.Match[bytes]) -> bytes:
    """Return a character that has a name in HTML, such as &ndash;, as a number, which XML understands."""
    name = found[1].decode()
    number = None if name in _OF_XML else name2codepoint.get(name)
    return found[0] if number is None else b"&#%d;" % number


@dataclass(frozen=True, slots=True)
class _Element:
    """An element with its attributes, line, and problems."""

    name: str
    attributes: Mapping[str, str]
    line: int
    problems: list[str]

    def number(self, name: str, default: float | None = None) -> float:
        """Return an attribute or its default; if there is no number, report a problem and return 0."""
        text = self.attributes.get(name)
        if text is None:
            if default is None:
                self.problems.append(f"attribute {name} is missing")
            return default or 0.0
        try:
            return real_number(text)
        except TextError as error:
            self.problems.append(f"{name}={error.problem}")
            return 0.0

    def metres(self, name: str) -> float:
        """Return a length, converted from the file's centimetres."""
        return round(self.number(name) * _CM, 9)

    def whole(self, name: str, default: int) -> int:
        """Return an integer attribute."""
        value = self.number(name, default)
        if value != round(value):
            self.problems.append(f"{name}={value:g} is not a whole number")
        return round(value)


class _Reader:
    """Fills a `Playground` from the elements of a file."""

    def __init__(self, playground: Playground) -> None:
        self._playground = playground
        self._counts: Counter[str] = Counter()
        self._grays: dict[str, float] = {}  # by the name of a colour

    def read(self, root: XmlTag) -> None:
        """Read all elements."""
        for tag in root.children:
            problems: list[str] = []
            self._read_element(_Element(tag.name, tag.attributes, tag.line, problems))
            key: KeyPath = (tag.name, self._counts[tag.name])
            self._counts[tag.name] += 1
            if problems:
                self._playground.lines[key] = tag.line
            self._playground.problems += [(key, problem) for problem in problems]

    def _read_element(self, element: _Element) -> None:
        match element.name:
            case "world":
                self._read_world(element)
            case "color":
                self._read_colour(element)
            case "wall":
                self._read_wall(element)
            case "cylinder":
                self._read_cylinder(element)
            case name if name in _ROBOTS:
                self._read_robot(element)
            case name if name in _NOT_SIMULATED:
                self._note(element, f"<{name}> is not simulated")
            case name if name not in _KNOWN_ELEMENTS:
                self._read_unknown(element)

    def _read_unknown(self, element: _Element) -> None:
        nearest = difflib.get_close_matches(shortened(element.name), sorted(_KNOWN_ELEMENTS), n=1)
        if nearest:
            element.problems.append(f"unknown element, did you mean <{nearest[0]}>?")
        else:
            self._note(element, f"<{shortened(element.name)}> is unknown, and left out")

    def _read_world(self, element: _Element) -> None:
        values = self._playground.values
        values["arena"] = {"width_m": element.metres("w"), "height_m": element.metres("h")}
        self._playground.lines[("arena",)] = element.line
        picture = element.attributes.get("groundTexture")
        if picture and PurePath(picture).suffix.lower() not in _PICTURES:
            self._note(element, f"groundTexture {picture!r} is not a PNG, JPEG, BMP or GIF, and is not shown")
        elif picture:
            self._playground.lines[("ground_image",)] = element.line
            values["ground_image"] = {"file": picture}

    def _read_colour(self, element: _Element) -> None:
        """Record the gray of a colour: its luma by ITU-R BT.601."""
        red, green, blue = (min(max(element.number(name, 0.0), 0.0), 1.0) for name in "rgb")
        self._grays[element.attributes.get("name", "")] = round(0.299 * red + 0.587 * green + 0.114 * blue, 3)

    def _read_wall(self, element: _Element) -> None:
        """Convert a fixed box to its four sides, and a movable box to an object."""
        x_m, y_m, angle_rad = element.metres("x"), element.metres("y"), element.number("angle", 0.0)
        sizes_m = element.metres("l1"), element.metres("l2")
        if element.number("mass", -1.0) >= 0.0:
            box = {"shape": "box", "heading_rad": angle_rad, "length_m": sizes_m[0], "width_m": sizes_m[1]}
            self._add(element, "objects", {**box, **self._object_values(element)})
            return
        corners = [_corner(x_m, y_m, angle_rad, along * sizes_m[0], across * sizes_m[1]) for along, across in _CORNERS]
        for (x1_m, y1_m), (x2_m, y2_m) in zip(corners, [*corners[1:], corners[0]], strict=True):
            self._add(element, "walls", {"x1_m": x1_m, "y1_m": y1_m, "x2_m": x2_m, "y2_m": y2_m})

    def _read_cylinder(self, element: _Element) -> None:
        self._add(
            element, "objects", {"shape": "cylinder", "radius_m": element.metres("r"), **self._object_values(element)}
        )

    def _object_values(self, element: _Element) -> dict[str, Any]:
        """Return the values common to boxes and cylinders; masses are in grams, and missing for fixed bodies."""
        values: dict[str, Any] = {"x_m": element.metres("x"), "y_m": element.metres("y")}
        mass_g = element.number("mass", -1.0)
        values["movable"] = mass_g >= 0.0
        if mass_g >= 0.0:
            values["mass_kg"] = round(mass_g * _GRAM, 9)
        if "h" in element.attributes:
            values["height_m"] = element.metres("h")
        colour = element.attributes.get("color", "")
        if colour in self._grays:
            values["gray"] = self._grays[colour]
        return values

    def _read_robot(self, element: _Element) -> None:
        kind = element.attributes.get("type", "thymio2")
        if element.name == "robot" and kind != "thymio2":
            self._note(element, f"<robot> of type {kind!r} is not simulated")
            return
        values = self._playground.values
        port = element.whole("port", _DEFAULT_PORT + len(values["robots"]))
        if "network" not in values:
            self._playground.lines[("network",)] = element.line
        network = values.setdefault("network", {"port": port})
        if port != network["port"]:
            self._note(element, f"<{element.name}> is reached on port {network['port']}, like the first, not {port}")
        robot = {
            "node_id": element.whole("nodeId", 1),
            "x_m": element.metres("x"),
            "y_m": element.metres("y"),
            "heading_rad": element.number("angle", 0.0),
        }
        self._add(element, "robots", robot)

    def _add(self, element: _Element, section: str, value: dict[str, Any]) -> None:
        items = self._playground.values.setdefault(section, [])
        self._playground.lines[(section, len(items))] = element.line
        items.append(value)

    def _note(self, element: _Element, text: str) -> None:
        self._playground.notes.append(f"{element.line}: {text}")


_CORNERS = ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))


def _corner(x_m: float, y_m: float, angle_rad: float, along_m: float, across_m: float) -> tuple[float, float]:
    cosine, sine = math.cos(angle_rad), math.sin(angle_rad)
    return round(x_m + cosine * along_m - sine * across_m, 9), round(y_m + sine * along_m + cosine * across_m, 9)


def _make_node_ids_unique(playground: Playground) -> None:
    """Assign new node ids to robots whose node id belongs to an earlier robot."""
    taken: set[int] = set()
    robots = playground.values["robots"]
    requested = {robot["node_id"] for robot in robots}
    for index, robot in enumerate(robots):
        if robot["node_id"] in taken:
            free = next(number for number in range(1, _MAX_NODE_ID) if number not in requested)
            line = playground.lines[("robots", index)]
            playground.notes.append(
                f"{line}: nodeId {robot['node_id']} is taken by an earlier robot; this one has {free}"
            )
            robot["node_id"] = free
            requested.add(free)
        taken.add(robot["node_id"])
