"""The only readers of JSON: `read_json` for foreign texts, `own_json` for what this project has written."""

import json
import math
import re
from functools import cache
from importlib import resources
from typing import Any, Final

from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import MAX_WHOLE
from thymio_base.texts.shortened import shortened

MAX_DEPTH: Final = 32  # nested arrays and objects
MAX_SIZE: Final = 1_000_000  # characters or bytes
_ESCAPED_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.?)*"?|[\[\]{}]', re.DOTALL)  # an open string is one match too


def read_json(text: str | bytes) -> Any:
    """Return the value in a text or in UTF-8: numbers are finite and within 64 bits, and no key is given twice.

    Raises
    ------
    TextError
        It is not JSON, or it is too large or too deep.
    """
    if len(text) > MAX_SIZE:
        raise TextError(f"has {len(text)} characters; {MAX_SIZE} are allowed")
    try:
        plain = text if isinstance(text, str) else text.decode()
        if _is_too_deep(plain):
            raise TextError(f"arrays and objects are nested more than {MAX_DEPTH} deep")
        value = _DECODER.decode(plain)
    except json.JSONDecodeError as error:
        raise TextError(f"{error.msg} in column {error.colno}", error.lineno) from error
    except UnicodeDecodeError as error:
        raise TextError(f"not UTF-8 text ({error.reason} at byte {error.start})") from error
    if _ESCAPED_HALF.search(plain):
        _check_characters(value)
    return value


def own_json(text: str | bytes) -> Any:
    """Return the value in a text written by a program of this project, where nothing else can write."""
    return json.loads(text)


@cache
def shipped_schema(package: str, name: str) -> dict[str, Any]:
    """Return the JSON Schema in a file of one of our packages; do not modify it."""
    schema: dict[str, Any] = own_json(resources.files(package).joinpath(name).read_text(encoding="utf-8"))
    return schema


def _check_characters(value: Any) -> None:
    """Refuse half characters, which JSON can escape: no message, file or database can hold them."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])[1:-1]
        raise TextError(f"{half} is half a character; the other half is missing") from error


def _is_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found.group(), 0)
        if depth > MAX_DEPTH:
            return True
    return False


def _int(text: str) -> int:
    if len(text) > len(str(MAX_WHOLE)) + 1 or abs(int(text)) > MAX_WHOLE:
        raise TextError(f"the number {shortened(text)} is too large")
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise TextError(f"the number {shortened(text)} is too large")
    return value


def _refuse_constant(text: str) -> float:
    raise TextError(f"{text} is not a number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise TextError(f"the key {shortened(key)!r} is given twice")
        found[key] = value
    return found


_DECODER: Final = json.JSONDecoder(  # json.loads would create a new one each time
    parse_int=_int, parse_float=_float, parse_constant=_refuse_constant, object_pairs_hook=_object
)
