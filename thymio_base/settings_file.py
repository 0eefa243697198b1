"""Checks a YAML settings file against its JSON Schema and reports all problems at once, each with path and line.

The schema is the only place that defines a key's meaning, unit, range and default. Two kinds of checks go beyond it,
and run even if the schema finds problems:

- a `Check` of the document's `values`, from which entries with a problem are missing entirely;
- a check of its `parts`, from which only the invalid values themselves are missing, so that an invalid key does not
  hide the problems of the keys beside it.
"""

import contextlib
import difflib
import math
import re
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import jsonschema

from thymio_base.errors import SettingsError, TextError
from thymio_base.number_text import count_text
from thymio_base.parts import Parts, finished
from thymio_base.texts.decimal_text import number_advice, real_number
from thymio_base.texts.schema_values import completed, violations
from thymio_base.texts.shortened import shortened
from thymio_base.texts.user_file import read_start
from thymio_base.texts.yaml_text import KeyPath, yaml_in_parts

Problem = tuple[KeyPath, str]  # place and description
Check = Callable[[dict[str, Any]], Iterator[Problem]]
LongCheck = Callable[[dict[str, Any]], Parts[list[Problem]]]

MAX_SIZE_BYTES = 1_000_000  # a fleet of a thousand robots needs a tenth of that
_MAX_PROBLEMS = 100  # listed at once
_LONGEST_KEY = 80  # characters


@dataclass(frozen=True, slots=True)
class SettingsDocument:
    """Settings, as far as they fit their schema.

    Parameters
    ----------
    source : begins each line about a problem; the name of a file
    values : with the schema's defaults for missing keys; top-level objects with a problem are replaced by their
        defaults, and items of top-level arrays by None
    lines : line of each key, as far as known
    problems : everything that does not fit
    make_parts : returns `parts`
    """

    source: str
    values: dict[str, Any]
    lines: Mapping[KeyPath, int]
    problems: tuple[Problem, ...]
    make_parts: Callable[[], dict[str, Any]]

    @property
    def parts(self) -> dict[str, Any]:
        """The values, with None in place of each invalid value; items of arrays may lack required keys."""
        return self.make_parts()

    def listed(self, further: Iterable[Problem] = ()) -> list[str]:
        """Return all problems, and further ones, with source and line, in the order of the lines."""
        return self.located([*self.problems, *further])

    def located(self, problems: Iterable[Problem]) -> list[str]:
        """Return problems with source and line, in the order of the lines."""
        ordered = sorted(problems, key=lambda problem: _line(self.lines, problem[0]))
        return [_problem(self.source, self.lines, *problem) for problem in ordered]

    def examined(self, check: Check | None = None, parts_check: Check | None = None) -> "SettingsDocument":
        """Return the document with the additional problems found by checks of its values and its parts."""
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
    """Return the settings in the file at `path`, or in `text`, a part of it, like `read_settings`.

    Raises
    ------
    SettingsError
        The file cannot be read, or `read_settings` raises it.
    """
    return read_settings(load_text(path) if text is None else text, str(path), schema, check, parts_check)


