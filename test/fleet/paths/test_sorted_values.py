from bisect import bisect_left, bisect_right

from hypothesis import given
from hypothesis import strategies as st

from fleet.paths.sorted_values import SortedValues

numbers = st.lists(st.floats(-9.0, 9.0), min_size=1, max_size=9).map(sorted)


@given(numbers, st.lists(st.floats(-10.0, 10.0), max_size=9))
def test_ranks_do_not_depend_on_earlier_look_ups(known: list[float], values: list[float]) -> None:
    subject = SortedValues(known)
    expected = [*values, *known, *reversed(known)]
    assert [subject.rank(value) for value in expected] == [bisect_right(known, value) for value in expected]
    assert [subject.rank_below(value) for value in expected] == [bisect_left(known, value) for value in expected]


def test_ranks_include_or_exclude_all_equal_values() -> None:
    subject = SortedValues([0.0, 1.0, 1.0, 1.0, 2.0])
    assert (subject.rank(1.0), subject.rank_below(1.0)) == (4, 1)
