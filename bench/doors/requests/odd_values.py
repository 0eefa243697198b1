"""Makes odd values, and breaks valid trees, texts and bytes in one place."""

import copy
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from numpy.random import Generator

Value = TypeVar("Value")

_FLOATS: Final = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    0.5,
    1e-320,
    5e-324,
    -1e-9,
    1e-3,
    1e6,
    -1e9,
    1e16,
    1e100,
    1e160,
    -1e300,
    1e308,
    math.inf,
    -math.inf,
    math.nan,
    600.0,
    3.4e38,
    2.0**31,
    2.0**63,
)
_INTEGERS: Final = (0, 1, -1, 2, 3, 7, 100, 101, 255, 256, 1000, 5000, 32767, 32768, 65535, 65536)
_POWERS: Final = (7, 8, 15, 16, 31, 32, 53, 63, 64)
_TEXTS: Final = (
    "",
    " ",
    "\t",
    "\n",
    "\0",
    "\x01",
    "\x7f",
    "\ufeff",
    "\u200b",
    "\u202e",
    "é",
    "été",
    "Größe",
    "Ждя",
    "電池",
    "روبوت",
    "١٢",
    "½",
    "😀",
    "e\u0301",
    "a b",
    "a/b",
    "/map",
    "..",
    "../../etc/passwd",
    "~",
    "%s%n",
    "{}",
    "{0}",
    "${HOME}",
    "<b>",
    "&amp;",
    "'",
    '"',
    "\\",
    ";--",
    "[",
    "]",
    "{",
    "[[[[[[[[",
    "a: &a [*a]",
    "&a [*a]",
    "!!python/object:os.system x",
    "2024-13-45",
    "010",
    "08",
    "1_0",
    "1:30",
    "2e-2",
    "1e999",
    "1.0",
    "2.0",
    "-0",
    "0x10",
    "nan",
    ".nan",
    "inf",
    ".inf",
    "null",
    "true",
    "yes",
    "off",
    "thymio_3",
    "node:3",
    "thymio_99999999999",
    "robot_1",
    "[a](b)",
    "*",
    "(",
    "(a+)+$",
    "x" * 64,
    "x" * 129,
    "x" * 5001,
    "1" * 400,
    "[" * 2000,
    "{a: " * 200,
    "é" * 3000,
)


def odd_float(chance: Generator) -> float:
    """Return a number that readers may not expect."""
    if chance.random() < 0.2:
        return float(chance.normal()) * 10.0 ** int(chance.integers(-12, 13))
    return pick(chance, _FLOATS)


def odd_integer(chance: Generator, low: int | None = None, high: int | None = None) -> int:
    """Return an integer near a limit, beyond a usual limit, or random; within the given limits."""
    kind = chance.random()
    if kind < 0.3 and low is not None and high is not None:
        value = pick(chance, (low, low + 1, high, high - 1))
    elif kind < 0.6:
        value = pick(chance, _INTEGERS)
    elif kind < 0.9 or low is not None:
        value = pick(chance, (1, -1)) * (2 ** pick(chance, _POWERS) + int(chance.integers(-1, 2)))
    else:
        value = 10 ** pick(chance, (20, 400))
    if low is None or high is None:
        return value
    return min(max(value, low), high)


def odd_text(chance: Generator, base: str = "") -> str:
    """Return a text that readers may not expect; sometimes nearly `base`."""
    if base and chance.random() < 0.5:
        return changed_text(base, chance)
    if chance.random() < 0.1:
        return "".join(chr(int(code)) for code in chance.integers(1, 0x2FFF, int(chance.integers(40))))
    return pick(chance, _TEXTS)


def odd_value(chance: Generator, depth: int = 0) -> Any:
    """Return a value of any type that YAML or JSON can hold."""
    kinds: list[Callable[[], Any]] = [
        lambda: None,
        lambda: bool(chance.random() < 0.5),
        lambda: odd_float(chance),
        lambda: odd_integer(chance),
        lambda: odd_text(chance),
        lambda: [],
        dict,
    ]
    if depth < 3:
        kinds += [
            lambda: [odd_value(chance, depth + 1) for _ in range(int(chance.integers(4)))],
            lambda: {odd_text(chance)[:50]: odd_value(chance, depth + 1) for _ in range(int(chance.integers(3)))},
            lambda: _nested(chance),
        ]
    return kinds[int(chance.integers(len(kinds)))]()


def changed(tree: Any, chance: Generator) -> Any:
    """Return a tree of lists and objects that differs in one place."""
    tree = copy.deepcopy(tree)
    holders = list(_holders(tree))
    if not holders or chance.random() < 0.02:
        return odd_value(chance)
    holder, key = holders[int(chance.integers(len(holders)))]
    if chance.random() < 0.7:
        holder[key] = changed_value(holder[key], chance)
    elif isinstance(holder, dict):
        _change_keys(holder, key, chance)
    else:
        _change_items(holder, key, chance)
    return tree


