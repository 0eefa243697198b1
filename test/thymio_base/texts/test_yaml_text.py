from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from thymio_base.errors import TextError
from thymio_base.texts.yaml_text import read_yaml, write_yaml, yaml_values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("0", 0),
        ("1.0", 1.0),
        ("2e-2", 0.02),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1.5e+2", 150.0),
        ("08.5", 8.5),
        ("yes", True),
        ("off", False),
        ("~", None),
        ("[a, 'b', \"c\"]", ["a", "b", "c"]),
        ("!!str 5", "5"),
        ("{1: a, yes: b}", {"1": "a", "yes": "b"}),
        ("", {}),
        ("9223372036854775807", 2**63 - 1),
    ],
)
def test_plain_values_are_what_they_look_like(text: str, value: Any) -> None:
    assert yaml_values(text) == value
    assert type(yaml_values(text)) is type(value)


@pytest.mark.parametrize(
    "text",
    ["010", "08", "1_0", "1:30", "1:30.5", "0x10", "0b1", "0o7", "٣", "2024-01-01", "2024-13-45", "=", "9" * 400, "y"],
)
def test_text_that_other_readers_take_for_a_number_stays_text(text: str) -> None:
    assert yaml_values(text) == text


def test_own_keys_override_merged_keys() -> None:
    text = "base: &base {a: 1, b: 2}\nother: &other {b: 3, c: 4}\nall: {<<: [*base, *other], a: 5}\n"
    assert yaml_values(text)["all"] == {"a": 5, "b": 2, "c": 4}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb: 2\na: 3", "line 3: a is given twice, first on line 1"),
        ("a: &a [*a]", "line 1: too deep, or an alias within itself"),
        ("&a {b: *a}", "line 1: too deep, or an alias within itself"),
        ("[" * 2000, "lists and mappings are nested more than 32 deep"),
        ("- " * 2000, "line 1: lists and mappings are nested more than 32 deep"),
        ("!!python/name:os.system", "line 1: '' with the tag !!python/name:os.system is not accepted"),
        ('!!binary "@@@"', "line 1: '@@@' with the tag !!binary is not accepted"),
        ("!!timestamp 2024-13-45", "line 1: '2024-13-45' with the tag !!timestamp is not accepted"),
        ("!!int 0x_", "line 1: '0x_' with the tag !!int is not accepted"),
        ("!!set {a}", "line 1: a mapping with the tag !!set is not accepted"),
        ("[a]: 1", "line 1: a key must be a text"),
        ("<<: 5", "line 1: << must be followed by one or several mappings"),
        ('"\\UFFFFFFFF"', "OverflowError: Python int too large to convert to C int"),
        ("a: [1\nb: 2", "line 2: expected ',' or ']', but got ':'"),
        ("a\n---\nb", "line 2: but found another document"),
        ("a: *b", "line 1: found undefined alias 'b'"),
        ("#" + "x" * 1_000_000, "has 1000001 characters; 1000000 are allowed"),
    ],
)
def test_text_that_is_not_accepted_is_refused_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(TextError) as caught:
        yaml_values(text)
    assert str(caught.value) == problem


def test_values_that_aliases_repeat_are_limited() -> None:
    levels = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, after in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(TextError, match="more than 300000 values"):
        yaml_values(levels)


def test_aliases_are_refused_where_they_may_not_be() -> None:
    with pytest.raises(TextError, match=r"^line 1: aliases \(\*name\) are not accepted"):
        yaml_values("[&a 1, *a]", may_have_aliases=False)


def test_part_of_a_text_keeps_its_lines_and_columns() -> None:
    document = read_yaml("a:\n  - b: 1\n  - {c: 2}\n")
    assert document.part(("a", 1)) == "\n\n    {c: 2}"
    assert document.part(("x",)) is None
    assert document.lines["a", 1, "c"] == 3


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="without libyaml there is one parser only")
@given(
    st.lists(st.sampled_from([*"[]{}:,-&*'\"#? \n\tab01.e!|>\r\ufeff", "\n  ", "- ", ": ", "<<: "]), max_size=16).map(
        "".join
    )
)
def test_text_means_the_same_without_libyaml(text: str) -> None:
    found = _read_or_refused(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "__with_libyaml__", False)
        assert _read_or_refused(text) == found


def _read_or_refused(text: str) -> str:
    try:
        document = read_yaml(text)
    except TextError as error:
        return str(error)
    parts = [document.part(key_path) for key_path in document.lines]
    return repr((document.values, document.lines, document.repeated, parts))


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="the pure parser is slow")
def test_long_path_is_read_without_the_pure_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "SafeLoader")
    text = "curve: lines\nwaypoints_m: [" + ",".join(["[1.25,-0.5]"] * 400) + "]\n"
    assert yaml_values(text)["waypoints_m"] == [[1.25, -0.5]] * 400


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=8,
)


@pytest.mark.slow
@given(VALUES.filter(lambda value: value is not None))
def test_what_is_written_is_read_as_the_same_values(value: Any) -> None:
    assert yaml_values(write_yaml(value)) == value


@pytest.mark.parametrize("text", ["\x85", "a\x85b", "\u2028", "a\u2029", "\r", "a\r\nb"])
def test_rare_ends_of_lines_are_kept_in_texts_and_keys(text: str) -> None:
    assert yaml_values(write_yaml({text: [text]})) == {text: [text]}


@pytest.mark.parametrize("text", ["1e3", "010", "2024-01-01", "yes", "1_0", "0x10", "5.", "<<", "=", "null"])
def test_text_that_looks_like_another_value_is_written_in_quotes(text: str) -> None:
    assert write_yaml([text]) == f"- '{text}'\n"


@given(st.text() | st.text("[]{}:,-&*!'\"|>%@#? \n\tab01.e<~", max_size=24))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(TextError):
        yaml_values(text)
