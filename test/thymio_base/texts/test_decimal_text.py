import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import MAX_WHOLE, real_number, whole_number


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1.0), ("-0.5", -0.5), (".5", 0.5), ("5.", 5.0), ("2e-2", 0.02), ("+1E3", 1000.0), (" 7 ", 7.0), ("08", 8.0)],
)
def test_decimal_numbers_are_read(text: str, value: float) -> None:
    assert real_number(text) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1_0", "'1_0' is not a number: write 10, without underscores"),
        ("0x10", "'0x10' is not a number: write 16"),
        ("0b11", "'0b11' is not a number: write 3"),
        ("0o17", "'0o17' is not a number: write 15"),
        ("1:30", "'1:30' is not a number: write a decimal number, without colons"),
        ("0,5", "'0,5' is not a number: write 0.5, with a point"),
        ("١٢", "'١٢' is not a number: write it with the digits 0 to 9"),
        ("\uff11.\uff15", "'\uff11.\uff15' is not a number: write it with the digits 0 to 9"),
        ("1e999", "'1e999' is not a number: it is too large"),
        ("inf", "'inf' is not a number"),
        ("nan", "'nan' is not a number"),
        ("1 2", "'1 2' is not a number"),
        ("", "'' is not a number"),
    ],
)
def test_what_only_looks_like_a_number_is_refused_with_advice(text: str, problem: str) -> None:
    with pytest.raises(TextError) as caught:
        real_number(text)
    assert str(caught.value) == problem


def test_quoted_text_of_a_refusal_is_short() -> None:
    with pytest.raises(TextError, match=r"^'9{50,60}\.\.\.9+' is not a number: it is too long$"):
        real_number("9" * 100_000)


def test_whole_numbers_are_read_within_limits() -> None:
    assert whole_number("-12", -12, 12) == -12
    assert whole_number(str(MAX_WHOLE)) == MAX_WHOLE
    with pytest.raises(TextError, match=r"^13 is not in -12 to 12$"):
        whole_number("13", -12, 12)


@pytest.mark.parametrize("text", ["1.0", "1e0", "1_0", "٣", "0x1", "9" * 400, "", "- 1"])
def test_value_that_is_not_a_whole_number_is_refused(text: str) -> None:
    with pytest.raises(TextError, match="is not a whole number"):
        whole_number(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_as_it_is_written(value: float) -> None:
    assert real_number(repr(value)) == value


@given(st.text() | st.text("0123456789+-_.:,eExob ٣", max_size=12))
def test_any_text_is_a_number_or_refused(text: str) -> None:
    for read in (real_number, whole_number):
        with suppress(TextError):
            assert math.isfinite(read(text))
