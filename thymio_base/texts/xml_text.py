"""The only reader of XML: returns tags with line numbers; refuses entities, since they can be endless."""

import re
from dataclasses import dataclass, field
from typing import Final
from xml.etree import ElementTree
from xml.parsers import expat

from thymio_base.errors import TextError
from thymio_base.texts.shortened import shortened

_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_DECLARATION: Final = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]+)")
_LATE_DECLARATION: Final = re.compile(rb"\A(\xef\xbb\xbf)?([ \t\r\n]+)(<\?xml\s[^>]*\?>)")  # after blank lines
MAX_DEPTH: Final = 32  # nested elements
MAX_SIZE: Final = 16_000_000  # bytes; descriptions of large robots have a few million


@dataclass(slots=True)
class XmlTag:
    """An element.

    Parameters
    ----------
    name : name of the element
    attributes : by name
    line : line where it begins, from 1
    children : elements directly below it, in order
    text : text directly below it, outside its children
    """

    name: str
    attributes: dict[str, str]
    line: int
    children: "list[XmlTag]" = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> "list[XmlTag]":
        """Return the children of that name."""
        return [child for child in self.children if child.name == name]

    def first(self, name: str) -> "XmlTag | None":
        """Return the first child of that name."""
        return next(iter(self.all(name)), None)


def read_xml(data: bytes) -> XmlTag:
    """Return the outermost tag of a document.

    Raises
    ------
    TextError
        It is not XML, declares entities, or is too large or too deep.
    """
    if len(data) > MAX_SIZE:
        raise TextError(f"has {len(data)} bytes; {MAX_SIZE} are allowed")
    return _TagBuilder().read(_LATE_DECLARATION.sub(rb"\1\3\2", data))


def xml_element(text: str) -> ElementTree.Element:
    """Return the outermost element of a document, for editing; raises like `read_xml`."""
    data = text.encode()
    read_xml(data)
    return ElementTree.fromstring(_LATE_DECLARATION.sub(rb"\1\3\2", data))


class _TagBuilder:
    """Builds tags from the events of a parser."""

    def __init__(self) -> None:
        self._root: Final = XmlTag("", {}, 0)
        self._open: Final = [self._root]
        self._texts: Final[list[list[str]]] = [[]]  # of the open tags
        self._parser: Final = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._refuse_entity

    def read(self, data: bytes) -> XmlTag:
        """Return the element that encloses all others."""
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            _check_encoding(data)
            raise TextError(f"not XML: {expat.ErrorString(error.code)}", error.lineno) from error
        except TextError:
            raise
        except (LookupError, ValueError) as error:  # an encoding that is unknown to Python, or a multi-byte encoding
            raise TextError(f"not XML: {error}") from error
        return self._root.children[0]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = XmlTag(name, attributes, self._parser.CurrentLineNumber)
        if len(self._open) > MAX_DEPTH:
            raise TextError(f"elements are nested more than {MAX_DEPTH} deep", tag.line)
        self._open[-1].children.append(tag)
        self._open.append(tag)
        self._texts.append([])

    def _characters(self, text: str) -> None:
        self._texts[-1].append(text)

    def _end(self, _: str) -> None:
        self._open.pop().text = "".join(self._texts.pop())

    def _refuse_entity(self, name: str, *_: object) -> None:
        line = self._parser.CurrentLineNumber
        raise TextError(f"the entity {shortened(name)} is declared; entities are refused, write its text", line)


def _check_encoding(data: bytes) -> None:
    """Raise TextError if a document that declares UTF-8, or no encoding, is not in UTF-8."""
    declared = _DECLARATION.match(data)
    encoding = "utf-8" if declared is None else declared[1].decode()
    if data.startswith(_UTF_16) or encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        text = f"not UTF-8: the byte {data[error.start]:#04x} is invalid; save the file as UTF-8, or declare"
        line = data.count(b"\n", 0, error.start) + 1
        advice = 'its encoding at the start, such as <?xml version="1.0" encoding="ISO-8859-1"?>'
        raise TextError(f"{text} {advice}", line) from error
