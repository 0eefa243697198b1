import pytest

from simulator.simulation.name_filter import name_pattern


@pytest.mark.parametrize("text", ["", "thymio_.*", "(crate|thymio)_[0-9]+", "(?:a|b).?", r"\*\+\?.*"])
def test_usual_filters_are_accepted(text: str) -> None:
    assert name_pattern(text).pattern == (text or ".*")


@pytest.mark.parametrize(
    "text",
    [
        "(a+)+b",
        "(a|a){9}",
        "a*a*a*a*b",
        "(" * 150,
        "a" * 201,
        "[",
        "a{99999999999}",
        ")",
        "(?x)(a|a) +b",
        "(?ix:(a|a) +)b",
    ],
)
def test_filter_that_is_wrong_or_could_take_long_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        name_pattern(text)