def load_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a file; raises SettingsError if it cannot be read or exceeds `MAX_SIZE_BYTES`."""
    try:
        return load_bytes(path).decode(encoding)
    except UnicodeDecodeError as error:
        raise SettingsError(str(path), [f"{path}: {_reason(error)}"]) from error


def load_bytes(path: Path, most_bytes: int = MAX_SIZE_BYTES) -> bytes:
    """Return the content of a file; raises SettingsError if it cannot be read or exceeds `most_bytes`."""
    try:
        content = read_start(path, most_bytes + 1)
    except OSError as error:
        raise SettingsError(str(path), [f"{path}: {_reason(error)}"]) from error
    if len(content) > most_bytes:
        problem = f"{path}: has {_size(path, content)} bytes; a settings file may have at most {most_bytes}"
        raise SettingsError(str(path), [problem])
    return content


def _size(path: Path, start: bytes) -> int:
    """Return the size of a file that is longer than its read start; devices report no size."""
    with contextlib.suppress(OSError):
        return max(path.stat().st_size, len(start))
    return len(start)


def read_settings(
    text: str,
    source: str,
    schema: Mapping[str, Any],
    check: Check | None = None,
    parts_check: Check | None = None,
    *,
    may_have_aliases: bool = True,
) -> dict[str, Any]:
    """Return the settings in a YAML text, with the schema's defaults for missing keys.

    The checks yield problems that the schema cannot detect, such as contradictory values; see the top of this module.

    Raises
    ------
    SettingsError
        The text is not YAML, or does not fit the schema or a check; all problems are listed, each with `source` and
        line.
    """
    document = read_document(text, source, schema, may_have_aliases=may_have_aliases)
    return document.examined(check, parts_check).checked()


def settings_in_parts(
    text: str, source: str, schema: Mapping[str, Any], check: LongCheck, *, may_have_aliases: bool
) -> Parts[dict[str, Any]]:
    """Read settings like `read_settings`, in five parts plus those of the check."""
    document = yield from _document_in_parts(text, source, schema, may_have_aliases)
    yield
    found = yield from check(document.values)
    return replace(document, problems=(*document.problems, *found)).checked()


def read_document(
    text: str, source: str, schema: Mapping[str, Any], *, may_have_aliases: bool = True
) -> SettingsDocument:
    """Return the settings in a YAML text, with everything that does not fit the schema.

    Raises
    ------
    SettingsError
        The text is not YAML, or has so many problems that only the first are listed.
    """
    return finished(_document_in_parts(text, source, schema, may_have_aliases))


def _document_in_parts(
    text: str, source: str, schema: Mapping[str, Any], may_have_aliases: bool
) -> Parts[SettingsDocument]:
    try:
        document = yield from yaml_in_parts(text, may_have_aliases=may_have_aliases)
    except TextError as error:
        where = source if error.line is None else f"{source}:{error.line}"
        raise SettingsError(source, [f"{where}: not YAML: {error.problem}"]) from error
    yield
    problems = [(key_path, f"is given twice, first on line {line}") for key_path, line in document.repeated]
    return (yield from _fitted(source, document.values, schema, document.lines, problems))


def repeats(values: Iterable[Hashable]) -> Iterator[tuple[int, int]]:
    """Yield the index of each value that occurred before, and that of its first occurrence; None is skipped."""
    first: dict[Hashable, int] = {}
    for index, value in enumerate(values):
        if value is not None and first.setdefault(value, index) != index:
            yield index, first[value]


def fit_document(
    source: str,
    values: Any,
    schema: Mapping[str, Any],
    *,
    lines: Mapping[KeyPath, int],
    problems: Iterable[Problem],
) -> SettingsDocument:
    """Return settings read from `source`, in any format, with everything that does not fit the schema.

    `lines` holds the line of each key, as far as known; `problems` holds what was found while reading.

    Raises
    ------
    SettingsError
        There are so many problems that only the first are listed.
    """
    return finished(_fitted(source, values, schema, lines, problems))


def _fitted(
    source: str, values: Any, schema: Mapping[str, Any], lines: Mapping[KeyPath, int], problems: Iterable[Problem]
) -> Parts[SettingsDocument]:
    """Fit a document like `fit_document`, in two parts."""
    infinite = dict(_non_finite(values, ()))
    errors = list(islice(_finite_violations(values, schema, infinite), _MAX_PROBLEMS + 1))
    first = [*problems, *infinite.items()]
    found = (*first, *islice((problem for error in errors for problem in _explain(error)), _MAX_PROBLEMS + 1))
    if len(found) > _MAX_PROBLEMS:
        listed = [_problem(source, lines, *problem) for problem in found[:_MAX_PROBLEMS]]
        raise SettingsError(source, [*listed, f"{source}: more than {_MAX_PROBLEMS} problems; these are the first"])
    yield
    invalid = {key_path for key_path, _ in first}.union(*map(_invalid, errors))
    sound: dict[str, Any] = completed(_without(values, {key_path[:2] for key_path, _ in found}, schema), schema)

    def make_parts() -> dict[str, Any]:
        parts: dict[str, Any] = completed(_blanked(values, invalid, schema), schema)
        return parts

    return SettingsDocument(source, sound, lines, found, make_parts)


def check_values(source: str, values: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Check settings from another source; return them with the schema's defaults for missing keys.

    Raises
    ------
    SettingsError
        The settings do not fit the schema; all problems are listed, each starting with `source`.
    """
    sound, found = fitted_values(dict(values), schema)
    if found:
        raise SettingsError(source, [f"{source}: {dotted(key_path)}: {message}" for key_path, message in found])
    settings: dict[str, Any] = sound
    return settings


