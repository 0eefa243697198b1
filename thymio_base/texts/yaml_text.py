"""The only reader and writer of YAML: plain values mean what they look like, and no text can stall or end a program.

Numbers are decimal: 2e-2, 1e3, .5 and 5. are numbers too. What other readers take for a number in another base, with
underscores or in another script (010, 0x10, 1_0, 1:30), for a date or for any other type remains text, so that keys
for numbers refuse it. Keys of mappings are text as written. Only the tags of these values are accepted.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import yaml

from thymio_base.errors import TextError
from thymio_base.parts import Parts, finished
from thymio_base.texts.decimal_text import MAX_WHOLE
from thymio_base.texts.shortened import shortened

KeyPath = tuple[str | int, ...]

MAX_DEPTH: Final = 32  # nested lists and mappings
MAX_VALUES: Final = 300_000  # of a document, including repetitions by aliases; a thousand robots need a tenth
MAX_SIZE: Final = 1_000_000  # characters
_TAG: Final = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """The content of a text.

    Parameters
    ----------
    values : None, booleans, ints within 64 bits, floats, texts, lists and mappings
    lines : line of each key and item
    repeated : keys given more than once, each with the line of its first occurrence
    """

    values: Any
    lines: Mapping[KeyPath, int]
    repeated: tuple[tuple[KeyPath, int], ...]
    _text: str
    _root: yaml.Node | None

    def part(self, key_path: KeyPath) -> str | None:
        """Return the text of a part, at its original lines and columns; None if it was merged into its place (<<)."""
        node = self._root
        for key in key_path:
            node = None if node is None else _child(node, key)
        if node is None:
            return None
        start, end = node.start_mark, node.end_mark
        return "\n" * start.line + " " * start.column + self._text[start.index : end.index]


def read_yaml(text: str, *, may_have_aliases: bool = True, max_size: int = MAX_SIZE) -> YamlDocument:
    """Return the content of a text; an empty text is an empty mapping.

    Raises
    ------
    TextError
        It is not YAML, it is too large or too deep, or it has aliases that are not allowed.
    """
    return finished(yaml_in_parts(text, may_have_aliases=may_have_aliases, max_size=max_size))


def yaml_in_parts(text: str, *, may_have_aliases: bool = True, max_size: int = MAX_SIZE) -> Parts[YamlDocument]:
    """Read a text like `read_yaml`, in two parts."""
    if len(text) > max_size:
        raise TextError(f"has {len(text)} characters; {max_size} are allowed")
    if is_too_deep(text):
        raise TextError(_TOO_DEEP)
    try:
        root = _composed(text, may_have_aliases)
    except TextError:
        raise
    except yaml.YAMLError as error:
        raise _text_error(error) from error
    except RecursionError as error:
        raise TextError(_TOO_DEEP) from error
    except (
        ArithmeticError,
        LookupError,
        ValueError,
    ) as error:  # of the library: numbers of characters, versions
        raise TextError(f"{type(error).__name__}: {shortened(str(error))}") from error
    yield
    builder = _Builder()
    values = {} if root is None else builder.value(root, ())
    return YamlDocument(values, builder.lines, tuple(builder.repeated), text, root)


def yaml_values(text: str, *, may_have_aliases: bool = True, max_size: int = MAX_SIZE) -> Any:
    """Return the values in a text, like `read_yaml`; a key given twice also raises TextError."""
    document = read_yaml(text, may_have_aliases=may_have_aliases, max_size=max_size)
    for key_path, first_line in document.repeated:
        raise TextError(f"{key_path[-1]} is given twice, first on line {first_line}", document.lines[key_path])
    return document.values


def write_yaml(values: Any, *, sort_keys: bool = False, width: int = 80) -> str:
    """Return values as a text that `read_yaml` reads as the same values."""
    text: str = yaml.dump(values, Dumper=_Dumper, sort_keys=sort_keys, width=width, allow_unicode=True)
    return text


def is_too_deep(text: str) -> bool:
    """Return whether more than `MAX_DEPTH` brackets are nested: for each of them, the library examines all."""
    depth = 0
    for bracket in _BRACKETS.findall(text):
        depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
        if depth > MAX_DEPTH:
            return True
    return False


# Where libyaml differs: tags, complex keys, blocks of text, directives, several documents, tabs, rare line ends, byte
# order marks, and missing values within brackets.
_AMBIGUOUS: Final = re.compile(r"[!?|>%\t\r\x85\u2028\u2029\ufeff]|---|\.\.\.|:\s*[],}]")
_BRACKETS: Final = re.compile(r"[\[\]{}]")
_TOO_DEEP: Final = f"lists and mappings are nested more than {MAX_DEPTH} deep"
_NO_ALIASES: Final = "aliases (*name) are not accepted: with them a short text can be endless"
_BOOLEANS: Final = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}
_INT: Final = r"[-+]?(?:0|[1-9][0-9]{0,18})"
_FLOAT: Final = r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|(?:0|[1-9][0-9]*)(?=[eE]))(?:[eE][-+]?[0-9]{1,4})?"
_NO_FINITE: Final = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
_RESOLVED: Final = (  # types of plain texts, with the characters that they start with
    ("null", "~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", "|".join(f"{one}|{one.title()}|{one.upper()}" for one in _BOOLEANS), list("yntfoYNTFO")),
    ("int", _INT, list("-+0123456789")),
    ("float", f"{_FLOAT}|{_NO_FINITE}", list("-+.0123456789")),
    ("merge", "<<", ["<"]),
)


class _Composer(yaml.composer.Composer, yaml.resolver.BaseResolver):
    """Composes trees of a bounded depth from the events of any parser."""

    def __init__(self, parser: Any, may_have_aliases: bool) -> None:
        yaml.composer.Composer.__init__(self)
        yaml.resolver.BaseResolver.__init__(self)
        self.check_event = parser.check_event
        self.peek_event = parser.peek_event
        self.get_event = parser.get_event
        self._may_have_aliases = may_have_aliases
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next node."""
        event: Any = self.peek_event()
        if isinstance(event, yaml.AliasEvent) and not self._may_have_aliases:
            raise TextError(_NO_ALIASES, _line(event))
        self._depth += 1
        if self._depth > MAX_DEPTH + 1:
            raise TextError(_TOO_DEEP, _line(event))
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


