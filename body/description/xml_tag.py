"""Reads XML into tags that know their lines; entities are refused."""

from dataclasses import dataclass, field
from xml.parsers import expat

from body.errors import DescriptionError


@dataclass(frozen=True, slots=True)
class XmlTag:
    """One element.

    Parameters
    ----------
    name : of the element
    attributes : by name
    line : where it begins, from 1
    children : elements directly below it, in order
    """

    name: str
    attributes: dict[str, str]
    line: int
    children: "list[XmlTag]" = field(default_factory=list)

    def all(self, name: str) -> "list[XmlTag]":
        """Return the children of that name."""
        return [child for child in self.children if child.name == name]

    def first(self, name: str) -> "XmlTag | None":
        """Return the first child of that name."""
        return next(iter(self.all(name)), None)


class _TagBuilder:
    """Builds tags from the events of a parser."""

    def __init__(self) -> None:
        self.root = XmlTag("", {}, 0)
        self._open = [self.root]
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse_entity

    def read(self, text: str) -> XmlTag:
        """Return the element that encloses all others."""
        self._parser.Parse(text.encode(), True)
        return self.root.children[0]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = XmlTag(name, attributes, self._parser.CurrentLineNumber)
        self._open[-1].children.append(tag)
        self._open.append(tag)

    def _end(self, _: str) -> None:
        self._open.pop()

    def _refuse_entity(self, name: str, *_: object) -> None:
        line = self._parser.CurrentLineNumber
        raise DescriptionError([f"line {line}: the entity {name} is declared; entities are refused, write its text"])


def read_xml(text: str) -> XmlTag:
    """Return the outermost tag of a document.

    Raises
    ------
    DescriptionError
        The text is no XML, or declares entities.
    """
    try:
        return _TagBuilder().read(text)
    except expat.ExpatError as error:
        raise DescriptionError([f"line {error.lineno}: this is no XML: {expat.ErrorString(error.code)}"]) from error
