"""Checks a YAML settings file against its JSON Schema and reports all problems at once, each with path and line.

The schema is the one place that defines a key's meaning, unit, range and default. Two kinds of checks go beyond it, and
run even if the schema finds problems:

- a `Check` of the document's `values`, in which whatever has a problem is missing as a whole;
- a check of its `parts`, in which only the invalid values themselves are missing, so that an invalid key does not hide
  the problems of the keys beside it.
"""

import contextlib
import copy
import difflib
import math
import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from thymio_base.errors import SettingsError

KeyPath = tuple[str | int, ...]
Problem = tuple[KeyPath, str]  # where, and what is wrong there
Check = Callable[[dict[str, Any]], Iterator[Problem]]

MAX_DEPTH = 32  # of brackets: for each of them, the reader looks at all that are open
MAX_SIZE_BYTES = 1_000_000  # of a settings file: a fleet of a thousand robots has a tenth of that


@dataclass(frozen=True, slots=True)
class SettingsDocument:
    """Settings as far as they fit their schema.

    Parameters
    ----------
    source : starts each line about a problem; the name of a file
    values : with the schema's defaults for missing keys; top-level objects with a problem are replaced by their
        defaults, and items of top-level arrays by None
    parts : the same, with None for each invalid value only; items of arrays may lack required keys
    lines : of each key, as far as known
    problems : what does not fit
    """

    source: str
    values: dict[str, Any]
    parts: dict[str, Any]
    lines: Mapping[KeyPath, int]
    problems: tuple[Problem, ...]

    def listed(self, further: Iterable[Problem] = ()) -> list[str]:
        """Return all problems, and further ones, with source and line, in the order of the lines."""
        return self.located([*self.problems, *further])

    def located(self, problems: Iterable[Problem]) -> list[str]:
        """Return problems with source and line, in the order of the lines."""
        ordered = sorted(problems, key=lambda problem: _line(self.lines, problem[0]))
        return [_problem(self.source, self.lines, *problem) for problem in ordered]

    def examined(self, check: Check | None = None, parts_check: Check | None = None) -> "SettingsDocument":
        """Return the document with the problems that the checks of its values and its parts find as well."""
        found = [*(check(self.values) if check else ()), *(parts_check(self.parts) if parts_check else ())]
        return replace(self, problems=(*self.problems, *found))

    def checked(self) -> dict[str, Any]:
        """Return the values; raise SettingsError if there are problems."""
        if self.problems:
            raise SettingsError(self.source, self.listed())
        return self.values


def load_settings(
    path: Path,
    schema: Mapping[str, Any],
    check: Check | None = None,
    text: str | None = None,
    parts_check: Check | None = None,
) -> dict[str, Any]:
    """Return the settings in the file at `path`, or in a part of it that is passed as `text`, as `read_settings` does.

    Raises
    ------
    SettingsError
        The file cannot be read, or `read_settings` raises it.
    """
    return read_settings(load_text(path) if text is None else text, str(path), schema, check, parts_check)


def load_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a file; raise SettingsError if it cannot be read, or is larger than `MAX_SIZE_BYTES`."""
    try:
        return load_bytes(path).decode(encoding)
    except UnicodeDecodeError as error:
        raise SettingsError(str(path), [f"{path}: {_reason(error)}"]) from error


def load_bytes(path: Path) -> bytes:
    """Return the content of a file; raise SettingsError if it cannot be read, or is larger than `MAX_SIZE_BYTES`."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_SIZE_BYTES + 1)
            size_bytes = max(os.fstat(file.fileno()).st_size, len(content))
    except OSError as error:
        raise SettingsError(str(path), [f"{path}: {_reason(error)}"]) from error
    if len(content) > MAX_SIZE_BYTES:
        problem = f"{path}: has {size_bytes} bytes; a settings file may have at most {MAX_SIZE_BYTES}"
        raise SettingsError(str(path), [problem])
    return content


def read_settings(
    text: str,
    source: str,
    schema: Mapping[str, Any],
    check: Check | None = None,
    parts_check: Check | None = None,
) -> dict[str, Any]:
    """Return the settings in a YAML text, with the schema's defaults for missing keys.

    The checks yield problems that the schema cannot detect, such as values that contradict each other; see the top of
    this module.

    Raises
    ------
    SettingsError
        The text is not YAML, or does not fit the schema or a check; all problems are listed, each with `source` and
        line.
    """
    return read_document(text, source, schema).examined(check, parts_check).checked()


