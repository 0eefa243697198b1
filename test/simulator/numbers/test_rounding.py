"""Rounding to whole numbers: the same as Python's."""

from hypothesis import given
from hypothesis import strategies as st

from simulator.numbers.rounding import nearest


@given(st.floats(-1e15, 1e15) | st.integers(-2000, 2000).map(lambda halves: 0.5 * halves))
def test_nearest_rounds_as_python_does(value: float) -> None:
    assert nearest(value) == round(value)