class _Dumper(yaml.SafeDumper):
    """Puts texts into quotes if this or another reader would take them for something else."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True: a value that occurs twice is written twice."""
        return True

    def written_text(self, text: str) -> yaml.Node:
        """Return the node of a text; rare line ends are escaped, as they would otherwise be read as blanks."""
        style = '"' if _RARE_ENDS.search(text) else None
        node: yaml.Node = self.represent_scalar(f"{_TAG}str", text, style)
        return node


_RARE_ENDS: Final = re.compile(r"[\r\x85\u2028\u2029]")
_Dumper.add_representer(str, _Dumper.written_text)
for _name, _pattern, _first in _RESOLVED:
    for _class in (_Composer, _Dumper):
        _class.add_implicit_resolver(f"{_TAG}{_name}", re.compile(f"(?:{_pattern})\\Z"), _first)


def _composed(text: str, may_have_aliases: bool) -> yaml.Node | None:
    """Return the tree of a text.

    libyaml reads it, five times faster than the pure parser. The pure parser reads what libyaml may interpret
    differently, and what libyaml refuses, so that results and errors do not depend on whether libyaml is installed.
    """
    if yaml.__with_libyaml__ and not _AMBIGUOUS.search(text):
        with suppress(TextError, yaml.YAMLError, ArithmeticError, LookupError, ValueError, RecursionError):
            return _tree(yaml.CSafeLoader(text), may_have_aliases)
    return _tree(yaml.SafeLoader(text), may_have_aliases)


def _tree(parser: Any, may_have_aliases: bool) -> yaml.Node | None:
    try:
        node: yaml.Node | None = _Composer(parser, may_have_aliases).get_single_node()
        return node
    finally:
        parser.dispose()


class _Builder:
    """Builds the values of a tree, and records the lines of all keys."""

    def __init__(self) -> None:
        self.lines: dict[KeyPath, int] = {}
        self.repeated: list[tuple[KeyPath, int]] = []
        self._count = 0

    def value(self, node: yaml.Node, key_path: KeyPath) -> Any:
        """Return the value of a node; raises TextError if it is not acceptable."""
        self._count += 1
        if self._count > MAX_VALUES:
            raise TextError(f"has more than {MAX_VALUES} values, including those repeated by aliases")
        if len(key_path) > MAX_DEPTH:
            raise TextError("too deep, or an alias within itself", _line(node))
        self.lines.setdefault(key_path, _line(node))
        if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
            return self._mapping(node, key_path)
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.value(item, (*key_path, position)) for position, item in enumerate(node.value)]
        return _scalar(node)

    def _mapping(self, node: yaml.MappingNode, key_path: KeyPath) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = _key(key_node)
            child = (*key_path, key)
            if child in self.lines:
                self.repeated.append((child, self.lines[child]))
            self.lines[child] = _line(key_node)
            value = self.value(value_node, child)
            if key_node.tag == f"{_TAG}merge":
                merged = _merged(value, value_node)
            else:
                found[key] = value
        return {**merged, **found}


def _key(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise TextError("a key must be a text", _line(node))
    return str(node.value)


def _merged(value: Any, node: yaml.Node) -> dict[str, Any]:
    """Return the keys of one or several mappings; the first takes precedence."""
    mappings = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) for one in mappings):
        raise TextError("<< must be followed by one or several mappings", _line(node))
    return {key: one[key] for one in reversed(mappings) for key in one}


def _scalar(node: yaml.Node) -> Any:
    is_scalar = isinstance(node, yaml.ScalarNode)
    text = str(node.value) if is_scalar else ""
    match node.tag.removeprefix(_TAG), is_scalar:
        case "str" | "merge", True:
            return text
        case "null", True:
            return None
        case "bool", True if text.lower() in _BOOLEANS:
            return _BOOLEANS[text.lower()]
        case "int", True if re.fullmatch(_INT, text):
            return int(text) if abs(int(text)) <= MAX_WHOLE else text
        case "float", True if re.fullmatch(_FLOAT, text):
            return float(text)
        case "float", True if re.fullmatch(_NO_FINITE, text):
            return float(text.replace(".", ""))
    tag = node.tag.replace(_TAG, "!!")
    shown = repr(shortened(text)) if is_scalar else "a mapping" if isinstance(node, yaml.MappingNode) else "a list"
    raise TextError(f"{shown} with the tag {shortened(tag)} is not accepted", _line(node))


def _line(place: Any) -> int:
    line: int = place.start_mark.line
    return line + 1


def _child(node: yaml.Node, key: str | int) -> yaml.Node | None:
    if isinstance(key, int):
        item: yaml.Node = node.value[key]
        return item
    return next((value for name, value in node.value if name.value == key), None)


def _text_error(error: yaml.YAMLError) -> TextError:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return TextError(f"{error.problem}{_advice(error)}", error.problem_mark.line + 1)
    return TextError(str(error).splitlines()[0])


def _advice(error: yaml.MarkedYAMLError) -> str:
    """Return the cure for the most frequent mistakes."""
    if error.problem == "mapping values are not allowed here":
        return "; is a space missing after a colon?"
    return "; indent with spaces instead of tabs" if "'\\t'" in str(error.problem) else ""