def changed_value(value: Any, chance: Generator) -> Any:
    """Return a replacement for a value: mostly of the same or a similar type."""
    kind = chance.random()
    if isinstance(value, bool) or kind < 0.2:
        return odd_value(chance)
    if isinstance(value, int):
        near: tuple[Any, ...] = (
            float(value),
            value + 1,
            value - 1,
            -value,
            str(value),
            f"{value}.0",
            [value],
            value + 0.5,
        )
        return pick(chance, near) if kind < 0.7 else odd_integer(chance)
    if isinstance(value, float):
        near = (-value, value * 1e3, str(value), math.nextafter(value, math.inf), [value], round_or_none(value))
        return pick(chance, near) if kind < 0.5 else odd_float(chance)
    if isinstance(value, str):
        return odd_text(chance, value)
    return odd_value(chance)


def round_or_none(value: float) -> int | None:
    """Return the nearest integer, None for a value that is not finite."""
    return round(value) if math.isfinite(value) else None


def changed_text(text: str, chance: Generator) -> str:
    """Return a text that differs in one place."""
    place = int(chance.integers(len(text) + 1))
    changes: tuple[Callable[[], str], ...] = (
        lambda: text[:place],
        lambda: text[:place] + odd_text(chance) + text[place:],
        lambda: text[:place] + text[place + int(chance.integers(1, 8)) :],
        lambda: text[:place] + chr(int(chance.integers(1, 0x3000))) + text[place + 1 :],
        lambda: _with_other_lines(text, chance),
        lambda: _with_other_lines(text, chance),
        lambda: _with_other_number(text, chance),
        lambda: _with_other_number(text, chance),
    )
    return pick(chance, changes)()


def changed_bytes(data: bytes, chance: Generator) -> bytes:
    """Return bytes that differ in one place."""
    place = int(chance.integers(len(data) + 1))
    kind = int(chance.integers(5))
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data[:place] + chance.bytes(int(chance.integers(1, 9))) + data[place:]
    if kind == 2:
        return data[:place] + data[place + int(chance.integers(1, 9)) :]
    if kind == 3:
        return (
            data[:place] + pick(chance, (b"\xff\xff\xff\xff", b"\0\0\0\x80", b"\xff\xff\xff\x7f")) + data[place + 4 :]
        )
    return data[:place] + chance.bytes(1) + data[place + 1 :]


def pick(chance: Generator, values: Sequence[Value]) -> Value:
    """Return one of the values."""
    return values[int(chance.integers(len(values)))]


def _holders(tree: Any) -> list[tuple[Any, Any]]:
    """Return all places of a tree."""
    found: list[tuple[Any, Any]] = []
    rest = [tree]
    while rest:
        value = rest.pop()
        keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        for key in keys:
            found.append((value, key))
            rest.append(value[key])
    return found


def _change_keys(holder: dict[Any, Any], key: Any, chance: Generator) -> None:
    kind = int(chance.integers(4))
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[odd_text(chance)[:100]] = odd_value(chance)
    elif kind == 2:
        holder[odd_text(chance, str(key))[:100]] = holder.pop(key)
    else:
        holder[pick(chance, (1, None, 2.5, True))] = holder.pop(key)


def _change_items(holder: list[Any], index: int, chance: Generator) -> None:
    kind = int(chance.integers(5))
    if kind == 0:
        del holder[index]
    elif kind == 1:
        holder.insert(index, copy.deepcopy(holder[index]))
    elif kind == 2:
        holder.insert(index, odd_value(chance))
    elif kind == 3:
        holder.reverse()
    else:
        holder.extend(copy.deepcopy(holder[index]) for _ in range(pick(chance, (10, 300))))


def _nested(chance: Generator) -> Any:
    value: Any = odd_float(chance)
    for _ in range(pick(chance, (3, 40, 150))):
        value = [value] if chance.random() < 0.5 else {"a": value}
    return value


def _with_other_lines(text: str, chance: Generator) -> str:
    """Return the text with a line removed, a line repeated, or some lines reordered."""
    lines = text.splitlines(keepends=True)
    row = int(chance.integers(len(lines) + 1))
    parts = (
        [*lines[:row], *lines[row + 1 :]],
        [*lines[: row + 1], *lines[row:]],
        [*lines[:row], *lines[row:][::-1]],
    )
    return "".join(pick(chance, parts))


def _with_other_number(text: str, chance: Generator) -> str:
    """Return the text with one of its numbers replaced by an odd number or word."""
    numbers = list(re.finditer(r"-?\d+(\.\d+)?", text))
    if not numbers:
        return text + odd_text(chance)
    found = pick(chance, numbers)
    kind = chance.random()
    if kind < 0.4:
        other = repr(odd_float(chance))
    elif kind < 0.8:
        other = str(odd_integer(chance))
    else:
        other = odd_text(chance)
    return text[: found.start()] + other + text[found.end() :]
