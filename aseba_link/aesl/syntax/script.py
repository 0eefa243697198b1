"""Aseba scripts: .aesl files with events in order, constants, and code for each kind of node; or code without XML."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from aseba_link.errors import ScriptError
from aseba_link.wire.message import MAX_EVENT_ARGS
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import whole_number
from thymio_base.texts.xml_text import XmlTag, read_xml

ANY_NODE_ID = 0  # node id of code without one
MAX_SCRIPT_SIZE = 0x20000  # bytes; ours has 10 000, and compiling a larger script would block the link


@dataclass(frozen=True, slots=True)
class EventDefinition:
    """An event of the script; its rank is its index in `Script.events`, `size` is in words."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class NodeCode:
    """The code for nodes called `name`, preferably with id `node_id`; it starts at `first_line` of its file."""

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
        """Return the code for a name and id, else without an id, else with the lowest id, else None.

        Code without a name is for all nodes that have no code of their own.
        """
        codes = [code for code in self.codes if code.name == node_name]
        codes = codes or [code for code in self.codes if not code.name]
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
    """Collects events, constants and codes from the tags of a file."""

    def __init__(self, file_name: str) -> None:
        self._file_name = file_name
        self._events: list[EventDefinition] = []
        self._constants: dict[str, int] = {}
        self._codes: list[NodeCode] = []

    def read(self, data: bytes) -> Script:
        """Return the script in `data`."""
        if len(data) > MAX_SCRIPT_SIZE:
            raise ScriptError(f"{self._file_name}: longer than the {MAX_SCRIPT_SIZE} bytes allowed for a script")
        if data.strip() and not data.lstrip().startswith((b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
            return Script((), MappingProxyType({}), (NodeCode("", ANY_NODE_ID, self._text(data)),))
        try:
            root = read_xml(data)
        except TextError as error:
            where = self._file_name if error.line is None else f"{self._file_name}:{error.line}"
            hint = "; in code, write &lt; for < and &amp; for &" if b"<node" in data else ""
            hint = "" if error.problem.startswith("not UTF-8") else hint
            raise ScriptError(f"{where}: {error.problem}{hint}") from error
        if root.name != "network":
            raise self._error(root, f"the file starts with <{root.name}>; an Aseba script starts with <network>")
        for tag in root.children:
            self._read_item(tag)
        return Script(tuple(self._events), MappingProxyType(self._constants), tuple(self._codes))

    def _text(self, data: bytes) -> str:
        """Return code that is not wrapped in XML."""
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise ScriptError(f"{self._file_name}:{line}: not UTF-8: save the file in this encoding") from error
        if "\0" in text:
            raise ScriptError(f"{self._file_name}: it is not text")
        return text.replace("\r\n", "\n")

    def _read_item(self, tag: XmlTag) -> None:
        """Read an element below <network>; unknown elements, such as Studio's <keywords>, are irrelevant to nodes."""
        if tag.name == "event":
            self._add_event(tag)
        elif tag.name == "constant":
            self._add_constant(tag)
        elif tag.name == "node":
            name = tag.attributes.get("name", "")  # VPL leaves it out
            node_id = self._node_id(tag, tag.attributes.get("nodeId", str(ANY_NODE_ID)))
            self._codes.append(NodeCode(name, node_id, tag.text, tag.line))

    def _add_event(self, tag: XmlTag) -> None:
        name = self._attribute(tag, "name")
        written = tag.attributes.get("size") or "0"  # like Studio when it reads old files
        size = self._integer(tag, f"size of event {name}", written, 0, MAX_EVENT_ARGS)
        if any(event.name == name for event in self._events):
            raise self._error(tag, f"event {name} is defined twice")
        self._events.append(EventDefinition(name, size))

    def _add_constant(self, tag: XmlTag) -> None:
        name = self._attribute(tag, "name")
        value = self._attribute(tag, "value")
        if name in self._constants:
            raise self._error(tag, f"constant {name} is defined twice")
        self._constants[name] = self._integer(tag, f"constant {name}", value, -0x8000, 0x7FFF)

    def _node_id(self, tag: XmlTag, text: str) -> int:
        """Return a node id; `ANY_NODE_ID` for a UUID, which only Thymio Suite can resolve."""
        if len(text.strip("{}")) == len("00000000-0000-0000-0000-000000000000"):
            return ANY_NODE_ID
        return self._integer(tag, "nodeId", text, 0, 0xFFFF)

    def _attribute(self, tag: XmlTag, name: str) -> str:
        if not tag.attributes.get(name):
            raise self._error(tag, f"<{tag.name}> has no {name}")
        return tag.attributes[name]

    def _integer(self, tag: XmlTag, what: str, text: str, least: int, most: int) -> int:
        try:
            return whole_number(text, least, most)
        except TextError as error:
            raise self._error(tag, f"{what}: {error.problem}") from None

    def _error(self, tag: XmlTag, problem: str) -> ScriptError:
        return ScriptError(f"{self._file_name}:{tag.line}: {problem}")


def _nearest(name: str, known: Mapping[str, int]) -> str:
    matches = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
    return f"; did you mean {matches[0]}?" if matches else ""
