"""Aseba scripts (.aesl files): events in file order, constants, and the code for each kind of node."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from xml.parsers import expat

from aseba_link.errors import ScriptError
from aseba_link.wire.message import MAX_EVENT_ARGS

ANY_NODE_ID = 0  # node id of code without one
MAX_SCRIPT_SIZE = 0x20000  # bytes; ours has 10 000, and compiling a larger one would block the link


@dataclass(frozen=True, slots=True)
class EventDefinition:
    """An event of the script: its rank is its place in `Script.events`, `size` is in words."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class NodeCode:
    """The code for nodes called `name`, primarily for the one with id `node_id`; `first_line` is that in its file."""

    name: str
    node_id: int
    text: str
    first_line: int = 1


@dataclass(frozen=True, slots=True)
class Script:
    """The content of an .aesl file."""

    events: tuple[EventDefinition, ...]
    constants: Mapping[str, int]
    codes: tuple[NodeCode, ...]

    def code_for(self, node_name: str, node_id: int = ANY_NODE_ID) -> NodeCode | None:
        """Return the code for a name and id, else without an id, else with the lowest id, else None."""
        codes = [code for code in self.codes if code.name == node_name]
        for candidate_id in (node_id, ANY_NODE_ID):
            for code in codes:
                if code.node_id == candidate_id:
                    return code
        return min(codes, key=lambda code: code.node_id, default=None)

    def with_constants(self, overrides: Mapping[str, int]) -> "Script":
        """Return this script with some of its constants overridden.

        Raises
        ------
        ScriptError
            The script has no such constant, or a value does not fit 16 bits.
        """
        for name, value in overrides.items():
            if name not in self.constants:
                raise ScriptError(f"the script has no constant {name}{_nearest(name, self.constants)}")
            if not -0x8000 <= value <= 0x7FFF:
                raise ScriptError(f"constant {name}: {value} does not fit 16 bits")
        return replace(self, constants=MappingProxyType({**self.constants, **overrides}))


def parse_script(data: bytes, file_name: str) -> Script:
    """Return the script in the .aesl text `data`; `file_name` is for error messages only.

    Raises
    ------
    ScriptError
        The text is not an Aseba script; the message starts with `FILE:LINE:`.
    """
    return _ScriptReader(file_name).read(data)


class _ScriptReader:
    """Collects events, constants and codes while expat parses a file."""

    def __init__(self, file_name: str) -> None:
        self._file_name = file_name
        self._events: list[EventDefinition] = []
        self._constants: dict[str, int] = {}
        self._codes: list[NodeCode] = []
        self._open: list[str] = []
        self._text: list[str] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._entity

    def read(self, data: bytes) -> Script:
        """Return the script in `data`."""
        if len(data) > MAX_SCRIPT_SIZE:
            raise ScriptError(f"{self._file_name}: longer than the {MAX_SCRIPT_SIZE} bytes allowed for a script")
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            problem = f"{self._file_name}:{error.lineno}: not XML: {expat.ErrorString(error.code)}{_hint(data)}"
            raise ScriptError(problem) from error
        except ScriptError:
            raise
        except (LookupError, ValueError) as error:  # an encoding that Python does not know, or one of several bytes
            raise ScriptError(f"{self._file_name}: {error}") from error
        return Script(tuple(self._events), MappingProxyType(self._constants), tuple(self._codes))

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._open and tag != "network":
            raise self._error(f"the file starts with <{tag}>; an Aseba script starts with <network>")
        if self._open == ["network"]:
            self._start_item(tag, attributes)
        self._open.append(tag)

    def _start_item(self, tag: str, attributes: dict[str, str]) -> None:
        """Read an element below <network>; unknown ones, such as Studio's <keywords>, are irrelevant to nodes."""
        if tag == "event":
            self._add_event(attributes)
        elif tag == "constant":
            self._add_constant(attributes)
        elif tag == "node":
            name = self._attribute(tag, attributes, "name")
            node_id = self._node_id(attributes.get("nodeId", str(ANY_NODE_ID)))
            self._codes.append(NodeCode(name, node_id, "", self._parser.CurrentLineNumber))
            self._text = []

    def _add_event(self, attributes: dict[str, str]) -> None:
        name = self._attribute("event", attributes, "name")
        size = self._integer(f"size of event {name}", self._attribute("event", attributes, "size"), 0, MAX_EVENT_ARGS)
        if any(event.name == name for event in self._events):
            raise self._error(f"event {name} is defined twice")
        self._events.append(EventDefinition(name, size))

    def _add_constant(self, attributes: dict[str, str]) -> None:
        name = self._attribute("constant", attributes, "name")
        value = self._attribute("constant", attributes, "value")
        if name in self._constants:
            raise self._error(f"constant {name} is defined twice")
        self._constants[name] = self._integer(f"constant {name}", value, -0x8000, 0x7FFF)

    def _node_id(self, text: str) -> int:
        """Return a node id; for a UUID, which only Thymio Suite can resolve, `ANY_NODE_ID`."""
        if len(text.strip("{}")) == len("00000000-0000-0000-0000-000000000000"):
            return ANY_NODE_ID
        return self._integer("nodeId", text, 0, 0xFFFF)

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag == "node" and self._open == ["network"]:
            self._codes[-1] = replace(self._codes[-1], text="".join(self._text))

    def _characters(self, text: str) -> None:
        if self._open == ["network", "node"]:
            self._text.append(text)

    def _entity(self, name: str, *_: object) -> None:
        raise self._error(f"entity {name}: an Aseba script defines no entities")

    def _attribute(self, tag: str, attributes: dict[str, str], name: str) -> str:
        if not attributes.get(name):
            raise self._error(f"<{tag}> has no {name}")
        return attributes[name]

    def _integer(self, what: str, text: str, least: int, most: int) -> int:
        try:
            value = int(text)
        except ValueError:
            raise self._error(f"{what}: {text!r} is not a whole number") from None
        if not least <= value <= most:
            raise self._error(f"{what}: {value} is not in {least} to {most}")
        return value

    def _error(self, problem: str) -> ScriptError:
        return ScriptError(f"{self._file_name}:{self._parser.CurrentLineNumber}: {problem}")


def _nearest(name: str, known: Mapping[str, int]) -> str:
    matches = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
    return f"; did you mean {matches[0]}?" if matches else ""


def _hint(data: bytes) -> str:
    """Return what to do about a text that is not XML: code alone, or code with characters that XML reserves."""
    if not data.lstrip().startswith(b"<"):
        return '; write the code into <network><node name="thymio-II"> ... </node></network>'
    return "; in code, write &lt; for < and &amp; for &" if b"<node" in data else ""