def read_document(text: str, source: str, schema: Mapping[str, Any]) -> SettingsDocument:
    """Return the settings in a YAML text, with what does not fit the schema.

    Raises
    ------
    SettingsError
        The text is not YAML.
    """
    if is_too_deep(text):
        raise SettingsError(source, [f"{source}: not YAML: more than {MAX_DEPTH} brackets are open at one place"])
    lines: dict[KeyPath, int] = {}
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        problems = list(_index(root, (), lines))
        values = _construct(root)
    except yaml.YAMLError as error:
        raise SettingsError(source, [_yaml_problem(source, error)]) from error
    except RecursionError as error:
        raise SettingsError(source, [f"{source}: not YAML: too deep, or an alias within itself"]) from error
    except ValueError as error:  # an impossible date; too many aliases
        raise SettingsError(source, [f"{source}: not YAML: {error}"]) from error
    return fit_document(source, values, schema, lines=lines, problems=problems)


def repeats(values: Iterable[Hashable]) -> Iterator[tuple[int, int]]:
    """Yield the index of each value that has occurred before, and that of its first occurrence; None is skipped."""
    first: dict[Hashable, int] = {}
    for index, value in enumerate(values):
        if value is not None and first.setdefault(value, index) != index:
            yield index, first[value]


def is_too_deep(text: str) -> bool:
    """Whether more than `MAX_DEPTH` brackets are open at one place of a text."""
    depth = 0
    for character in text:
        if character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif character in "]}":
            depth = max(0, depth - 1)
    return False


def fit_document(
    source: str,
    values: Any,
    schema: Mapping[str, Any],
    *,
    lines: Mapping[KeyPath, int],
    problems: Iterable[Problem],
) -> SettingsDocument:
    """Return settings that were read from `source`, in any format, with what does not fit the schema.

    `lines` holds the line of each key, as far as known, and `problems` what was found while reading.
    """
    problems = list(problems)
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(values))
    infinite = list(_non_finite(values, ()))
    found = (*problems, *infinite, *(problem for error in errors for problem in _explain(error)))
    invalid = {key_path for key_path, _ in (*problems, *infinite)}.union(*map(_invalid, errors))
    sound: dict[str, Any] = _with_defaults(_without(values, {key_path[:2] for key_path, _ in found}, schema), schema)
    parts: dict[str, Any] = _with_defaults(_blanked(values, invalid, schema), schema)
    return SettingsDocument(source, sound, parts, lines, found)


