"""Whole numbers of measured ones: as Python rounds them."""

from hypothesis import given
from hypothesis import strategies as st

from simulator.rounding import nearest


@given(st.floats(-1e15, 1e15) | st.integers(-2000, 2000).map(lambda halves: 0.5 * halves))
def test_nearest_whole_number_is_that_of_python(value: float) -> None:
    assert nearest(value) == round(value)
