import pytest

from thymio_base.number_text import number_text, robots_text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([4], "4"),
        ([2, 1], "1 and 2"),
        ([3, 1, 2, 2], "1 to 3"),
        ([9, 1, 2, 3, 4, 7], "1 to 4, 7 and 9"),
        ([1, 2, 4, 5], "1, 2, 4 and 5"),
    ],
)
def test_numbers_are_listed_with_their_ranges(numbers: list[int], text: str) -> None:
    assert number_text(numbers) == text


def test_robots_are_counted() -> None:
    assert (robots_text([2]), robots_text([3, 1, 2])) == ("robot 2", "robots 1 to 3")
