import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thymio_base.errors import TextError
from thymio_base.texts.json_text import read_json


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "arrays and objects are nested more than 32 deep"),
        ('{"a": 1, "a": 2}', "the key 'a' is given twice"),
        ("[NaN]", "NaN is not a number"),
        ("[1e999]", "the number 1e999 is too large"),
        ("9" * 5000, f"the number {'9' * 57}...{'9' * 20} is too large"),
        (str(2**63), "the number 9223372036854775808 is too large"),
        (b"\xff", "not UTF-8 text (invalid start byte at byte 0)"),
        ("{", "line 1: Expecting property name enclosed in double quotes in column 2"),
        ("", "line 1: Expecting value in column 1"),
        ('{"\\uDC00": 1}', "\\udc00 is half a character; the other half is missing"),
        ('["\\ud800x"]', "\\ud800 is half a character; the other half is missing"),
        ('"' + '\\"' * 30_000 + "[" * 33, "line 1: Unterminated string starting at in column 1"),
        ('"' + '\\"' * 30_000 + "[" * 33 + "\\", "line 1: Unterminated string starting at in column 1"),
        (" " * 1_000_001, "has 1000001 characters; 1000000 are allowed"),
    ],
    ids=lambda value: f"{value[:12]!r}",
)
def test_text_that_is_not_accepted_is_refused(text: str | bytes, problem: str) -> None:
    with pytest.raises(TextError) as caught:
        read_json(text)
    assert str(caught.value) == problem


def test_brackets_in_texts_are_not_deep() -> None:
    assert read_json(json.dumps({"task": "[" * 100 + '\\"{'})) == {"task": "[" * 100 + '\\"{'}


def test_characters_of_two_halves_are_read() -> None:
    assert read_json('"\\ud83d\\ude00 \\\\ud800"') == "\U0001f600 \\ud800"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=8,
)


@given(JSON)
def test_what_python_writes_is_read_as_the_same_values(value: Any) -> None:
    assert read_json(json.dumps(value).encode()) == value


@given(st.text() | st.binary() | st.text('[]{}:,"\\ntf-1e9.', max_size=20))
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    with suppress(TextError):
        read_json(text)