def fitted_values(values: Any, schema: Mapping[str, Any]) -> tuple[Any, list[Problem]]:
    """Return values with the schema's defaults for missing keys, and the first problems if they do not fit."""
    infinite = dict(_non_finite(values, ()))
    errors = _finite_violations(values, schema, infinite)
    found = islice((problem for error in errors for problem in _explain(error)), _MAX_PROBLEMS)
    problems = [*infinite.items(), *found][:_MAX_PROBLEMS]
    return values if problems else completed(values, schema), problems


def _finite_violations(
    values: Any, schema: Mapping[str, Any], infinite: Container[KeyPath]
) -> Iterator[jsonschema.ValidationError]:
    """Yield violations of the schema, except infinite numbers and NaN, which are problems already."""
    return (error for error in violations(values, schema) if tuple(error.absolute_path) not in infinite)


def _without(values: Any, bad: set[KeyPath], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without top-level entries that have problems; in arrays, only the bad items become None."""
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
    """Yield the values to leave out for a violation; none if an item of an array only lacks a key."""
    key_path: KeyPath = tuple(error.absolute_path)
    is_item = bool(key_path) and isinstance(key_path[-1], int)
    if error.validator == "additionalProperties":
        yield from (where for where, _ in _explain(error))
    elif error.validator != "required" or not is_item:
        yield key_path


def _blanked(values: Any, invalid: set[KeyPath], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without invalid top-level entries, and with None for invalid values further down."""
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


def _non_finite(value: Any, key_path: KeyPath) -> Iterator[Problem]:
    """Yield numbers that are infinite or NaN; ranges of JSON Schema accept NaN."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _non_finite(item, (*key_path, str(key)))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _non_finite(item, (*key_path, position))
    elif isinstance(value, float) and not math.isfinite(value):
        yield key_path, f"{value} is not a finite number"


def _explain(error: jsonschema.ValidationError) -> Iterator[Problem]:
    """Yield problems in plain words; unknown keys are reported individually, with the nearest known name."""
    key_path: KeyPath = tuple(error.absolute_path)
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(schema.get("properties", {}))
        for key in error.instance:
            if key not in known:
                yield (*key_path, str(key)), f"unknown key{_nearest(str(key), known)}"
    elif error.validator == "anyOf" and (branch := _meant_branch(error)):
        for inner in branch:
            yield from _explain(inner)
    else:
        yield key_path, _explanation(error, schema)


def _meant_branch(error: jsonschema.ValidationError) -> list[jsonschema.ValidationError]:
    """Return why the intended branch of an `anyOf` does not fit; the value's constants, type or keys choose it."""
    by_branch: dict[object, list[jsonschema.ValidationError]] = {}
    for inner in error.context or ():
        by_branch.setdefault(inner.schema_path[0], []).append(inner)
    of_type = {number: found for number, found in by_branch.items() if not any(map(_is_about_type, found))}
    meant = {number: found for number, found in of_type.items() if not any(one.validator == "const" for one in found)}
    whole = {} if len(meant) < len(of_type) else _without_lacks(of_type)
    chosen = next((group for group in (meant, of_type, whole) if len(group) == 1), {})
    return next(iter(chosen.values()), [])


def _without_lacks(branches: Mapping[object, list[Any]]) -> dict[object, list[Any]]:
    """Return the branches whose required keys the value has."""
    return {number: found for number, found in branches.items() if not any(map(_lacks_key, found))}


def _lacks_key(inner: jsonschema.ValidationError) -> bool:
    """Return whether the value as a whole lacks a key that a branch requires."""
    return inner.validator == "required" and len(inner.schema_path) == 2  # the branch, and the keyword


def _is_about_type(inner: jsonschema.ValidationError) -> bool:
    """Return whether the value as a whole has a different type than a branch."""
    return inner.validator == "type" and len(inner.schema_path) == 2  # the branch, and the keyword


def _explanation(error: jsonschema.ValidationError, schema: Mapping[str, Any]) -> str:
    shown = shortened(repr(error.instance))
    if error.validator == "required" and isinstance(error.instance, dict):
        # jsonschema reports each missing key separately; the key is the first word of the message
        return f"key {error.message.split(' ')[0]} is missing"
    if error.validator == "enum":
        known = [str(value) for value in schema.get("enum", ())]
        return f"{shown} is unknown{_nearest(str(error.instance), known)}"
    if error.validator in {"anyOf", "pattern"}:
        return f"{shown} does not fit: {schema.get('description', 'see the documentation of this key')}"
    if error.validator in _SIZES and isinstance(error.instance, str | list) and error.instance:
        noun, limit = _SIZES[error.validator]
        return f"{shown} has {count_text(len(error.instance), noun)}; {limit} {error.validator_value}"
    found = _type_problem(error.instance, schema) if error.validator == "type" else ""
    return (found or error.message).replace(repr(error.instance), shown)


def _type_problem(value: Any, schema: Mapping[str, Any]) -> str:
    """Return what to write instead of a value of the wrong type; "" if unknown."""
    expected = schema.get("type")
    if isinstance(value, str) and isinstance(expected, str) and expected in _NUMBERS:
        advice = _angle_advice(value) if expected == "number" else ""
        advice = advice or number_advice(value)
        return f"{value!r} is not {_NUMBERS[expected]}{advice}" if advice else ""
    if expected == "string" and isinstance(value, bool | int | float):
        return f"{value} is not of type 'string': write it in quotes"
    names = list(schema.get("properties", {}))
    if expected == "object" and isinstance(value, list) and 0 < len(value) <= len(names):
        keys = ", ".join(f"{name}: {item}" for name, item in zip(names, value, strict=False))
        return f"{value} has no keys: write {{ {keys} }}"
    return ""


_SIZES = {
    "maxLength": ("character", "at most"),
    "maxItems": ("item", "at most"),
    "minItems": ("item", "at least"),
}
_NUMBERS = {"number": "a number", "integer": "a whole number"}


def _angle_advice(text: str) -> str:
    """Return what to write instead of an angle in degrees; "" if it is not one."""
    degrees = re.fullmatch(r"(-?[0-9.]+) *(?:deg|°)", text)
    with contextlib.suppress(TextError):
        return f": angles are in radians, {math.radians(real_number(degrees.group(1))):.5g}" if degrees else ""
    return ""


def _nearest(key: str, known: list[str]) -> str:
    with_unit = [name for name in known if name.startswith(f"{key}_")]
    is_long = len(key) > _LONGEST_KEY  # the search time grows with its square
    matches = with_unit or ([] if is_long else difflib.get_close_matches(key, known, n=1))
    return f", did you mean {matches[0]!r}?" if matches else f"; known: {', '.join(sorted(known))}"


def _line(lines: Mapping[KeyPath, int], key_path: KeyPath) -> int:
    while key_path and key_path not in lines:
        key_path = key_path[:-1]
    return lines.get(key_path, 1)


def _problem(source: str, lines: Mapping[KeyPath, int], key_path: KeyPath, message: str) -> str:
    where = f"{source}:{_line(lines, key_path)}:"
    return f"{where} {dotted(key_path)}: {message}" if key_path else f"{where} {message}"


def dotted(key_path: KeyPath) -> str:
    """Return a place in a readable form, such as goals[0].x_m."""
    text = ""
    for part in key_path:
        text += f"[{part}]" if isinstance(part, int) else f".{shortened(part)}" if text else shortened(part)
    return text
