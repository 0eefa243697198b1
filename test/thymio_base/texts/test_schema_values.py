import sys
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thymio_base.texts.schema_values import completed, violations

_NUMBER = {"type": "number", "minimum": -10, "maximum": 10}
_PAIR = {"type": "array", "minItems": 2, "maxItems": 2, "items": _NUMBER}
_PIECE = {
    "type": "object",
    "additionalProperties": False,
    "minProperties": 1,
    "properties": {"line_m": _NUMBER, "at": _PAIR, "name": {"type": "string"}},
}
_NUMBERS = st.integers(-11, 11) | st.floats(-11, 11) | st.just(float("nan"))
_ATOMS = _NUMBERS | st.none() | st.booleans() | st.text(max_size=2)
_PAIRS = st.lists(_NUMBERS, min_size=2, max_size=2) | st.lists(_ATOMS, max_size=3)
_PIECES = st.dictionaries(st.sampled_from(["line_m", "at", "name", "other"]), _ATOMS | _PAIRS, max_size=3)


@given(st.lists(_ATOMS | _PAIRS | _PIECES, max_size=5), st.sampled_from([_NUMBER, _PAIR, _PIECE, {}, True, False]))
def test_items_of_lists_violate_what_the_library_says(values: list[Any], part: Any) -> None:
    schema = {"type": "array", "items": part}
    library = jsonschema.Draft202012Validator(schema)
    assert _told(violations(values, schema)) == _told(library.iter_errors(values))


def test_items_that_fit_take_few_calls() -> None:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    found = list(violations([[1.5, -2]] * 500, {"type": "array", "items": _PAIR}))
    sys.setprofile(None)
    assert not found
    assert calls < 500 * 100


@pytest.mark.parametrize("kind", ["integer", ["integer", "null"], ["string", "integer"]])
def test_integers_are_ints_also_if_other_types_are_allowed(kind: str | list[str]) -> None:
    schema = {"type": "object", "properties": {"id": {"$ref": "#/$defs/id"}}, "$defs": {"id": {"type": kind}}}
    assert repr(completed({"id": 4.0}, schema)) == "{'id': 4}"


@pytest.mark.parametrize("kind", ["number", ["number", "null"]])
def test_numbers_are_floats_also_if_other_types_are_allowed(kind: str | list[str]) -> None:
    assert repr(completed([4, None], {"type": "array", "items": {"type": kind}})) == "[4.0, None]"


def _told(errors: Any) -> list[tuple[str, list[str | int]]]:
    return [(error.message, list(error.absolute_path)) for error in errors]