def check_values(source: str, values: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Check settings from another source, and return them with the schema's defaults for missing keys.

    Raises
    ------
    SettingsError
        The settings do not fit the schema; all problems are listed, each starting with `source`.
    """
    problems = [f"{source}: {_dotted(key_path)}: {message}" for key_path, message in _violations(values, schema)]
    if problems:
        raise SettingsError(source, problems)
    sound: dict[str, Any] = _with_defaults(dict(values), schema)
    return sound


def _violations(values: Any, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what does not fit the schema."""
    yield from _non_finite(values, ())
    for violation in jsonschema.Draft202012Validator(schema).iter_errors(values):
        yield from _explain(violation)


def _without(values: Any, bad: set[KeyPath], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without the top-level entries that have problems; in arrays, only the bad items become None."""
    sound = _empty_lists(schema)
    for key, value in values.items() if isinstance(values, dict) else ():
        if isinstance(value, list) and (key,) not in bad:
            sound[key] = [None if (key, index) in bad else item for index, item in enumerate(value)]
        elif not any(key_path[:1] == (key,) for key_path in bad):
            sound[key] = value
    return sound


def _empty_lists(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an empty list for each top-level array without a default."""
    parts = schema["properties"].items()
    return {key: [] for key, part in parts if part.get("type") == "array" and "default" not in part}


def _invalid(error: jsonschema.ValidationError) -> Iterator[KeyPath]:
    """Yield the values to leave out for a violation; None for an item of an array that only lacks a key."""
    key_path: KeyPath = tuple(error.absolute_path)
    is_item = bool(key_path) and isinstance(key_path[-1], int)
    if error.validator == "additionalProperties":
        yield from (where for where, _ in _explain(error))
    elif error.validator != "required" or not is_item:
        yield key_path


def _blanked(values: Any, invalid: set[KeyPath], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with None for each invalid one below the top level; invalid top-level entries are missing."""
    sound = _empty_lists(schema)
    for key, value in values.items() if isinstance(values, dict) else ():
        if (key,) not in invalid:
            sound[key] = _with_blanks(value, (key,), invalid)
    return sound


def _with_blanks(value: Any, key_path: KeyPath, invalid: set[KeyPath]) -> Any:
    if key_path in invalid:
        return None
    if isinstance(value, dict):
        return {key: _with_blanks(item, (*key_path, str(key)), invalid) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_blanks(item, (*key_path, position), invalid) for position, item in enumerate(value)]
    return value


def _reason(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"not UTF-8 text ({error.reason} at byte {error.start})"


def _yaml_problem(source: str, error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"{source}:{error.problem_mark.line + 1}: not YAML: {error.problem}{_yaml_advice(error)}"
    return f"{source}: not YAML: {error}"


def _yaml_advice(error: yaml.MarkedYAMLError) -> str:
    """Return what to do about the most frequent mistakes in YAML."""
    if error.problem == "mapping values are not allowed here":
        return "; is a blank missing after a colon?"
    return "; indent with blanks instead of tabs" if "'\\t'" in str(error.problem) else ""


def _construct(root: yaml.Node | None) -> Any:
    """Return plain Python values of a YAML tree; an empty file is an empty mapping."""
    if root is None:
        return {}
    constructor = yaml.SafeLoader("")
    try:
        return constructor.construct_document(root)
    finally:
        constructor.dispose()


def _index(node: yaml.Node | None, key_path: KeyPath, lines: dict[KeyPath, int]) -> Iterator[Problem]:
    """Note the line of every key below `node`; yield the duplicate keys."""
    if node is None:
        return
    if len(lines) > MAX_SIZE_BYTES:  # no file has so many of its own
        raise ValueError(f"its aliases repeat more than {MAX_SIZE_BYTES} values")
    lines.setdefault(key_path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            child = (*key_path, str(key.value))
            first = lines.get(child)
            lines[child] = key.start_mark.line + 1
            if first is not None:
                yield child, f"is given twice, first on line {first}"
            yield from _index(value, child, lines)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            yield from _index(value, (*key_path, position), lines)


def _non_finite(value: Any, key_path: KeyPath) -> Iterator[Problem]:
    """Yield the numbers that are infinite or NaN; ranges of JSON Schema accept NaN."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _non_finite(item, (*key_path, str(key)))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _non_finite(item, (*key_path, position))
    elif isinstance(value, float) and not math.isfinite(value):
        yield key_path, f"{value} is not a finite number"


def _explain(error: jsonschema.ValidationError) -> Iterator[Problem]:
    """Yield problems in plain words; unknown keys are reported one by one, each with the nearest known name."""
    key_path: KeyPath = tuple(error.absolute_path)
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(schema.get("properties", {}))
        for key in error.instance:
            if key not in known:
                yield (*key_path, str(key)), f"unknown key{_nearest(str(key), known)}"
    elif error.validator == "required" and isinstance(error.instance, dict):
        # jsonschema reports each missing key on its own; the key is the first word of the message
        yield key_path, f"key {error.message.split(' ')[0]} is missing"
    elif error.validator == "enum":
        known = [str(value) for value in schema.get("enum", ())]
        yield key_path, f"{error.instance!r} is unknown{_nearest(str(error.instance), known)}"
    elif error.validator in {"anyOf", "oneOf", "pattern"}:
        expected = schema.get("description", "see the documentation of this key")
        yield key_path, f"{error.instance!r} does not fit: {expected}"
    elif error.validator == "type":
        yield key_path, _type_problem(error.instance, schema) or error.message
    else:
        yield key_path, error.message


def _type_problem(value: Any, schema: Mapping[str, Any]) -> str:
    """Return what to write instead of a value of a wrong type, "" if that is not known."""
    degrees = re.fullmatch(r"(-?[\d.]+) *(?:deg|°)", value) if isinstance(value, str) else None
    if degrees and schema.get("type") == "number":
        with contextlib.suppress(ValueError):
            return f"{value!r} is not a number: angles are in radians, {math.radians(float(degrees.group(1))):.5g}"
    names = list(schema.get("properties", {}))
    if schema.get("type") == "object" and isinstance(value, list) and 0 < len(value) <= len(names):
        keys = ", ".join(f"{name}: {item}" for name, item in zip(names, value, strict=False))
        return f"{value} has no keys: write {{ {keys} }}"
    return ""


def _nearest(key: str, known: list[str]) -> str:
    with_unit = [name for name in known if name.startswith(f"{key}_")]
    matches = with_unit or difflib.get_close_matches(key, known, n=1)
    return f", did you mean {matches[0]!r}?" if matches else f"; known: {', '.join(sorted(known))}"


def _line(lines: Mapping[KeyPath, int], key_path: KeyPath) -> int:
    while key_path and key_path not in lines:
        key_path = key_path[:-1]
    return lines.get(key_path, 1)


def _problem(source: str, lines: Mapping[KeyPath, int], key_path: KeyPath, message: str) -> str:
    where = f"{source}:{_line(lines, key_path)}:"
    return f"{where} {_dotted(key_path)}: {message}" if key_path else f"{where} {message}"


def _dotted(key_path: KeyPath) -> str:
    text = ""
    for part in key_path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _with_defaults(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return `value` with the schema's defaults for absent keys; a default may itself lack keys."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        filled = dict(value)
        for key, subschema in properties.items():
            if key in filled:
                filled[key] = _with_defaults(filled[key], subschema)
            elif "default" in subschema:
                filled[key] = _with_defaults(copy.deepcopy(subschema["default"]), subschema)
        others = schema.get("additionalProperties")
        if isinstance(others, Mapping):
            filled |= {key: _with_defaults(filled[key], others) for key in filled.keys() - properties.keys()}
        return filled
    if isinstance(value, list):
        return [_with_defaults(item, schema.get("items", {})) for item in value]
    return value
